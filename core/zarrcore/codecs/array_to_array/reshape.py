"""The ``reshape`` codec: the same elements in the same order, in other dimensions.

Specification: the zarr-extensions registry, "reshape". Each length is a number, a product of lengths of consecutive input
dimensions, or, at most once, ``-1`` for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain, pairwise
from typing import Any, ClassVar, Self

from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import known
from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import integers
from zarrcore.typing import AnyArray

_MAX_DIMENSIONS = 64

Length = int | tuple[int, ...]
"""A length, or the input dimensions whose product it is."""


class ReshapeCodec(ArrayToArrayCodec):
    """The elements of the decoded array, in C order, as an array of another shape."""

    names: ClassVar[tuple[str, ...]] = ("reshape",)

    def __init__(self, lengths: tuple[Length, ...]) -> None:
        self._lengths = lengths

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "shape")
        shape = configuration.get("shape")
        if not isinstance(shape, list) or len(shape) > _MAX_DIMENSIONS:
            raise MetadataError(
                f"expected an array of at most {_MAX_DIMENSIONS}, found {describe(shape)}", member="shape"
            )
        lengths = tuple(_length(item, f"shape[{position}]") for position, item in enumerate(shape))
        if lengths.count(-1) > 1:
            raise MetadataError("expected at most one length of -1", member="shape")
        inputs = list(chain.from_iterable(part for part in lengths if isinstance(part, tuple)))
        if any(first >= second for first, second in pairwise(inputs)):
            raise MetadataError(f"expected increasing input dimensions, found {inputs}", member="shape")
        return cls(lengths)

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        return ArraySpec(self._encoded_shape(spec.shape), spec.dtype, spec.fill_value)

    def _encoded_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        encoded = [
            length if isinstance(length, int) else self._product(length, shape) for length in self._lengths
        ]
        size = math.prod(shape)
        if -1 in encoded:
            rest = math.prod(length for length in encoded if length != -1)
            if not rest or size % rest:
                raise MetadataError(f"no length of -1 makes {size:,} elements of {encoded}", member="shape")
            encoded[encoded.index(-1)] = size // rest
        if math.prod(encoded) != size:
            raise MetadataError(f"expected {size:,} elements, found shape {encoded}", member="shape")
        for axis, inputs in enumerate(self._lengths):
            # Otherwise coordinates along an axis would not be those along the input dimensions that it names.
            if (
                isinstance(inputs, tuple)
                and inputs
                and (
                    math.prod(encoded[:axis]) != math.prod(shape[: inputs[0]])
                    or math.prod(encoded[axis + 1 :]) != math.prod(shape[inputs[-1] + 1 :])
                )
            ):
                raise MetadataError(
                    f"dimensions {list(inputs)} are not along this one", member=f"shape[{axis}]"
                )
        return tuple(encoded)

    def _product(self, inputs: tuple[int, ...], shape: tuple[int, ...]) -> int:
        if inputs and inputs[-1] >= len(shape):
            raise MetadataError(f"expected dimensions below {len(shape)}, found {inputs[-1]}", member="shape")
        return math.prod(shape[axis] for axis in inputs)

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return encoded.reshape(spec.shape)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return decoded.reshape(self._encoded_shape(spec.shape))


def _length(value: Any, member: str) -> Length:
    if isinstance(value, list):
        return integers(list(value), member, minimum=0)
    if type(value) is int and (value > 0 or value == -1):
        return value
    raise MetadataError(
        f"expected a positive integer, -1 or input dimensions, found {describe(value)}", member=member
    )
