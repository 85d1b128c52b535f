"""Where the axes of plots and colour bars are labelled, and how."""

from __future__ import annotations

import math
from functools import lru_cache

Tick = tuple[float, str]
"""A position, and its label."""
_STEPS = (1, 2, 5, 10)
_IN_FULL_BELOW, _LEAST_IN_FULL = 1e6, -5
"""Smaller numbers are written in full if their last digit is at least at this exponent; others, if that is shorter."""
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number_ticks(low: float, high: float, most: float, least: float = 0.0, offset: int = 0) -> list[Tick]:
    """Round numbers between two others.

    Args:
        least: the smallest distance of two of them.
        offset: added to the written numbers.

    >>> number_ticks(0, 10, 5)
    [(0.0, '0'), (2.0, '2'), (4.0, '4'), (6.0, '6'), (8.0, '8'), (10.0, '10')]
    >>> number_ticks(0, 0.5, 2)
    [(0.0, '0.0'), (0.5, '0.5')]
    """
    wanted = max((high - low) / max(1.0, most), least)
    if not math.isfinite(wanted) or wanted <= 1e-15 * max(abs(low), abs(high)) or wanted < 1e-300:
        return []
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(one * power for one in _STEPS if one * power >= wanted * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(number * step, number_text(number * step, step, offset)) for number in range(first, last + 1)]


@lru_cache(maxsize=1024)  # an axis writes the same numbers at each painting
def number_text(value: float, apart: float, offset: int = 0) -> str:
    """A number as text, with the digits that tell it from its neighbours.

    Args:
        apart: the distance of its neighbours.
        offset: added to the written number.

    >>> number_text(0.30000000000000004, 0.1), number_text(1500.0, 500.0), number_text(2.5e9, 5e8)
    ('0.3', '1,500', '2.5 × 10⁹')
    """
    if offset:
        return f"{offset + round(value):,}"
    if not math.isfinite(value) or not math.isfinite(apart):
        return str(value)
    last = _last_digit(apart)
    if abs(value) <= apart * 1e-6:
        value = 0.0  # no rest of a subtraction, and no negative zero
    if not value:
        return f"{0.0:.{max(0, -last)}f}" if last >= _LEAST_IN_FULL else "0"
    in_full = f"{value:,.{max(0, -last)}f}"
    if abs(value) < _IN_FULL_BELOW and last >= _LEAST_IN_FULL:
        return in_full
    exponent = math.floor(math.log10(abs(value)))
    product = power_text(value / 10.0**exponent, exponent, min(15, max(0, exponent - last)))
    return min(product, in_full, key=len)


def _last_digit(number: float) -> int:
    """The exponent of the last digit of a number that has at most three of them; 0 for zero.

    >>> _last_digit(0.25), _last_digit(2000.0)
    (-2, 3)
    """
    if number <= 0:
        return 0
    first = math.floor(math.log10(number) + 1e-9)
    mantissas = (number / 10.0**first * 10**digits for digits in range(3))
    return first - next((at for at, one in enumerate(mantissas) if abs(one - round(one)) < 1e-6), 2)


def power_text(mantissa: float, exponent: int, digits: int = 0) -> str:
    """A product with a power of ten.

    >>> power_text(2.5, -7, 1), power_text(1, 3)
    ('2.5 × 10⁻⁷', '10³')
    """
    power = f"10{str(exponent).translate(_SUPERSCRIPT)}"
    return power if mantissa == 1 and not digits else f"{mantissa:.{digits}f} × {power}"


def log_ticks(low: float, high: float, most: float) -> list[Tick]:
    """Powers of ten between two exponents; their multiples if there are few, and round numbers if these are few, too.

    >>> log_ticks(0, 3, 5)
    [(0.0, '1'), (1.0, '10'), (2.0, '100'), (3.0, '1,000')]
    """
    step = max(1, math.ceil((high - low) / max(1.0, most)))
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    exponents = [one for one in range(first, last + 1) if one % step == 0]
    ticks = [(float(one), power_of_ten(one)) for one in exponents]
    if len(ticks) < 3:
        between = _multiples(low, high)
        ticks += between if not ticks or len(ticks) + len(between) <= most + 1 else []
    if len(ticks) < 2 and low > -300 and high < 300:
        numbers = number_ticks(10.0**low, 10.0**high, most)
        ticks = [(math.log10(value), text) for value, text in numbers if value > 0] or ticks
    return sorted(ticks)


def signed_log_ticks(low: float, high: float) -> list[Tick]:
    """Zero, and powers of ten of both signs, down to a thousandth of the larger bound.

    >>> [text for _, text in signed_log_ticks(-5, 20)]
    ['0', '0.01', '0.1', '1', '10', '-0.01', '-0.1', '-1']
    """
    largest = max(abs(low), abs(high))
    top = math.floor(math.log10(largest)) if largest > 0 else 0
    powers = [(10.0**exponent, power_of_ten(exponent)) for exponent in range(top - 3, top + 1)]
    found = [(0.0, "0"), *powers, *((-value, f"-{text}") for value, text in powers)]
    return [(value, text) for value, text in found if low <= value <= high]


def _multiples(low: float, high: float) -> list[Tick]:
    """Two and five times the powers of ten between two exponents."""
    below = math.floor(low)
    found = []
    for exponent in range(below, below + math.ceil(high - low) + 2):
        for digit in (2, 5):
            at = exponent + math.log10(digit)
            if low - 1e-9 <= at <= high + 1e-9:
                found.append((at, power_of_ten(exponent, digit)))
    return found


def power_of_ten(exponent: int, digit: int = 1) -> str:
    """A multiple of a power of ten, in full where that is short.

    >>> power_of_ten(-2), power_of_ten(3, 5), power_of_ten(7, 2)
    ('0.01', '5,000', '2 × 10⁷')
    """
    if -4 <= exponent < 6:
        return f"{digit * 10**exponent:,}" if exponent >= 0 else f"{digit * 10.0**exponent:.{-exponent}f}"
    return power_text(digit, exponent)
