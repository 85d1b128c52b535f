"""The scale of an axis or a colour bar: which positions are labelled, and how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.coordinates.dates import date_ticks
from zarrbrowser.image.colours.norm import Norm, spread
from zarrbrowser.plot.places import Places
from zarrbrowser.values.ticks import Tick, log_ticks, number_ticks, signed_log_ticks


@dataclass(frozen=True, slots=True)
class Scale:
    """Positions from one end of an axis to the other."""

    label: str
    """The name of the axis, with its unit."""
    low: float
    high: float
    coordinate: Coordinate | Places | None = None
    """What the positions mean, if they are indices or places."""
    is_whole: bool = False
    """Whether positions are indices, so that only integers are labelled."""
    is_log: bool = False
    """Whether positions are exponents of ten."""
    dates: np.dtype[Any] | None = None
    """The datetime64 type of positions that are dates."""
    offset: int = 0
    """The integer, or the count of dates, that the positions are relative to."""

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
            return date_ticks(low, high, self.dates, most, self.offset)
        return number_ticks(low, high, most, least=1.0 if self.is_whole else 0.0, offset=self.offset)


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
        ticks = signed_log_ticks(low, high)
    else:
        ticks = number_ticks(low, high, most)
    places = spread(np.array([value for value, _ in ticks], np.float64), norm, (low, high))
    found = [
        (float(at), text) for at, (_, text) in zip(places, ticks, strict=True) if -1e-6 <= at <= 1 + 1e-6
    ]
    return _thinned(sorted(found), 0.8 / max(1.0, most))


def _thinned(ticks: list[Tick], apart: float) -> list[Tick]:
    """The ticks without those that are too close to the one before."""
    kept: list[Tick] = []
    for tick in ticks:
        if not kept or tick[0] - kept[-1][0] >= apart:
            kept.append(tick)
    return kept
