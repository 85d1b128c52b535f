"""The ``cast_value`` codec: the same numbers in another data type.

Specification: the zarr-extensions registry, "cast_value". A number that the other type lacks is mapped explicitly, or rounded and
then clamped or wrapped as the document says. Otherwise it is an error: no value is lost silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.array_to_array.real_numbers import (
    ROUNDINGS,
    RealType,
    as_float64,
    exact,
    real_type,
    rounded_to_floats,
    rounded_to_integers,
    wrapped,
)
from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import choice, known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import DataType
from zarrcore.metadata.data_type import data_type_of, parse_data_type
from zarrcore.metadata.fill_value import parse_fill_value
from zarrcore.metadata.json_document import describe
from zarrcore.typing import AnyArray

Pairs = list[tuple[Any, Any]]
"""Spellings of a number and of its replacement."""


class CastValueCodec(ArrayToArrayCodec):
    """Numbers converted to ``data_type``, and back."""

    names: ClassVar[tuple[str, ...]] = ("cast_value",)

    def __init__(
        self, data_type: DataType, rounding: str, out_of_range: str | None, maps: tuple[Pairs, Pairs]
    ) -> None:
        self._data_type = data_type
        self._rounding = rounding
        self._out_of_range = out_of_range
        self._on_encode, self._on_decode = maps

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "data_type", "rounding", "out_of_range", "scalar_map")
        data_type = parse_data_type(configuration.get("data_type"))
        kind = real_type(data_type.dtype)
        if kind is None:
            raise MetadataError(
                f"expected a type of real numbers, found {data_type.name}", member="data_type"
            )
        out_of_range = None
        if "out_of_range" in configuration:
            out_of_range = choice(configuration, "out_of_range", ("clamp", "wrap"), None)
        if out_of_range == "wrap" and not kind.is_integer:
            raise MetadataError("only integers wrap around", member="out_of_range")
        rounding = choice(configuration, "rounding", ROUNDINGS, "nearest-even")
        return cls(data_type, rounding, out_of_range, _maps(configuration.get("scalar_map", {})))

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        if real_type(spec.dtype) is None:
            raise MetadataError(
                f"expected elements that are real numbers, found {spec.dtype}", member=self.name
            )
        plain = ArraySpec((), spec.dtype, spec.fill_value)
        try:
            fill = self.encode(spec.fill_value, plain)
            again = self.decode(fill, plain)
        except CodecError as error:
            raise MetadataError(f"the fill value cannot be cast: {error.reason}", member=self.name) from error
        if not np.array_equal(exact(again), exact(spec.fill_value), equal_nan=again.dtype.kind == "f"):
            raise MetadataError(
                f"the fill value {spec.fill_value} becomes {again} when it is cast and cast back",
                member=self.name,
            )
        return ArraySpec(spec.shape, self._data_type.dtype, fill)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return self._cast(decoded, data_type_of(spec.dtype), self._data_type, self._on_encode)

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return self._cast(encoded, self._data_type, data_type_of(spec.dtype), self._on_decode)

    def _cast(self, values: AnyArray, source: DataType, target: DataType, pairs: Pairs) -> AnyArray:
        kind = real_type(target.dtype)
        if kind is None:  # pragma: no cover - encoded_spec sees to it
            raise CodecError(f"{target.name} is not a type of real numbers", codec=self.name)
        # NumPy makes scalars of arrays without dimensions, and scalars have fewer methods.
        numbers = exact(values.reshape(-1))
        mapped, replaced = np.zeros(numbers.shape, bool), np.zeros(numbers.shape, target.dtype)
        for found, wanted in pairs:
            key = exact(parse_fill_value(found, source))
            same = (numbers == key) | (np.isnan(numbers) & np.isnan(key))
            replaced[same & ~mapped] = parse_fill_value(wanted, target)
            mapped |= same
        # Every type has a 1. Mapped elements need no range check and no rounding, so they become 1 here.
        numbers = np.where(mapped, numbers.dtype.type(1), numbers)
        cast = self._to_integers(numbers, kind) if kind.is_integer else self._to_floats(numbers, kind)
        return np.where(mapped, replaced, cast).reshape(values.shape)

    def _to_integers(self, numbers: AnyArray, kind: RealType) -> AnyArray:
        past = int(kind.maximum) + 1
        if numbers.dtype.kind == "f":
            self._refuse(~np.isfinite(numbers), numbers, kind)
            numbers = rounded_to_integers(numbers, self._rounding)
            # The largest 64-bit integer is not a floating-point number, but the next one is.
            low, high = numbers < kind.minimum, numbers >= past
        else:
            low, high = numbers < kind.minimum, numbers > kind.maximum
        beyond = low | high
        if self._out_of_range == "wrap":
            return wrapped(numbers, kind)
        if self._out_of_range is None:
            self._refuse(beyond, numbers, kind)
        wide = np.uint64 if kind.minimum == 0 else np.int64
        inside = np.where(beyond, numbers.dtype.type(0), numbers).astype(wide)
        clamped = np.where(low, wide(kind.minimum), np.where(high, wide(kind.maximum), inside))
        return clamped.astype(kind.dtype)

    def _to_floats(self, numbers: AnyArray, kind: RealType) -> AnyArray:
        if numbers.dtype.kind != "f":
            numbers = as_float64(numbers, self._rounding, is_last=kind.dtype.itemsize == 8)
        gone, infinite = np.isnan(numbers), np.isinf(numbers)
        if not kind.has_nan:
            self._refuse(gone, numbers, kind)
        if not kind.has_infinity:
            self._refuse(infinite, numbers, kind)
        finite = np.where(gone | infinite, 1.0, numbers)
        result, beyond = rounded_to_floats(finite, kind, self._rounding)
        if self._out_of_range != "clamp":
            self._refuse(beyond, finite, kind)
        with np.errstate(all="ignore"):
            if kind.has_infinity:
                result = np.where(beyond, np.copysign(np.inf, finite).astype(kind.dtype), result)
            return np.where(gone | infinite, numbers.astype(kind.dtype), result)

    def _refuse(self, wrong: AnyArray, numbers: AnyArray, kind: RealType) -> None:
        if wrong.any():
            raise CodecError(f"{numbers[wrong].flat[0]} is not a number of {kind.dtype}", codec=self.name)


def _maps(value: Any) -> tuple[Pairs, Pairs]:
    if not isinstance(value, dict):
        raise MetadataError(f"expected an object, found {describe(value)}", member="scalar_map")
    known(value, "encode", "decode")
    return _pairs(value.get("encode", []), "encode"), _pairs(value.get("decode", []), "decode")


def _pairs(value: Any, name: str) -> Pairs:
    member = f"scalar_map.{name}"
    if not isinstance(value, list):
        raise MetadataError(f"expected an array of pairs, found {describe(value)}", member=member)
    for position, pair in enumerate(value):
        if not isinstance(pair, list) or len(pair) != 2:
            raise MetadataError(f"expected a pair, found {describe(pair)}", member=f"{member}[{position}]")
    return [(found, wanted) for found, wanted in value]
