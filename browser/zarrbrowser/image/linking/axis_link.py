"""The link of one axis to an axis of another image: position in one, position in the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from zarrbrowser.image.linking.rulers import Ruler, comparable

Range = tuple[float, float]
_ROUNDING = 1e-6
"""How far, in elements, a rounding error may move a position off the end of an axis."""


class Basis(Enum):
    """By what the positions along two axes correspond."""

    COORDINATES = "coordinates"
    EARTH = "longitude and latitude"
    """For rows and columns together: see `earth_link`."""
    SIZE = "physical size"
    EXTENT = "the whole extent"
    INDEX = "index"


@dataclass(frozen=True, slots=True)
class AxisLink:
    """Positions along an axis of one image, as positions along an axis of another.

    >>> link = by_index(40)
    >>> link.place(12.25), link.nearest(39), link.nearest(40)
    (12.25, 39, None)
    """

    basis: Basis
    length: int
    """Elements along the axis of the other image."""
    one: Ruler = field(default_factory=Ruler)
    other: Ruler = field(default_factory=Ruler)
    labels: tuple[int | None, ...] | None = None
    """The index of each label in the other image, None if it lacks the label; then rulers are not used."""

    def place(self, position: float) -> float | None:
        """The position in the other image, perhaps outside it; None for a label that it lacks."""
        if self.labels is None:
            value = self.one.value(position)
            return self.other.position(value + self._turns(value))
        index = math.floor(position + 0.5)
        found = self.labels[index] if 0 <= index < len(self.labels) else None
        return None if found is None else found + position - index

    def holds(self, place: float) -> bool:
        """Whether the other image has an element at a position."""
        return -0.5 - _ROUNDING <= place < self.length - 0.5 + _ROUNDING

    def nearest(self, position: float) -> int | None:
        """The element of the other image at a position of this one; None outside."""
        place = self.place(position)
        if place is None or not self.holds(place):
            return None
        return min(max(math.floor(place + 0.5), 0), self.length - 1)

    def range(self, ends: Range) -> Range | None:
        """A range of positions in the other image, in rising order; None if an end has no place there."""
        if self.labels is None:
            values = [self.one.value(end) for end in ends]
            turns = self._turns(sum(values) / 2)  # the same for both ends
            places = [self.other.position(value + turns) for value in values]
        else:
            places = [place for place in map(self.place, ends) if place is not None]
        found = sorted(filter(math.isfinite, places))
        if len(found) < 2 or found[0] == found[1]:
            return None
        low, high = found
        if self._is_all_around and high - low > self.length - _ROUNDING:
            # The whole Earth is in view: also there, wherever the other image begins.
            aside = (self.length - 1 - low - high) / 2
            return low + aside, high + aside
        return low, high

    @property
    def _is_all_around(self) -> bool:
        """Whether the other image has all longitudes."""
        west, east = self.other.value(-0.5), self.other.value(self.length - 0.5)
        return 0.0 < self.one.turn <= abs(east - west) + _ROUNDING

    def _turns(self, value: float) -> float:
        """What to add to a longitude so that the other image has it, if it can: 0, or whole turns."""
        if not self.one.turn or self.holds(self.other.position(value)):
            return 0.0
        middle = self.other.value((self.length - 1) / 2)
        return self.one.turn * round((middle - value) / self.one.turn)


def by_index(other_length: int) -> AxisLink:
    """Element 0 is element 0."""
    return AxisLink(Basis.INDEX, other_length)


def by_extent(length: int, other_length: int) -> AxisLink:
    """The whole axis is the whole axis.

    >>> by_extent(100, 50).place(-0.5), by_extent(100, 50).place(99.5)
    (-0.5, 49.5)
    """
    one, other = (Ruler(origin=0.5 / n, spacing=1 / n) for n in (length, other_length))
    return AxisLink(Basis.EXTENT, other_length, one, other)


def by_rulers(one: Ruler, other: Ruler, other_length: int) -> AxisLink | None:
    """Equal numbers of two rulers correspond; None if their units differ."""
    found = comparable(one, other)
    if found is None:
        return None
    basis = Basis.COORDINATES if one.is_told or other.is_told else Basis.SIZE
    return AxisLink(basis, other_length, *found)


def by_labels(labels: Sequence[str], others: Sequence[str]) -> AxisLink | None:
    """Equal labels correspond; None if the two axes have no label in common."""
    where = {label: index for index, label in reversed(list(enumerate(others)))}
    found = tuple(where.get(label) for label in labels)
    if all(one is None for one in found):
        return None
    return AxisLink(Basis.COORDINATES, len(others), labels=found)
