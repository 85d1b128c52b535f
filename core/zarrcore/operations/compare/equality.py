"""Equality of elements: which elements of two NumPy arrays of one shape differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrcore.metadata.data_type import is_small_number
from zarrcore.typing import AnyArray

_NUMBERS = "biufc"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Which numbers are equal: those with ``|a - b| <= atol + rtol * |b|``, as in `numpy.isclose`."""

    rtol: float = 0.0
    """The relative tolerance."""
    atol: float = 0.0
    """The absolute tolerance."""
    equal_nan: bool = True
    """Whether NaN equals NaN, and NaT equals NaT."""

    @property
    def is_exact(self) -> bool:
        """Whether numbers must be the same."""
        return not (self.rtol or self.atol)


def are_comparable(one: np.dtype[Any], other: np.dtype[Any]) -> bool:
    """Whether elements of two types can be equal: the same type, or two types of numbers, of text, or of time.

    >>> are_comparable(np.dtype("i2"), np.dtype("f8")), are_comparable(np.dtype("i2"), np.dtype("U3"))
    (True, False)
    """
    if one == other:
        return True
    if _is_number(one) and _is_number(other):
        return True
    return (one.kind == other.kind and one.kind in "mM") or {one.kind, other.kind} == {"T", "U"}


def differing(one: AnyArray, other: AnyArray, tolerance: Tolerance) -> AnyArray:
    """Where the elements of two arrays of one shape differ: booleans of that shape.

    >>> differing(np.array([1.0, np.nan, 3.0]), np.array([1.0, np.nan, 4.0]), Tolerance()).tolist()
    [False, False, True]
    """
    if one.dtype.names is not None:
        return _differing_records(one, other, tolerance)
    if one.dtype.kind == "O" or other.dtype.kind == "O":
        differs = np.frompyfunc(lambda a, b: not _same_object(a, b, tolerance), 2, 1)
        return np.asarray(differs(one, other), bool)
    if one.dtype.kind == "U" and other.dtype.kind == "T":
        one = one.astype(other.dtype)
    elif one.dtype.kind == "T" and other.dtype.kind == "U":
        other = other.astype(one.dtype)
    one, other = _widened(one), _widened(other)
    with np.errstate(all="ignore"):  # of signalling NaNs, and of differences that overflow
        return _differing_values(one, other, tolerance)


def largest_difference(one: AnyArray, other: AnyArray) -> float | None:
    """The largest absolute difference of two arrays of numbers; None if they are not numbers, or it is not finite."""
    if not (_is_number(one.dtype) and _is_number(other.dtype)):
        return None
    one, other = (_widened(values).astype(_float_of(values.dtype)) for values in (one, other))
    with np.errstate(all="ignore"):
        distance = np.abs(one - other)
    finite = distance[np.isfinite(distance)]
    return float(finite.max()) if finite.size else None


def _differing_records(one: AnyArray, other: AnyArray, tolerance: Tolerance) -> AnyArray:
    found = np.zeros(one.shape, bool)
    for name in one.dtype.names or ():
        members = differing(one[name], other[name], tolerance)
        found |= members.any(axis=tuple(range(one.ndim, members.ndim)))  # a member may be an array
    return found


def _differing_values(one: AnyArray, other: AnyArray, tolerance: Tolerance) -> AnyArray:
    differs = np.asarray(one != other)
    numbers = one.dtype.kind in _NUMBERS and other.dtype.kind in _NUMBERS
    if numbers and not tolerance.is_exact and differs.any():
        differs &= ~np.isclose(one, other, tolerance.rtol, tolerance.atol)
    if tolerance.equal_nan and {one.dtype.kind, other.dtype.kind} <= set("fcmM") and differs.any():
        is_not = np.isnat if one.dtype.kind in "mM" else np.isnan
        differs &= ~(is_not(one) & is_not(other))
    return differs


def _same_object(one: Any, other: Any, tolerance: Tolerance) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and not differing(one, other, tolerance).any()
    return type(one) is type(other) and bool(one == other)


def _is_number(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in _NUMBERS or is_small_number(dtype)


def _widened(values: AnyArray) -> AnyArray:
    """The numbers of ml_dtypes as numbers of NumPy, which hold each of them exactly."""
    return values.astype(_float_of(values.dtype)) if is_small_number(values.dtype) else values


def _float_of(dtype: np.dtype[Any]) -> type:
    is_complex = dtype.kind == "c" or (is_small_number(dtype) and "complex" in dtype.name)
    return np.complex128 if is_complex else np.float64
