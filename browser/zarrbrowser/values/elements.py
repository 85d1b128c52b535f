"""How elements become numbers: a field of a structured type, a part of a complex number, packed or not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import ArrayLike, is_small_number
from zarrbrowser.values.numbers import drawable_fields, numbers_of
from zarrbrowser.values.packing import packing_of
from zarrcore.conventions import symbol
from zarrcore.conventions.cf import Packing, among, any_of, outside
from zarrcore.conventions.cf import packing_of as cf_packing_of
from zarrcore.typing import AnyArray


class Part(Enum):
    """The part of a complex number that is shown."""

    AMPLITUDE = "amplitude"
    PHASE = "phase"
    REAL = "real part"
    IMAGINARY = "imaginary part"


_PARTS: dict[Part, Callable[[AnyArray], AnyArray]] = {
    Part.AMPLITUDE: np.abs,
    Part.PHASE: np.angle,
    Part.REAL: np.real,
    Part.IMAGINARY: np.imag,
}


@dataclass(frozen=True, slots=True)
class Elements:
    """How the numbers are made from the elements."""

    field: str | None = None
    part: Part = Part.AMPLITUDE
    packing: Packing | None = None
    """Applied unless None."""
    fill: tuple[float, ...] = ()
    """Stored numbers that are marked as fill values."""
    valid: tuple[float, float] | None = None
    """The range of stored numbers that are not marked."""
    masks_largest: bool = False
    """Whether the largest number of the type is marked: detectors write it for pixels that do not count."""

    def of(self, values: AnyArray) -> AnyArray:
        """The elements, or their chosen field."""
        return values if self.field is None else values[self.field]

    def integers(self, values: AnyArray) -> AnyArray:
        """The elements, or their chosen field, with integers reinterpreted but not scaled: exact labels."""
        return self.of(values) if self.packing is None else self.packing.reinterpreted(self.of(values))

    @property
    def has_marks(self) -> bool:
        """Whether some stored numbers are marked as missing."""
        return bool(self.fill) or self.valid is not None

    def why_marked(self, values: AnyArray) -> str:
        """Why any of these elements is marked; empty if none is."""
        if among(self.of(values), self.fill) is not None:
            return "fill value"
        if self._masked(self.of(values)) is not None:
            return "masked"
        return "" if self._outside(self.of(values)) is None else "outside the valid range"

    def mask(self, dtype: np.dtype[Any]) -> str:
        """The number of a type that is masked: ``4,294,967,295``; empty if none is."""
        return (
            f"{largest(dtype if self.field is None else dtype[self.field]):,}" if self.masks_largest else ""
        )

    def _masked(self, values: AnyArray) -> AnyArray | None:
        return among(values, (largest(values.dtype),)) if self.masks_largest else None

    def _outside(self, values: AnyArray) -> AnyArray | None:
        return outside(values, self.valid) if values.dtype.kind in "iuf" else None

    def numbers(self, values: AnyArray) -> tuple[AnyArray, AnyArray | None]:
        """Numbers to draw, and a mask of missing values (None if there are none).

        Small numbers are unpacked to float32, which is precise enough for colours.
        """
        stored = self.of(values)
        unpacking = None if self.packing is None else self.packing.is_missing(stored)
        is_fill = any_of(among(stored, self.fill), self._masked(stored), self._outside(stored), unpacking)
        if is_complex(stored.dtype):
            wide = stored.astype(np.complex64) if is_small_number(stored.dtype) else stored
            return np.ascontiguousarray(_PARTS[self.part](wide)), is_fill
        numbers = numbers_of(self.integers(values))
        if self.packing is not None and self.packing.is_scaled:
            kind = np.float32 if numbers.dtype.itemsize <= 2 or self.packing.is_single else np.float64
            numbers = numbers.astype(np.result_type(numbers.dtype, kind))
            numbers *= self.packing.scale
            numbers += self.packing.offset
        return numbers, is_fill

    def known(self, values: AnyArray) -> AnyArray:
        """Numbers as floats for statistics and plots, with NaN for fill values."""
        numbers, is_fill = self.numbers(values)
        if self.packing is not None:
            numbers = numbers_of(self.packing.unpacked(self.of(values)))
        if is_fill is None:
            return numbers
        result = numbers.astype(np.float64)
        result[is_fill] = np.nan
        return result


def may_mask(dtype: np.dtype[Any]) -> bool:
    """Whether the largest number of a type may be a mask: detectors count in unsigned integers, of more than 8 bits."""
    return dtype.kind == "u" and dtype.itemsize > 1


def largest(dtype: np.dtype[Any]) -> int:
    """The largest number of an integer type; 0 of any other."""
    return int(np.iinfo(dtype).max) if dtype.kind in "iu" else 0


def is_complex(dtype: np.dtype[Any]) -> bool:
    """Whether elements have an amplitude and a phase."""
    return dtype.kind == "c" or (is_small_number(dtype) and "complex" in dtype.name)


def unpacking_of(array: ArrayLike) -> Packing | None:
    """How stored numbers become values; None if they are the values.

    Integers without a scale stay integers, with marks for missing ones: floats cannot represent all of them.
    """
    return _unpacking(array, packing_of(array))


def _unpacking(array: ArrayLike, packing: Packing | None) -> Packing | None:
    if packing is None or packing.is_scaled or array.dtype.kind == "f":
        return packing
    return Packing(kind=packing.kind) if packing.is_packed else None


def elements_of(array: ArrayLike, *, is_unpacked: bool = True, is_picture: bool = False) -> Elements:
    """The numbers to show first: those that CF or NeXus names, of the first field that can be drawn.

    Args:
        is_picture: whether it may be from a detector, which masks pixels: neither curves nor labels are.
    """
    fields, packing = drawable_fields(array.dtype), packing_of(array)
    # No count reaches the largest number of 32 bits; of 16 bits, it may be a saturated pixel.
    masks = (
        is_picture and array.dtype.itemsize >= 4 and may_mask(array.dtype) and cf_packing_of(array) is None
    )
    return Elements(
        fields[0] if fields else None,
        packing=_unpacking(array, packing) if is_unpacked else None,
        fill=packing.missing if packing is not None else (),
        valid=packing.valid if packing is not None else None,
        masks_largest=masks,
    )


def with_marks(elements: Elements, array: ArrayLike, *, is_on: bool) -> Elements:
    """The same elements with the missing values of an array marked, by default its fill value, or without marks."""
    if not is_on:
        return replace(elements, fill=(), valid=None)
    told = elements_of(array)
    return replace(elements, fill=told.fill if told.has_marks else fill_of(array), valid=told.valid)


def unit_of(array: ArrayLike, elements: Elements) -> str:
    """The symbol of the unit of the numbers; empty without one, and for stored numbers that are packed."""
    unit = array.attributes.get("units")
    packing = packing_of(array) if isinstance(unit, str) and elements.packing is None else None
    is_stored = packing is not None and packing.is_packed
    return symbol(unit) if isinstance(unit, str) and not is_stored else ""


def fill_of(array: ArrayLike) -> tuple[float, ...]:
    """The fill value, if it is a finite number."""
    if array.dtype.kind not in "biuf" or array.fill_value is None or is_small_number(array.dtype):
        return ()
    number = np.asarray(array.fill_value).item()
    number = int(number) if array.dtype.kind == "b" else number
    return (number,) if math.isfinite(number) else ()
