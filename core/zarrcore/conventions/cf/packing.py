"""Packed numbers, and stored numbers that stand for missing values.

CF conventions, 8.1 "Packed Data" and 2.5.1 "Missing data, valid and actual range of data".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.conventions.cf.missing_values import missing_values_of, valid_range_of
from zarrcore.conventions.values import items, number


@dataclass(frozen=True, slots=True)
class Packing:
    """How values follow from stored numbers: value = stored × scale + offset."""

    scale: float = 1.0
    offset: float = 0.0
    missing: tuple[float, ...] = ()
    """Stored numbers that mark missing values; whole ones as integers, which have more digits than a float."""
    valid: tuple[float, float] | None = None
    """The least and the greatest stored number that is a value; ±inf without a bound, None without both."""

    @property
    def is_packed(self) -> bool:
        """Whether stored numbers differ from the values."""
        return self.scale != 1.0 or self.offset != 0.0

    def is_missing(self, stored: NDArray[Any]) -> NDArray[np.bool_] | None:
        """A mask of stored numbers that stand for missing values, NaN apart; None if there are none."""
        return any_of(among(stored, self.missing), outside(stored, self.valid))

    def unpacked(self, stored: NDArray[Any]) -> NDArray[Any]:
        """The values of stored numbers, NaN for missing ones; float64 unless they are floats without a scale, as in xarray."""
        is_missing = self.is_missing(stored)
        if not self.is_packed and is_missing is None:
            return stored
        if not self.is_packed and stored.dtype.kind == "f":
            values = stored.copy()
        else:
            values = stored.astype(np.float64)
            values *= self.scale
            values += self.offset
        if is_missing is not None:
            values[is_missing] = np.nan
        return values


def packing_of(array: Any) -> Packing | None:
    """The packing in an array's attributes, or None."""
    if not may_be_packed(array.dtype):
        return None
    listed = [value for told in missing_values_of(array).values() for value in np.ravel(told).tolist()]
    missing = [value for value in dict.fromkeys(listed) if not math.isnan(value)]
    scale, offset = (_told(array.attributes.get(name)) for name in ("scale_factor", "add_offset"))
    plain = Packing(1.0 if scale is None else scale, 0.0 if offset is None else offset, tuple(missing))
    valid = _stored_range(valid_range_of(array.attributes), array.dtype, plain)
    if not missing and scale is None and offset is None and valid is None:
        return None
    return replace(plain, valid=valid)


def _stored_range(
    valid: tuple[float, float] | None, dtype: np.dtype[Any], packing: Packing
) -> tuple[float, float] | None:
    """A valid range in stored numbers.

    CF conventions 2.5.1: it is stored like the elements. The NetCDF User's Guide, "Attribute Conventions", reads bounds of the
    type of ``scale_factor`` as values. So floats are values if packed elements are integers.
    """
    if valid is None or not packing.is_packed or dtype.kind not in "iu":
        return valid
    if all(isinstance(bound, int) or math.isinf(bound) for bound in valid) or packing.scale == 0:
        return valid
    low, high = sorted((bound - packing.offset) / packing.scale for bound in valid)
    # Half a step more, since the bounds are rounded differently from the elements.
    return low - 0.5, high + 0.5


def may_be_packed(dtype: np.dtype[Any]) -> bool:
    """Whether elements of a type may be packed numbers."""
    return dtype.kind in "iuf" and not dtype.names


def _told(value: Any) -> float | None:
    """The first finite number in an attribute, which is a number, a list, or something else."""
    listed = items(value) if not isinstance(value, int | float) else [value]
    return next((found for one in listed if (found := number(one)) is not None), None)


def among(values: NDArray[Any], numbers: tuple[float, ...]) -> NDArray[np.bool_] | None:
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


def outside(values: NDArray[Any], valid: tuple[float, float] | None) -> NDArray[np.bool_] | None:
    """A mask of elements outside a valid range; None if none is."""
    if valid is None:
        return None
    with np.errstate(invalid="ignore"):
        found = (values < valid[0]) | (values > valid[1])
    return found if found.any() else None


def _holds(info: Any, value: float) -> bool:
    return bool(info.min <= value <= info.max and value == int(value))
