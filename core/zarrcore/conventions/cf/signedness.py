"""Integers of the other signedness than the data type's: the attribute ``_Unsigned``.

NetCDF User's Guide, Appendix A "Attribute Conventions": NetCDF-3 has no unsigned integers, so ``_Unsigned = "true"`` says that
the bytes of signed ones are unsigned. As in xarray, ``"false"`` says that unsigned ones are signed: all bytes of OPeNDAP are
unsigned.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np

Kind = Literal["i", "u"]
"""The kind of a NumPy type of integers: signed or unsigned."""
NOTHING: Final = (math.inf, -math.inf)
"""A range without any number."""


def kind_of(attributes: Mapping[str, Any], dtype: np.dtype[Any]) -> Kind | None:
    """The kind as which integers of a type are reinterpreted; None if they are not.

    >>> kind_of({"_Unsigned": "true"}, np.dtype("i1")), kind_of({"_Unsigned": "true"}, np.dtype("u1"))
    ('u', None)
    """
    told = attributes.get("_Unsigned")
    told = str(told).lower() if isinstance(told, str | bool) else ""
    if told == "true" and dtype.kind == "i":
        return "u"
    return "i" if told == "false" and dtype.kind == "u" else None


def reinterpreted_type(dtype: np.dtype[Any], kind: Kind) -> np.dtype[Any]:
    """The type of integers of a kind, with the size and the byte order of another one.

    >>> reinterpreted_type(np.dtype(">i2"), "u")
    dtype('>u2')
    """
    return np.dtype(f"{dtype.byteorder}{kind}{dtype.itemsize}")


def reinterpreted_bound(bound: float, dtype: np.dtype[Any], kind: Kind) -> float:
    """A bound of a range as a reinterpreted number: one that only the stored type can hold is a stored number.

    >>> reinterpreted_bound(-6, np.dtype("i1"), "u"), reinterpreted_bound(250, np.dtype("i1"), "u")
    (250, 250)
    """
    stored, new = np.iinfo(dtype), np.iinfo(reinterpreted_type(dtype, kind))
    if not stored.min <= bound <= stored.max or new.min <= bound <= new.max:
        return bound
    span = stored.max - stored.min + 1
    return bound + span if kind == "u" else bound - span


def stored_range(low: float, high: float, dtype: np.dtype[Any], kind: Kind) -> tuple[float, float]:
    """A range of reinterpreted integers as a range of stored ones.

    It may start above its end, and then goes from there to the greatest stored number and on from the least one.

    Args:
        low: the least number, -inf if there is no bound.
        high: the greatest number, +inf if there is no bound.
        dtype: the type of the stored numbers.
        kind: the kind as which they are reinterpreted.

    >>> stored_range(10, 250, np.dtype("i1"), "u")
    (10, -6)
    """
    stored, new = np.iinfo(dtype), np.iinfo(reinterpreted_type(dtype, kind))
    span = stored.max - stored.min + 1
    if low > high:
        return NOTHING
    first = new.min if low <= new.min else math.ceil(low)
    last = new.max if high >= new.max else math.floor(high)
    if first > last:
        return NOTHING
    if (first, last) == (new.min, new.max):
        return -math.inf, math.inf
    first, last = ((one - stored.min) % span + stored.min for one in (first, last))
    return first, last
