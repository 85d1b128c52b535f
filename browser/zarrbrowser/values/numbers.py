"""From array elements of any data type to numbers that a colour map or a plot can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import is_small_number
from zarrcore.typing import AnyArray

DRAWABLE = 1e306
"""The largest magnitude that is drawn: axes compute multiples of differences."""
EXACT = 2**53
"""Integers up to here are exact as floats."""
MOST_DATES = 2**62
"""Counts of dates in a wider range are drawn as they are. Integers only up to `EXACT`: their labels are exact."""
_LARGE, _NARROW = 1e9, 1e-6
"""Integers beyond the first one, in a range that is this small a part of them, are drawn relative to the least."""
PLAIN_KINDS = "biufcMm"
"""NumPy kinds that can be drawn: bool, integers, floats, complex, dates and time spans."""


def why_no_picture(dtype: np.dtype[Any]) -> str:
    """A sentence that says why elements of this type cannot be drawn; empty if they can."""
    if dtype.names:
        return "" if drawable_fields(dtype) else "No field of this structure can be drawn."
    if is_plain(dtype):
        return ""
    if dtype.kind in "UST":
        return "The elements are text, which cannot be drawn."
    return "The elements are raw bytes, which cannot be drawn."


def is_plain(dtype: np.dtype[Any]) -> bool:
    """Whether each element is one number, date or time span, which can be drawn."""
    return dtype.kind in PLAIN_KINDS or is_small_number(dtype)


def drawable_fields(dtype: np.dtype[Any]) -> tuple[str, ...]:
    """The fields of a structured type that hold one number each; empty for other types."""
    if dtype.fields is None:
        return ()
    types = {name: dtype.fields[name][0] for name in dtype.names or ()}
    return tuple(name for name, one in types.items() if is_plain(one) and not one.shape)


def numbers_of(values: AnyArray) -> AnyArray:
    """The numbers drawn for ``values``: amplitudes of complex numbers, counts of dates, NaN for NaT.

    The result is an integer, float32 or float64; 64-bit integers stay integers only if a float would lose digits. Bool
    becomes 0 and 1.
    """
    if is_small_number(values.dtype):
        values = values.astype(np.complex64 if "complex" in values.dtype.name else np.float32)
    kind, itemsize = values.dtype.kind, values.dtype.itemsize
    if kind == "c":
        return np.abs(values)
    if kind == "b":
        return values.view(np.uint8)
    if kind in "Mm":
        numbers = values.astype(np.int64).astype(np.float64)
        numbers[np.isnat(values)] = np.nan
        return numbers
    if kind == "f" and itemsize == 2:
        return values.astype(np.float32)
    if itemsize > 8 or (kind in "iu" and itemsize == 8 and not is_long(values)):
        return values.astype(np.float64)
    return values


def is_long(values: AnyArray) -> bool:
    """Whether these are integers that floats cannot represent."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return False
    return bool(int(values.max()) > EXACT or int(values.min()) < -EXACT)


def origin_of(integers: Sequence[AnyArray], most: int = EXACT) -> int:
    """The least of some integers, if floats cannot represent all of them or hardly tell them apart; otherwise 0.

    Args:
        integers: to be drawn on one axis, relative to that origin.
        most: a wider range has none.

    >>> origin_of([np.array([2**60, 2**60 + 3])]), origin_of([np.array([3, 4])])
    (1152921504606846976, 0)
    """
    known = [one for one in integers if one.size]
    if not known:
        return 0
    low, high = min(int(one.min()) for one in known), max(int(one.max()) for one in known)
    largest = max(abs(low), abs(high))
    is_needed = largest > EXACT or (largest > _LARGE and high - low < _NARROW * largest)
    return low if is_needed and high - low < most else 0


def from_offset(values: AnyArray, offset: int) -> AnyArray:
    """Integers as floats relative to one of them; exact if none is further from it than `EXACT`."""
    # Modulo 2**64: the difference itself fits, also where the offset is not a number of the values' type.
    found: AnyArray = (values.astype(np.uint64) - np.uint64(offset % 2**64)).view(np.int64).astype(np.float64)
    return found


def drawing_factor(largest: float) -> float:
    """The factor for drawing numbers up to ``largest``: drawing computes squares, which must not overflow.

    >>> drawing_factor(5.0), drawing_factor(2e300), drawing_factor(2e-200)
    (1.0, 1e-300, 1e+200)
    """
    if largest == 0 or 1e-30 < largest < 1e30:
        return 1.0
    return float(10.0 ** min(300, -math.floor(math.log10(largest))))


def finite(numbers: AnyArray) -> AnyArray:
    """The finite numbers."""
    mask = np.isfinite(numbers) if numbers.dtype.kind == "f" else np.True_
    return numbers if mask.all() else numbers[mask]


def drawable(value: float) -> float:
    """``value``, or the nearest number that can be drawn."""
    return min(max(value, -DRAWABLE), DRAWABLE)


def meaning_of(dtype: np.dtype[Any]) -> str:
    """The meaning of the drawn numbers if they are not the elements themselves; else empty."""
    if dtype.kind == "c":
        return "amplitude"
    if dtype.kind == "m":
        unit, step = np.datetime_data(dtype)
        return ("" if step == 1 else f"× {step:,} ") + _UNIT_NAMES.get(unit, unit)
    return ""


_UNIT_NAMES = {
    "Y": "years",
    "M": "months",
    "W": "weeks",
    "D": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
}
