"""The stored number for a typed value of packed data.

CF conventions, 8.1 "Packed Data": value = stored × scale + offset. A typed value that no stored number stands for is refused:
a rounded one would not be what the user typed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from zarrbrowser.editing.element_text import ElementTextError, number_in, whole_number
from zarrcore.conventions.cf import Packing, outside

_NEAR = 1e-6
"""How far a packed value may be from a whole number, in steps: scales are decimal fractions, which floats round."""


def stored_number(text: str, dtype: np.dtype[Any], packing: Packing) -> Any:
    """The stored number whose unpacked value is the typed one; for ``nan``, the one that marks missing values.

    Args:
        text: what the user typed.
        dtype: the data type of stored numbers: integers or floats.
        packing: how they are unpacked.

    Raises:
        ElementTextError: no stored number stands for it, or only one that marks missing values.

    >>> stored_number("12.3", np.dtype("i2"), Packing(scale=0.1))
    np.int16(123)
    >>> stored_number("nan", np.dtype("i2"), Packing(scale=0.1, missing=(-999,)))
    np.int16(-999)
    >>> stored_number("1.23", np.dtype("i2"), Packing(scale=0.1))
    Traceback (most recent call last):
    ...
    zarrbrowser.editing.element_text.ElementTextError: 1.23 cannot be stored in steps of 0.1: the nearest values are 1.2 and 1.3
    """
    value = number_in(text)
    if math.isnan(value):
        return _missing(dtype, packing)
    whole = None if packing.is_scaled or dtype.kind == "f" else _whole(text)
    stored = _packed(value, dtype, packing) if whole is None else _stored(whole, dtype, packing)
    if outside(np.asarray(stored), packing.valid) is not None:
        raise ElementTextError(f"{text.strip()} is outside the valid range, {_valid_range(packing, dtype)}")
    if packing.is_missing(np.asarray(stored)) is not None:
        raise ElementTextError(
            f"{text.strip()} would be stored as {stored}, which marks a missing value: type nan for a missing value"
        )
    return stored


def _whole(text: str) -> int | None:
    """The integer in a text, with all its digits: a float has too few for 64 bits; None if it is written otherwise."""
    try:
        return whole_number(text)
    except ElementTextError:
        return None


def _packed(value: float, dtype: np.dtype[Any], packing: Packing) -> Any:
    if packing.scale == 0:
        raise ElementTextError("the scale of these numbers is 0: show stored numbers, and change those")
    steps = (value - packing.offset) / packing.scale
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            number = dtype.type(steps)
        if math.isfinite(value) and not np.isfinite(number):
            raise ElementTextError(f"{value} is too large for {dtype.name}")
        return number
    if not math.isfinite(steps):
        raise ElementTextError(f"{value} is not possible in packed integers")
    nearest = round(steps)
    if abs(steps - nearest) > max(_NEAR, abs(steps) * 1e-12):
        around = sorted(one * packing.scale + packing.offset for one in (math.floor(steps), math.ceil(steps)))
        raise ElementTextError(
            f"{value:.12g} cannot be stored in steps of {packing.scale:.12g}: "
            f"the nearest values are {around[0]:.12g} and {around[1]:.12g}"
        )
    return _stored(nearest, dtype, packing)


def _stored(number: int, dtype: np.dtype[Any], packing: Packing) -> Any:
    """The stored number for one that is scaled to a value."""
    whole = packing.type_of(dtype)
    info = np.iinfo(whole)
    if not info.min <= number <= info.max:
        texts = [_value(one, packing) for one in (int(info.min), int(info.max), number)]
        low, high = texts[:2] if packing.scale > 0 else texts[1::-1]
        raise ElementTextError(f"values from {low} to {high} can be stored, not {texts[2]}")
    return packing.stored(np.asarray(number, whole))[()]


def _value(number: int, packing: Packing) -> str:
    return f"{number * packing.scale + packing.offset:.12g}" if packing.is_scaled else str(number)


def _valid_range(packing: Packing, dtype: np.dtype[Any]) -> str:
    told = packing.valid or ()
    is_cyclic = packing.kind is not None and all(map(math.isfinite, told))
    bounds = packing.reinterpreted(np.asarray(told, dtype)).tolist() if is_cyclic else told
    low, high = sorted(bound * packing.scale + packing.offset for bound in bounds)
    return f"{low:.12g} to {high:.12g}"


def _missing(dtype: np.dtype[Any], packing: Packing) -> Any:
    if dtype.kind == "f":
        return dtype.type(np.nan)
    info = np.iinfo(dtype)
    for one in packing.missing:
        if info.min <= one <= info.max and one == int(one):
            return dtype.type(int(one))
    raise ElementTextError("no stored number marks a missing value: the attributes name none")
