"""Real numbers of any data type: the range of a type, and the nearest number of one type to a number of another.

For the codecs ``scale_offset`` and ``cast_value``: neither may lose a value silently.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrcore.metadata.data_type import is_small_number
from zarrcore.metadata.data_type.small_numbers import finite_range, significant_bits
from zarrcore.typing import AnyArray

_EXACT_INTEGERS = 2**53


ROUNDINGS = ("nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away")
"""Ways to choose between two neighbours, as ``cast_value`` names them."""


@dataclass(frozen=True, slots=True)
class RealType:
    """The range of a type of real numbers."""

    dtype: np.dtype[Any]
    """The type, little-endian."""
    is_integer: bool
    """Integers; otherwise floating-point numbers."""
    minimum: int | float
    """The smallest finite number."""
    maximum: int | float
    """The largest finite number."""
    has_infinity: bool
    """Whether there is one."""
    has_nan: bool
    """Whether there is one."""

    @property
    def bits(self) -> int:
        """How many bits a number has."""
        return significant_bits(self.dtype)


def real_type(dtype: np.dtype[Any]) -> RealType | None:
    """The range of a dtype; None if it is not one of real numbers.

    >>> real_type(np.dtype("<i2")).maximum
    32767
    """
    small = is_small_number(dtype)
    if dtype.kind in "iu" or (small and "int" in dtype.name):
        bits, unsigned = significant_bits(dtype), dtype.kind == "u" or dtype.name.startswith("uint")
        low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return RealType(dtype, True, low, high, False, False)
    if (dtype.kind != "f" and not (small and "float" in dtype.name)) or dtype.itemsize > 8:
        return None
    with np.errstate(all="ignore"):
        special = np.array([math.inf, math.nan]).astype(dtype).astype(np.float64)
        least = float(np.array(-1).astype(dtype).astype(np.float64))
    largest = finite_range(dtype)[1]
    lowest = -largest if least == -1 else float(np.array([0], np.uint8).view(dtype)[0])
    return RealType(dtype, False, lowest, largest, math.isinf(special[0]), math.isnan(special[1]))


def exact(values: AnyArray) -> AnyArray:
    """The same numbers in a NumPy type that holds all of them: integers in 64 bits, others as float64."""
    kind = real_type(values.dtype)
    if kind is None or not kind.is_integer:
        return values.astype(np.float64)
    return values.astype(np.uint64 if kind.minimum == 0 else np.int64)


def rounded_to_integers(values: AnyArray, rounding: str) -> AnyArray:
    """Floating-point numbers without their fractions."""
    match rounding:
        case "nearest-even":
            return np.rint(values)
        case "towards-zero":
            return np.trunc(values)
        case "towards-positive":
            return np.ceil(values)
        case "towards-negative":
            return np.floor(values)
    whole = np.trunc(values)
    return whole + np.where(np.abs(values - whole) >= 0.5, np.copysign(1.0, values), 0.0)


def rounded_to_floats(values: AnyArray, kind: RealType, rounding: str) -> tuple[AnyArray, AnyArray]:
    """Finite float64 numbers as numbers of ``kind``, and a mask of those beyond its range even when rounded.

    The result of a NumPy cast is at most one step off: ml_dtypes rounds twice, and neither offers other ways to round.
    """
    with np.errstate(all="ignore"):
        limits = np.array([kind.minimum, kind.maximum])
        cast = np.clip(values, *limits).astype(kind.dtype)
        found = cast.astype(np.float64)
        up = np.where(values > found, _next(cast, limits[1]).astype(np.float64), found)
        down = np.where(values < found, _next(cast, limits[0]).astype(np.float64), found)
        beyond = (values > limits[1]) | (values < limits[0])
        chosen = _chosen(values, down, up, cast, rounding)
        result = np.where(beyond | (down == up), found, chosen).astype(kind.dtype)
    return result, beyond & ~_rounds_into(values, kind, rounding)


def _next(numbers: AnyArray, towards: float) -> AnyArray:
    return np.asarray(np.nextafter(numbers, np.array(towards).astype(numbers.dtype)))


def _chosen(values: AnyArray, down: AnyArray, up: AnyArray, cast: AnyArray, rounding: str) -> AnyArray:
    """One of the two neighbours of each number; ``cast`` is either."""
    positive = values > 0
    match rounding:
        case "towards-zero":
            return np.where(positive, down, up)
        case "towards-positive":
            return up
        case "towards-negative":
            return down
    above, below = up - values, values - down
    tie_goes_up = positive if rounding == "nearest-away" else ~_is_even(down.astype(cast.dtype))
    return np.where((above < below) | ((above == below) & tie_goes_up), up, down)


def _is_even(numbers: AnyArray) -> AnyArray:
    bits = numbers.view(f"u{numbers.dtype.itemsize}")
    return np.asarray((bits & bits.dtype.type(1)) == 0)


def _rounds_into(values: AnyArray, kind: RealType, rounding: str) -> AnyArray:
    """The numbers beyond the range that are rounded to its end.

    As for overflows in IEEE 754, numbers are rounded as if exponents had no limit: those a whole step or more beyond the
    largest number are not rounded into the range, whatever the rounding.
    """
    largest, step = float(kind.maximum), _last_step(kind)
    has_sign = kind.minimum < 0
    positive = values > 0
    if rounding.startswith("nearest"):
        # A tie goes to the even neighbour, which is the largest number itself in some types.
        even = rounding == "nearest-even" and bool(_is_even(np.array([largest]).astype(kind.dtype))[0])
        half = math.nextafter(largest + step / 2, math.inf) if even else largest + step / 2
        return np.abs(values) < half if has_sign else positive & (values < half)
    near = np.abs(values) < largest + step
    if rounding == "towards-zero":
        return near if has_sign else positive & near & (values > largest)
    return near & np.equal(positive, rounding == "towards-negative") & (has_sign | (values > largest))


def _last_step(kind: RealType) -> float:
    """From the largest number to the next, if exponents had no limit."""
    return 2.0 ** (math.frexp(float(kind.maximum))[1] - 1 - finite_range(kind.dtype)[0])


def wrapped(numbers: AnyArray, kind: RealType) -> AnyArray:
    """Whole numbers modulo two to the power of an integer type's bits, as in two's complement."""
    if numbers.dtype.kind == "f":
        magnitude = np.fmod(np.abs(numbers), 2.0**kind.bits).astype(np.uint64)
        low_bits = np.where(numbers < 0, np.uint64(0) - magnitude, magnitude)
    else:
        low_bits = numbers.astype(np.uint64)
    low_bits = low_bits & np.uint64(2**kind.bits - 1)
    if kind.minimum == 0:
        return low_bits.astype(kind.dtype)
    sign = np.uint64(1 << (kind.bits - 1))
    return ((low_bits ^ sign) - sign).view(np.int64).astype(kind.dtype)


def as_float64(numbers: AnyArray, rounding: str, is_last: bool) -> AnyArray:
    """Integers of 64 bits as float64.

    If float64 has too few bits, they are rounded as requested. If another rounding follows, the last bit records that
    something was lost, so that the second rounding sees no false tie.
    """
    near = numbers.astype(np.float64)
    large = (numbers > _EXACT_INTEGERS) | (numbers < -_EXACT_INTEGERS)
    for place in zip(*np.nonzero(large), strict=True):
        near[place] = _float64_of(int(numbers[place]), rounding if is_last else "odd")
    return near


def _float64_of(integer: int, rounding: str) -> float:
    near = float(integer)
    if int(near) == integer:
        return near
    down, up = sorted((near, math.nextafter(near, math.inf if int(near) < integer else -math.inf)))
    match rounding:
        case "odd":
            return up if bool(_is_even(np.array([down]))[0]) else down
        case "towards-zero":
            return down if integer > 0 else up
        case "towards-positive":
            return up
        case "towards-negative":
            return down
        case "nearest-away" if int(up) - integer == integer - int(down):
            return up if integer > 0 else down
        case _:
            return near
