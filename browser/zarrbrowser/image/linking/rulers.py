"""Rulers: what the positions along an axis are in numbers that another image can have too.

Positions count elements of the finest level; element ``i`` covers ``[i − ½, i + ½)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrcore.conventions import is_length, power_of_ten, symbol

Numbers = NDArray[np.float64]
_DATE = "date"
"""The unit of dates: microseconds since 1970, which floats hold exactly for 285 years."""
_EASTWARD, _TURN = "°E", 360.0
"""The unit of longitudes, and after how many they begin again."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """The numbers at the positions along one axis.

    >>> Ruler("µm", origin=10.0, spacing=0.5).value(4)
    12.0
    >>> Ruler("µm", origin=10.0, spacing=0.5).position(12.0)
    4.0
    """

    unit: str = ""
    origin: float = 0.0
    """The number at position 0, if positions are evenly spaced."""
    spacing: float = 1.0
    """The difference of two neighbours; not 0."""
    values: Numbers | None = None
    """The number of each position, if they only rise or only fall; at least two."""
    is_told: bool = False
    """Whether an array of coordinates gives the numbers, not a scale."""

    @property
    def turn(self) -> float:
        """After how many the numbers begin again: 360 for longitudes, else 0."""
        return _TURN if self.unit == _EASTWARD else 0.0

    def value(self, position: float) -> float:
        """The number at a position; beyond the ends, the last step goes on."""
        if self.values is None:
            return self.origin + self.spacing * position
        return _interpolated(np.arange(self.values.size, dtype=np.float64), self.values, position)

    def position(self, value: float) -> float:
        """The position of a number; beyond the ends, the last step goes on."""
        if self.values is None:
            return (value - self.origin) / self.spacing
        places = np.arange(self.values.size, dtype=np.float64)
        if self.values[0] > self.values[-1]:
            return _interpolated(self.values[::-1], places[::-1], value)
        return _interpolated(self.values, places, value)


@dataclass(frozen=True, slots=True)
class Scale:
    """Evenly spaced positions along the axes of an image."""

    spacing: tuple[float, ...]
    origin: tuple[float, ...]
    units: tuple[str, ...]
    """One per axis; empty for an axis without a unit."""

    def ruler(self, axis: int) -> Ruler | None:
        """The ruler of an axis; None if its spacing is 0."""
        if not self.spacing[axis]:
            return None
        unit = self.units[axis] if self.units else ""
        return _in_metres(Ruler(unit, self.origin[axis], self.spacing[axis]))


def ruler_of(coordinate: Coordinate) -> Ruler | None:
    """The ruler of an axis with coordinates; None if they are text, or do not only rise or only fall."""
    values, unit = coordinate.values, coordinate.units
    if values.dtype.kind == "M" and not np.isnat(values).any():
        values, unit = values.astype("datetime64[us]").astype(np.int64), _DATE
    if values.dtype.kind not in "iuf" or not values.size:
        return None
    numbers = values.astype(np.float64)
    if numbers.size == 1:
        return _in_metres(Ruler(unit, float(numbers[0]), 0.0, is_told=True))
    steps = np.diff(numbers)
    if not np.isfinite(numbers).all() or not ((steps > 0).all() or (steps < 0).all()):
        return None
    return _in_metres(Ruler(unit, values=numbers, is_told=True))


def comparable(one: Ruler, other: Ruler) -> tuple[Ruler, Ruler] | None:
    """Two rulers by which positions correspond; None if their units differ.

    A single coordinate has no spacing: it gets that of the other ruler.
    """
    if one.unit != other.unit:
        return None
    steps = [_step(ruler) for ruler in (one, other)]
    step = next((step for step in steps if step), 1.0)
    first, second = (
        ruler if own else replace(ruler, spacing=step) for ruler, own in zip((one, other), steps, strict=True)
    )
    return first, second


def rulers_of(coordinates: Mapping[int, Coordinate], scale: Scale | None, ndim: int) -> dict[int, Ruler]:
    """The rulers of the axes of an image: by coordinates where it has them, else by its scale."""
    found = {}
    for axis in range(ndim):
        ruler = ruler_of(coordinates[axis]) if axis in coordinates else None
        if ruler is None and scale is not None:
            ruler = scale.ruler(axis)
        if ruler is not None:
            found[axis] = ruler
    return found


def _step(ruler: Ruler) -> float:
    return ruler.spacing if ruler.values is None else float(np.median(np.diff(ruler.values)))


def _in_metres(ruler: Ruler) -> Ruler:
    """Lengths in metres, so that micrometres and nanometres can be compared."""
    if not is_length(ruler.unit):
        return replace(ruler, unit=symbol(ruler.unit))
    factor = 10.0 ** power_of_ten(ruler.unit)
    values = None if ruler.values is None else ruler.values * factor
    return replace(
        ruler, unit="m", origin=ruler.origin * factor, spacing=ruler.spacing * factor, values=values
    )


def _interpolated(places: Numbers, values: Numbers, at: float) -> float:
    """The value at a place between rising places; beyond the ends, the last step goes on."""
    if places[0] <= at <= places[-1]:
        return float(np.interp(at, places, values))
    first, second = (0, 1) if at < places[0] else (-2, -1)
    slope = (values[second] - values[first]) / (places[second] - places[first])
    return float(values[first] + (at - places[first]) * slope)
