"""The scale of an axis or a colour bar: which positions are labelled, and how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.coordinates.dates import date_ticks
from zarrbrowser.image.colours.render import Norm, spread

Tick = tuple[float, str]
"""A position, and its label."""
_STEPS = (1, 2, 5, 10)
_IN_FULL_BELOW = 1e6
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Scale:
    """Positions from one end of an axis to the other."""

    label: str
    """The name of the axis, with its unit."""
    low: float
    high: float
    coordinate: Coordinate | None = None
    """What the positions mean, if they are indices."""
    is_whole: bool = False
    """Whether positions are indices, so that only integers are labelled."""
    is_log: bool = False
    """Whether positions are exponents of ten."""
    dates: np.dtype[Any] | None = None
    """The datetime64 type of positions that are dates."""
    offset: int = 0
    """Added to the written numbers."""

    def ticks(self, most: float) -> list[Tick]:
        """At most about ``most`` positions to label, with their labels."""
        low, high = sorted((self.low, self.high))
        if not high > low:
            return []
        if self.is_log:
            return log_ticks(low, high, most)
        if self.coordinate is not None:
            return self.coordinate.ticks(low, high, most)
        if self.dates is not None:
            return date_ticks(low, high, self.dates, most)
        return number_ticks(low, high, most, least=1.0 if self.is_whole else 0.0, offset=self.offset)


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
    """Powers of ten between two exponents, and their multiples if there are few.

    >>> log_ticks(0, 3, 5)
    [(0.0, '1'), (1.0, '10'), (2.0, '100'), (3.0, '1,000')]
    """
    step = max(1, math.ceil((high - low) / max(1.0, most)))
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    exponents = [one for one in range(first, last + 1) if one % step == 0]
    ticks = [(float(one), _log_text(1, one)) for one in exponents]
    if len(ticks) < 3:
        below = math.floor(low)
        for exponent in range(below, below + math.ceil(high - low) + 2):
            for digit in (2, 5):
                at = exponent + math.log10(digit)
                if low - 1e-9 <= at <= high + 1e-9:
                    ticks.append((at, _log_text(digit, exponent)))
    return sorted(ticks)


def _log_text(digit: int, exponent: int) -> str:
    if -4 <= exponent < 6:
        return f"{digit * 10**exponent:,}" if exponent >= 0 else f"{digit * 10.0**exponent:.{-exponent}f}"
    return power_text(digit, exponent)


def colour_ticks(norm: Norm, levels: tuple[float, float], most: float) -> list[Tick]:
    """Values to label on a colour bar: their places (0 for the lower bound, 1 for the upper), and labels."""
    low, high = levels
    if isinstance(low, int) and isinstance(high, int) and max(abs(low), abs(high)) > 2**53:
        ticks = number_ticks(0.0, float(high - low), most, least=1.0, offset=low)
        return [(value / (high - low), text) for value, text in ticks]
    low, high = float(low), float(high)
    if norm is Norm.LOG and high > 0:
        least = low if low > 0 else high * 1e-6
        ticks = [
            (10.0**exponent, text) for exponent, text in log_ticks(math.log10(least), math.log10(high), most)
        ]
    elif norm is Norm.SYMLOG:
        ticks = _signed_powers(low, high)
    else:
        ticks = number_ticks(low, high, most)
    places = spread(np.array([value for value, _ in ticks], np.float64), norm, (low, high))
    found = [
        (float(at), text) for at, (_, text) in zip(places, ticks, strict=True) if -1e-6 <= at <= 1 + 1e-6
    ]
    return _thinned(sorted(found), 0.8 / max(1.0, most))


def _signed_powers(low: float, high: float) -> list[Tick]:
    """Zero, and powers of ten of both signs, down to a thousandth of the larger bound."""
    largest = max(abs(low), abs(high))
    top = math.floor(math.log10(largest)) if largest > 0 else 0
    powers = [(10.0**exponent, _log_text(1, exponent)) for exponent in range(top - 3, top + 1)]
    found = [(0.0, "0"), *powers, *((-value, f"-{text}") for value, text in powers)]
    return [(value, text) for value, text in found if low <= value <= high]


def _thinned(ticks: list[Tick], apart: float) -> list[Tick]:
    """The ticks without those that are too close to the one before."""
    kept: list[Tick] = []
    for tick in ticks:
        if not kept or tick[0] - kept[-1][0] >= apart:
            kept.append(tick)
    return kept
