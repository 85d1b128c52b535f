"""The ``scale_offset`` codec: numbers minus an offset, times a scale.

Specification: the zarr-extensions registry, "scale_offset". The arithmetic is that of the data type. An intermediate result
that the type cannot hold is an error: an overflow, or an integer that the scale does not divide.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.array_to_array.real_numbers import RealType, exact, real_type
from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.data_type import data_type_of
from zarrcore.metadata.fill_value import parse_fill_value
from zarrcore.typing import AnyArray

_Operation = Callable[[Any, Any], Any]


class ScaleOffsetCodec(ArrayToArrayCodec):
    """``(x - offset) * scale``, and back."""

    names: ClassVar[tuple[str, ...]] = ("scale_offset",)

    def __init__(self, offset: Any, scale: Any) -> None:
        self._offset = offset
        self._scale = scale

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "offset", "scale")
        for name, value in configuration.items():
            if value is None:
                raise MetadataError("expected a number, found null", member=name)
        return cls(configuration.get("offset"), configuration.get("scale"))

    def _parameters(self, spec: ArraySpec) -> tuple[RealType, AnyArray | None, AnyArray | None]:
        """The type, and offset and scale as its elements; None if they change nothing."""
        kind, data_type = real_type(spec.dtype), data_type_of(spec.dtype)
        if kind is None:
            raise MetadataError(
                f"expected elements that are real numbers, found {spec.dtype}", member=self.name
            )
        offset, scale = (
            None if spelled is None else parse_fill_value(spelled, data_type)
            for spelled in (self._offset, self._scale)
        )
        if scale is not None and not scale.astype(np.float64):
            raise MetadataError("expected a number other than 0", member="scale")
        return kind, offset, scale

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        try:
            fill = self.encode(spec.fill_value, ArraySpec((), spec.dtype, spec.fill_value))
        except CodecError as error:
            raise MetadataError(
                f"the fill value cannot be encoded: {error.reason}", member=self.name
            ) from error
        return ArraySpec(spec.shape, spec.dtype, fill)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        kind, offset, scale = self._parameters(spec)
        values = self._calculated(operator.sub, decoded, offset, kind)
        return self._calculated(operator.mul, values, scale, kind)

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        kind, offset, scale = self._parameters(spec)
        divide = operator.floordiv if kind.is_integer else operator.truediv
        if kind.is_integer and scale is not None and (exact(encoded) % exact(scale)).any():
            raise CodecError(f"an element that {scale} does not divide", codec=self.name)
        values = self._calculated(divide, encoded, scale, kind)
        return self._calculated(operator.add, values, offset, kind)

    def _calculated(
        self, operation: _Operation, values: AnyArray, operand: AnyArray | None, kind: RealType
    ) -> AnyArray:
        if operand is None or not values.size:
            return values
        if kind.is_integer:
            wide = exact(values)
            # A monotonic function overflows first at an end of the range, where Python's integers detect it.
            for end in (int(wide.min()), int(wide.max())):
                result = operation(end, int(operand))
                if not kind.minimum <= result <= kind.maximum:
                    raise self._overflow(end, operand, kind)
            return np.asarray(operation(wide, exact(operand))).astype(kind.dtype)
        with np.errstate(all="ignore"):
            wide, other = values.astype(np.float64), operand.astype(np.float64)
            result = operation(wide, other)
            beyond = np.isfinite(wide) & ((result < kind.minimum) | (result > kind.maximum))
            if beyond.any():
                raise self._overflow(wide[beyond].flat[0], operand, kind)
            return np.asarray(operation(values.astype(kind.dtype), operand))

    def _overflow(self, value: Any, operand: AnyArray, kind: RealType) -> CodecError:
        return CodecError(f"{value} with {operand} leaves the range of {kind.dtype}", codec=self.name)
