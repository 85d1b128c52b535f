"""How elements become numbers: a field of a structured type, a part of a complex number, packed or not."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import AnyArray, ArrayLike, is_small_number
from zarrbrowser.values.numbers import numbers_of


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
class Packing:
    """The packing of stored numbers in the attributes (CF conventions, 8.1 "Packed data" and 2.5.1 "Missing data")."""

    scale: float = 1.0
    offset: float = 0.0
    missing: tuple[float, ...] = ()
    """Stored numbers that mark missing values; whole ones as integers, which have more digits than a float."""

    @property
    def is_packed(self) -> bool:
        """Whether stored numbers differ from the values."""
        return self.scale != 1.0 or self.offset != 0.0

    def unpacked(self, values: AnyArray) -> AnyArray:
        """The values of stored numbers, NaN for missing ones; float64, as in xarray for attributes from JSON."""
        is_missing = _among(values, self.missing)
        if not self.is_packed and is_missing is None:
            return values
        found = values.astype(np.float64)
        found *= self.scale
        found += self.offset
        if is_missing is not None:
            found[is_missing] = np.nan
        return found


@dataclass(frozen=True, slots=True)
class Elements:
    """How the numbers are made from the elements."""

    field: str | None = None
    part: Part = Part.AMPLITUDE
    packing: Packing | None = None
    """Applied unless None."""
    fill: tuple[float, ...] = ()
    """Stored numbers that are marked as fill values."""

    def of(self, values: AnyArray) -> AnyArray:
        """The elements, or their chosen field."""
        return values if self.field is None else values[self.field]

    def is_fill(self, values: AnyArray) -> bool:
        """Whether any of these elements is a fill value."""
        return _among(self.of(values), self.fill) is not None

    def numbers(self, values: AnyArray) -> tuple[AnyArray, AnyArray | None]:
        """Numbers to draw, and a mask of fill values (None if there are none).

        Small numbers are unpacked to float32, which is precise enough for colours.
        """
        values = self.of(values)
        is_fill = _among(values, self.fill)
        if is_complex(values.dtype):
            wide = values.astype(np.complex64) if is_small_number(values.dtype) else values
            return np.ascontiguousarray(_PARTS[self.part](wide)), is_fill
        numbers = numbers_of(values)
        packing = self.packing
        if packing is None:
            return numbers, is_fill
        missing = _among(values, packing.missing)
        if packing.is_packed or missing is not None:
            kind = np.float32 if numbers.dtype.itemsize <= 2 else np.float64
            numbers = numbers.astype(np.result_type(numbers.dtype, kind))
            numbers *= packing.scale
            numbers += packing.offset
        if missing is not None:
            is_fill = missing if is_fill is None else is_fill | missing
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


def _among(values: AnyArray, numbers: tuple[float, ...]) -> AnyArray | None:
    """A mask of elements that equal one of the numbers; None if none does."""
    found = None
    if values.dtype.kind not in "biuf" or is_small_number(values.dtype):
        return None
    for number in numbers:
        if math.isnan(number) or (values.dtype.kind in "iu" and not _holds(np.iinfo(values.dtype), number)):
            continue
        one = values == values.dtype.type(number)
        if one.any():
            found = one if found is None else found | one
    return found


def _holds(info: Any, number: float) -> bool:
    return bool(math.isfinite(number) and number == int(number) and info.min <= number <= info.max)


def is_complex(dtype: np.dtype[Any]) -> bool:
    """Whether elements have an amplitude and a phase."""
    return dtype.kind == "c" or (is_small_number(dtype) and "complex" in dtype.name)


def may_be_packed(dtype: np.dtype[Any]) -> bool:
    """Whether elements of a type may be packed numbers."""
    return dtype.kind in "iuf" and not dtype.names


def packing_of(array: ArrayLike) -> Packing | None:
    """The packing in an array's attributes, or None."""
    attributes: Mapping[str, Any] = array.attributes
    if not may_be_packed(array.dtype):
        return None
    listed = [number for told in array.missing_values.values() for number in np.ravel(told).tolist()]
    missing = [number for number in dict.fromkeys(listed) if not math.isnan(number)]
    scale, offset = _told(attributes.get("scale_factor")), _told(attributes.get("add_offset"))
    if not missing and not scale and not offset:
        return None
    return Packing(scale[0] if scale else 1.0, offset[0] if offset else 0.0, tuple(missing))


def _told(value: Any) -> list[float]:
    """The finite numbers in an attribute, which is a number, a list, or something else."""
    listed = value if isinstance(value, list | tuple) else [value]
    numbers = [one for one in listed if isinstance(one, int | float) and not isinstance(one, bool)]
    # An integer of JSON may be larger than any float.
    return [float(one) for one in numbers if abs(one) <= sys.float_info.max]


def fill_of(array: ArrayLike) -> tuple[float, ...]:
    """The fill value, if it is a finite number."""
    if array.dtype.kind not in "biuf" or array.fill_value is None or is_small_number(array.dtype):
        return ()
    number = np.asarray(array.fill_value).item()
    number = int(number) if array.dtype.kind == "b" else number
    return (number,) if math.isfinite(number) else ()
