"""From array elements of any data type to numbers that a colour map or a plot can show."""

from __future__ import annotations

from typing import Any

import numpy as np

from zarrbrowser.session.nodes import AnyArray, is_small_number

DRAWABLE = 1e150
"""The largest magnitude that is drawn: the square of a larger one, which drawing takes, is no number."""
PLAIN_KINDS = "biufcMm"
"""NumPy kinds that have a picture: bool, integers, floats, complex, dates and time spans."""


def why_no_picture(dtype: np.dtype[Any]) -> str:
    """One sentence that says why elements of this type cannot be drawn; empty where they can."""
    if dtype.names:
        return (
            "" if drawable_fields(dtype) else "No field of this structure holds a number that could be drawn."
        )
    if _is_plain(dtype):
        return ""
    if dtype.kind in "UST":
        return "The elements are text, which has no picture."
    return "The elements are raw bytes without a meaning that could be drawn."


def _is_plain(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in PLAIN_KINDS or is_small_number(dtype)


def drawable_fields(dtype: np.dtype[Any]) -> tuple[str, ...]:
    """The fields of a structure that hold one number each; empty for other types."""
    if dtype.fields is None:
        return ()
    types = {name: dtype.fields[name][0] for name in dtype.names or ()}
    return tuple(name for name, one in types.items() if _is_plain(one) and not one.shape)


def numbers_of(values: AnyArray) -> AnyArray:
    """What is drawn for ``values``: complex numbers by amplitude, dates by their count, no date as NaN.

    The result is bool, an integer of at most 32 bits, or float32 or float64. Bool becomes 0 and 1.
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
    if itemsize > 8 or (kind in "iu" and itemsize == 8):
        return values.astype(np.float64)
    return values


def finite(numbers: AnyArray) -> AnyArray:
    """The numbers that are neither infinite nor NaN."""
    mask = np.isfinite(numbers) if numbers.dtype.kind == "f" else np.True_
    return numbers if mask.all() else numbers[mask]


def drawable(value: float) -> float:
    """``value``, or the nearest one that can be drawn."""
    return min(max(value, -DRAWABLE), DRAWABLE)


def meaning_of(dtype: np.dtype[Any]) -> str:
    """What the drawn numbers mean where they are not the elements themselves; empty where they are."""
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
