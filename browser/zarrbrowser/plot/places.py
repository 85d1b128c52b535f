"""Where the elements of a plot are along its axis, if that is not one step after another: as far apart as their coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.plot.error_bars import logarithms
from zarrcore.typing import AnyArray

_UNSEEN = 5e-4
"""The part of an axis that elements may be off their coordinates: less than a pixel."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The places of elements along an axis that their coordinates divide.

    Without logarithms, the first element is at 0 and the last one at the number of steps, as in a plot over positions.
    """

    coordinate: Coordinate
    at: AnyArray
    """The places, rising."""
    elements: AnyArray
    """The position of the element at each place."""
    left_out: int = 0
    """How many coordinates have no logarithm."""

    @property
    def name(self) -> str:
        """The name of the coordinates."""
        return self.coordinate.name

    @property
    def units(self) -> str:
        """Their unit."""
        return self.coordinate.units

    def ticks(self, low: float, high: float, most: float) -> list[tuple[float, str]]:
        """As `Coordinate.ticks`, between two places without logarithms."""
        first, last = np.interp([low, high], self.at, self.elements)
        ticks = self.coordinate.ticks(float(first), float(last), most)
        found = np.interp([position for position, _ in ticks], self.elements, self.at)
        return [(float(place), text) for place, (_, text) in zip(found, ticks, strict=True)]

    def of(self, positions: AnyArray) -> AnyArray:
        """The places of positions, which may be between two elements; not for logarithms."""
        found: AnyArray = np.interp(positions, self.elements, self.at)
        return found

    def nearest(self, place: float) -> int:
        """The position of the element that is nearest to a place; −1 if there is none."""
        if not self.at.size:
            return -1
        after = min(int(np.searchsorted(self.at, place)), self.at.size - 1)
        before = max(0, after - 1)
        return int(self.elements[before if place - self.at[before] < self.at[after] - place else after])

    def between(self, low: float, high: float) -> tuple[int, int]:
        """The first and the last of the places, by number, that a line between two others needs."""
        start, stop = np.searchsorted(self.at, [low, high], side="left")
        return max(0, int(start) - 1), min(self.at.size, int(stop) + 1)


def places_along(coordinate: Coordinate | None, *, is_log: bool) -> Places | None:
    """The places of elements. None if they are drawn at their positions: the coordinates are evenly spaced, do not only rise or
    only fall, or are not numbers.
    """
    numbers = None if coordinate is None else coordinate.rising_numbers()
    if coordinate is None or numbers is None or not np.isfinite(numbers).all():
        return None
    positions = np.arange(numbers.size)
    if is_log:
        if coordinate.values.dtype.kind == "M":
            return None
        at = logarithms(numbers)
        known = positions[np.isfinite(at)]
        known = known if numbers[-1] > numbers[0] else known[::-1]
        return Places(coordinate, at[known], known, numbers.size - known.size)
    steps = numbers.size - 1
    with np.errstate(over="ignore", invalid="ignore"):  # farther apart than any number
        at = (numbers - numbers[0]) / (numbers[-1] - numbers[0]) * steps
    if not np.isfinite(at).all() or np.abs(at - positions).max() <= _UNSEEN * steps:
        return None
    return Places(coordinate, at, positions)
