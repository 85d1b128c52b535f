"""Packed numbers, and stored numbers that stand for missing values.

CF conventions, 8.1 "Packed Data" and 2.5.1 "Missing data, valid and actual range of data". NetCDF User's Guide, Appendix A
"Attribute Conventions", for ``_Unsigned``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.conventions.cf.missing_values import missing_values_of, valid_range_of
from zarrcore.conventions.cf.signedness import (
    NOTHING,
    Kind,
    kind_of,
    reinterpreted_bound,
    reinterpreted_type,
    stored_range,
)
from zarrcore.conventions.values import items, number
from zarrcore.typing import AnyArray


@dataclass(frozen=True, slots=True)
class Packing:
    """How values follow from stored numbers: value = stored × scale + offset, with integers reinterpreted before that."""

    scale: float = 1.0
    offset: float = 0.0
    missing: tuple[float, ...] = ()
    """Stored numbers that mark missing values; whole ones as integers, which have more digits than a float."""
    valid: tuple[float, float] | None = None
    """The least and the greatest stored number that is a value; ±inf without a bound, None without both. See `outside`."""
    kind: Kind | None = None
    """The kind of integers as which stored ones are reinterpreted, without a change of their bytes; None if they are not."""
    is_single: bool = False
    """Whether the values are float32, as scale and offset are, instead of float64."""

    @property
    def is_scaled(self) -> bool:
        """Whether there is a scale or an offset."""
        return self.scale != 1.0 or self.offset != 0.0

    @property
    def is_packed(self) -> bool:
        """Whether stored numbers differ from the values."""
        return self.is_scaled or self.kind is not None

    @property
    def description(self) -> str:
        """How values follow from stored numbers, in words."""
        stored = {None: "stored", "u": "stored, read as unsigned", "i": "stored, read as signed"}[self.kind]
        return f"{stored} × {self.scale:g} + {self.offset:g}" if self.is_scaled else stored

    def reinterpreted(self, stored: AnyArray) -> AnyArray:
        """The same bytes as integers of the kind that ``_Unsigned`` names."""
        return stored if self.kind is None else stored.view(self.type_of(stored.dtype))

    def type_of(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """The type of the numbers that are scaled, for stored ones of a type."""
        return dtype if self.kind is None else reinterpreted_type(dtype, self.kind)

    def stored(self, numbers: AnyArray) -> AnyArray:
        """The stored numbers that are reinterpreted as these: the inverse of `reinterpreted`."""
        if self.kind is None:
            return numbers
        return numbers.view(reinterpreted_type(numbers.dtype, "i" if self.kind == "u" else "u"))

    def is_missing(self, stored: AnyArray) -> NDArray[np.bool_] | None:
        """A mask of stored numbers that stand for missing values, NaN apart; None if there are none."""
        return any_of(among(stored, self.missing), outside(stored, self.valid))

    def unpacked(self, stored: AnyArray) -> AnyArray:
        """The values of stored numbers, NaN for missing ones, as in xarray: floats without a scale as they are, others float64.

        With a scale of float32, they are float32 unless that has too few digits.
        """
        is_missing = self.is_missing(stored)
        numbers = self.reinterpreted(stored)
        if not self.is_scaled and is_missing is None:
            return numbers
        if not self.is_scaled and numbers.dtype.kind == "f":
            values = numbers.copy()
        else:
            values = numbers.astype(np.float32 if self.is_single else np.float64)
            values *= self.scale
            values += self.offset
        if is_missing is not None:
            values[is_missing] = np.nan
        return values


def packing_of(array: Any) -> Packing | None:
    """The packing in an array's attributes, or None."""
    dtype = array.dtype
    if not may_be_packed(dtype):
        return None
    attributes = array.attributes
    listed = [value for told in missing_values_of(array).values() for value in np.ravel(told).tolist()]
    missing = [value for value in dict.fromkeys(listed) if not math.isnan(value)]
    scale, offset = (_told(attributes.get(name)) for name in ("scale_factor", "add_offset"))
    kind = kind_of(attributes, dtype)
    plain = Packing(
        1.0 if scale is None else scale,
        0.0 if offset is None else offset,
        tuple(missing),
        None,
        kind,
        # xarray takes an integer beside a float32 as too precise for float32.
        not isinstance(attributes.get("add_offset"), int) and _is_single(scale, offset, dtype),
    )
    valid = _stored_range(valid_range_of(attributes), dtype, plain)
    if not missing and scale is None and offset is None and valid is None and kind is None:
        return None
    return replace(plain, valid=valid)


def _is_single(scale: float | None, offset: float | None, dtype: np.dtype[Any]) -> bool:
    """Whether xarray unpacks to float32: the scale is one, the offset too, and integers do not have 4 bytes beside an offset."""
    if scale is None or not is_single_precision(scale):
        return False
    return offset is None or (
        float(np.float32(offset)) == offset and not (dtype.kind in "iu" and dtype.itemsize == 4)
    )


def is_single_precision(number: float) -> bool:
    """Whether a number in JSON was a float32: as a double it has more digits than it had then, such as 0.10000000149011612.

    >>> [is_single_precision(number) for number in (0.1, float(np.float32(0.1)), 0.5)]
    [False, True, False]
    """
    with np.errstate(over="ignore"):
        single = np.float32(number)
    return float(single) == number and float(str(single)) != number


def _stored_range(
    valid: tuple[float, float] | None, dtype: np.dtype[Any], packing: Packing
) -> tuple[float, float] | None:
    """A valid range in stored numbers.

    CF conventions 2.5.1: it is stored like the elements. The NetCDF User's Guide, "Attribute Conventions", reads bounds of the
    type of ``scale_factor`` as values. So floats are values if packed elements are integers.
    """
    if valid is None:
        return None
    low, high = valid
    is_of_values = dtype.kind in "iu" and packing.is_scaled and not all(map(_is_whole, valid))
    if is_of_values and packing.scale != 0:
        low, high = sorted((bound - packing.offset) / packing.scale for bound in valid)
        # Half a step more, since the bounds are rounded differently from the elements.
        low, high = low - 0.5, high + 0.5
    if packing.kind is not None:
        if not is_of_values:
            low, high = (reinterpreted_bound(bound, dtype, packing.kind) for bound in valid)
        return stored_range(low, high, dtype, packing.kind)
    return (low, high) if low <= high else NOTHING


def _is_whole(bound: float) -> bool:
    return isinstance(bound, int) or math.isinf(bound)


def may_be_packed(dtype: np.dtype[Any]) -> bool:
    """Whether elements of a type may be packed numbers."""
    return dtype.kind in "iuf" and not dtype.names


def _told(value: Any) -> float | None:
    """The first finite number in an attribute, which is a number, a list, or something else."""
    listed = items(value) if not isinstance(value, int | float) else [value]
    return next((found for one in listed if (found := number(one)) is not None), None)


def among(values: AnyArray, numbers: tuple[float, ...]) -> NDArray[np.bool_] | None:
    """A mask of elements that equal one of the numbers; None if none does."""
    from zarrcore.metadata.data_type import is_small_number  # late: for a fast start of the window

    found = None
    if values.dtype.kind not in "biuf" or is_small_number(values.dtype):
        return None
    for one in numbers:
        if values.dtype.kind in "iu" and not _holds(np.iinfo(values.dtype), one):
            continue
        try:
            mask = values == values.dtype.type(one)
        except OverflowError:  # an integer beyond every float
            continue
        if mask.any():
            found = mask if found is None else found | mask
    return found


def any_of(*masks: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """The elements in any of the masks; None if there is no mask."""
    found = None
    for mask in masks:
        if mask is not None:
            found = mask if found is None else found | mask
    return found


def outside(values: AnyArray, valid: tuple[float, float] | None) -> NDArray[np.bool_] | None:
    """A mask of elements outside a valid range; None if none is.

    A finite range that starts above its end goes on from the least number (see `signedness.stored_range`).
    """
    if valid is None:
        return None
    low, high = valid
    with np.errstate(invalid="ignore"):
        below, above = values < low, values > high
        found = below & above if math.inf > low > high else below | above
    return found if found.any() else None


def _holds(info: Any, value: float) -> bool:
    return bool(info.min <= value <= info.max and value == int(value))
