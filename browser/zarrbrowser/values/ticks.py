"""Where the axes of plots and colour bars are labelled, and how."""

from __future__ import annotations

import math

Tick = tuple[float, str]
"""A position, and its label."""
_STEPS = (1, 2, 5, 10)
_IN_FULL_BELOW = 1e6
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


def number_text(value: float, apart: float, offset: int = 0) -> str:
    """A number as text, with the digits that tell it from its neighbours.

    >>> number_text(0.30000000000000004, 0.1), number_text(1500.0, 500.0), number_text(2.5e9, 5e8)
    ('0.3', '1,500', '2.5 × 10⁹')
    """
    if offset:
        return f"{offset + round(value):,}"
    if value == 0:
        value = 0.0  # no negative zero
    digits = max(0, -math.floor(math.log10(apart) + 1e-9)) if apart > 0 else 0
    if abs(value) < _IN_FULL_BELOW and digits <= 5:
        return f"{value:,.{digits}f}"
    exponent = math.floor(math.log10(abs(value))) if value else 0
    shown = min(15, max(0, exponent - math.floor(math.log10(apart) + 1e-9))) if apart > 0 and value else 0
    return power_text(value / 10.0**exponent, exponent, shown) if value else "0"


def power_text(mantissa: float, exponent: int, digits: int = 0) -> str:
    """A product with a power of ten.

    >>> power_text(2.5, -7, 1), power_text(1, 3)
    ('2.5 × 10⁻⁷', '10³')
    """
    power = f"10{str(exponent).translate(_SUPERSCRIPT)}"
    return power if mantissa == 1 else f"{mantissa:.{digits}f} × {power}"


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
        ticks = [(math.log10(value), text) for value, text in numbers if value > 0]
    return sorted(ticks)


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
