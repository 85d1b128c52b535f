"""The ``bitround`` codec: numbers rounded to a number of bits, so that they compress better.

Specification: the zarr-extensions registry, "bitround"; for floating-point numbers numcodecs' BitRound. Decoding changes
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import integer, known
from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import is_small_number
from zarrcore.metadata.data_type.small_numbers import finite_range, part_of_complex
from zarrcore.typing import AnyArray

_MAX_BITS = 64  # of any number: keeping more bits keeps all of them


class BitroundCodec(ArrayToArrayCodec):
    """Mantissas of ``keepbits`` bits; integers with as many bits from their highest set bit, of either sign."""

    names: ClassVar[tuple[str, ...]] = ("bitround",)

    def __init__(self, keepbits: int) -> None:
        self._keepbits = keepbits

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "keepbits")
        return cls(min(_MAX_BITS, integer(configuration, "keepbits", minimum=1)))

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        if _part(spec.dtype) is None:
            raise MetadataError(f"expected elements that are numbers, found {spec.dtype}", member=self.name)
        return spec

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return encoded

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        part = _part(spec.dtype)
        if part is None:  # pragma: no cover - encoded_spec sees to it
            return decoded
        values = np.ascontiguousarray(decoded, spec.dtype).reshape(-1)
        rounded = _round_integers if part.kind in "iu" else _round_floats
        return rounded(values.view(part), self._keepbits).view(spec.dtype).reshape(spec.shape)


def _part(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The type of the integers or floating-point numbers in the elements; None if they are not numbers."""
    if dtype.kind in "mM":
        return np.dtype("<i8")
    if dtype.kind == "c" or (is_small_number(dtype) and "complex" in dtype.name):
        return part_of_complex(dtype)
    if dtype.kind in "iuf" or (is_small_number(dtype) and "float" in dtype.name):
        return dtype
    return None


def _round_floats(values: AnyArray, keepbits: int) -> AnyArray:
    mantissa, largest = finite_range(values.dtype)
    if keepbits >= mantissa:
        return values
    bits = values.view(f"u{values.dtype.itemsize}")
    drop = bits.dtype.type(mantissa - keepbits)
    down, up = _neighbours(bits, drop)
    with np.errstate(invalid="ignore"):
        # NaN and infinity are not rounded, and a number never becomes one of them: its mantissa is cut off instead.
        finite = np.isfinite(values)
        larger = np.abs(up.view(values.dtype))
        fits = (larger <= largest) & (larger >= np.abs(values))
    rounded = np.where(_goes_up(bits, drop) & fits & (up >= down), up, down)
    return np.where(finite, rounded, bits).view(values.dtype)


def _round_integers(values: AnyArray, keepbits: int) -> AnyArray:
    unsigned = np.dtype(f"u{values.dtype.itemsize}")
    negative = values < 0
    bits = values.view(unsigned)
    bits = np.where(negative, -bits, bits)  # the magnitude, even of the lowest number
    drop = np.maximum(_bit_lengths(bits) - keepbits, 0).astype(unsigned)
    down, up = _neighbours(bits, drop)
    largest = unsigned.type(np.iinfo(values.dtype).max)
    rounded = np.where(_goes_up(bits, drop) & (up >= down) & (up <= largest), up, down)
    return np.where(negative, -rounded, rounded).view(values.dtype)


def _neighbours(bits: AnyArray, drop: Any) -> tuple[AnyArray, AnyArray]:
    """The numbers below and above whose ``drop`` lowest bits are zero; the one above may overflow."""
    one = bits.dtype.type(1)
    down = (bits >> drop) << drop
    return down, down + (one << drop)


def _goes_up(bits: AnyArray, drop: Any) -> AnyArray:
    """Whether the nearest neighbour is the one above. A tie goes to the one whose last bit is zero."""
    one = bits.dtype.type(1)
    quantum = one << drop
    rest, half = bits & (quantum - one), quantum >> one
    return np.asarray((drop > 0) & ((rest > half) | ((rest == half) & ((bits & quantum) != 0))))


def _bit_lengths(bits: AnyArray) -> AnyArray:
    """How many bits each number has, counted from its highest set bit."""
    lengths, left = np.zeros(bits.shape, np.int64), bits
    for step in (32, 16, 8, 4, 2, 1):
        if step < 8 * bits.dtype.itemsize:
            shift = bits.dtype.type(step)
            higher = (left >> shift) != 0
            lengths += higher * step
            left = np.where(higher, left >> shift, left)
    return np.asarray(lengths + (bits != 0))
