"""How elements are taken for numbers: a field of a structure, a part of a complex number, packed or as they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import AnyArray, ArrayLike, is_small_number
from zarrbrowser.values.numbers import numbers_of


class Part(Enum):
    """What of a complex number is shown."""

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
    """What the attributes say of stored numbers (CF conventions, 8.1 "Packed data" and 2.5.1 "Missing data")."""

    scale: float = 1.0
    offset: float = 0.0
    missing: tuple[float, ...] = ()
    """Stored numbers that stand for no value; whole ones as integers, which have more digits than a float."""

    @property
    def is_packed(self) -> bool:
        """Whether stored numbers are not the values."""
        return self.scale != 1.0 or self.offset != 0.0

    def unpacked(self, values: AnyArray) -> AnyArray:
        """The values of stored numbers, NaN where there is none: float64, as xarray calculates with what JSON tells."""
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
    """Which numbers are made of elements."""

    field: str | None = None
    part: Part = Part.AMPLITUDE
    packing: Packing | None = None
    """Applied where it is given."""
    fill: tuple[float, ...] = ()
    """Stored numbers that are shown apart."""

    def of(self, values: AnyArray) -> AnyArray:
        """The elements as they are, out of their structure."""
        return values if self.field is None else values[self.field]

    def is_fill(self, values: AnyArray) -> bool:
        """Whether any of these elements is shown apart."""
        return _among(self.of(values), self.fill) is not None

    def numbers(self, values: AnyArray) -> tuple[AnyArray, AnyArray | None]:
        """Numbers to draw, and where the fill value stands (None where nowhere).

        Small numbers are unpacked to float32, which colours need no more of.
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
        """Numbers as floats where what is shown apart is NaN: what statistics and plots are of."""
        numbers, is_fill = self.numbers(values)
        if self.packing is not None:
            numbers = numbers_of(self.packing.unpacked(self.of(values)))
        if is_fill is None:
            return numbers
        result = numbers.astype(np.float64)
        result[is_fill] = np.nan
        return result


def _among(values: AnyArray, numbers: tuple[float, ...]) -> AnyArray | None:
    """Where elements equal one of the numbers; None where none does."""
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


def packing_of(array: ArrayLike) -> Packing | None:
    """What an array's attributes say of its numbers; None where they say nothing."""
    attributes: Mapping[str, Any] = array.attributes
    if array.dtype.kind not in "iuf" or array.dtype.names:
        return None
    listed = [number for told in array.missing_values.values() for number in np.ravel(told).tolist()]
    missing = [number for number in dict.fromkeys(listed) if not math.isnan(number)]
    scale, offset = _told(attributes.get("scale_factor")), _told(attributes.get("add_offset"))
    if not missing and not scale and not offset:
        return None
    return Packing(scale[0] if scale else 1.0, offset[0] if offset else 0.0, tuple(missing))


def _told(value: Any) -> list[float]:
    """Finite numbers out of an attribute: one, a list, or none."""
    listed = value if isinstance(value, list | tuple) else [value]
    numbers = [float(one) for one in listed if isinstance(one, int | float) and not isinstance(one, bool)]
    return [one for one in numbers if math.isfinite(one)]


def fill_of(array: ArrayLike) -> tuple[float, ...]:
    """The fill value, where it is a number that differs from all others."""
    if array.dtype.kind not in "biuf" or array.fill_value is None or is_small_number(array.dtype):
        return ()
    number = np.asarray(array.fill_value).item()
    number = int(number) if array.dtype.kind == "b" else number
    return (number,) if math.isfinite(number) else ()
