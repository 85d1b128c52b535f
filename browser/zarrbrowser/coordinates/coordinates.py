"""Coordinates of positions along an axis: lengths, dates, names.

CF conventions, 4 "Coordinate types", 4.4 "Time coordinate", 5 "Coordinate systems": a one-dimensional array with the
name of its dimension holds the coordinates. A group of NeXus names the arrays. OME-NGFF gives a scale instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zarrbrowser.coordinates.dates import date_ticks, format_date
from zarrbrowser.image.levels import Image
from zarrbrowser.nodes.protocols import ArrayLike
from zarrcore.conventions import coordinate_array, corrected_values, is_length, symbol
from zarrcore.conventions.cf import (
    Direction,
    coordinate_values,
    decode_times,
    direction_of,
)
from zarrcore.typing import AnyArray

MOST_COORDINATES = 1_000_000
"""A longer axis shows indices: reading its coordinates would take too long."""
_STEPS = (1, 2, 5, 10)
_NO_VALUE = "no value"


@dataclass(frozen=True, slots=True)
class Coordinate:
    """The coordinates of the positions along one axis.

    >>> Coordinate("x", "µm", np.array([0.0, 0.5, 1.0])).text(1)
    '0.5 µm'
    """

    name: str
    units: str
    values: AnyArray
    """One per position: numbers, datetime64, or text."""
    direction: Direction | None = None
    """Where greater coordinates lie on a map or in a section, if CF says so."""
    bounds: AnyArray | None = None
    """The ends of the cell of each position, shape (positions, 2), like ``values``; None if they are not told."""

    @property
    def turns_rows(self) -> bool:
        """Whether rows at greater positions lie further up: the north is up, and so is the surface of the sea."""
        return self.direction is (Direction.UP if self._rises else Direction.DOWN)

    @property
    def turns_columns(self) -> bool:
        """Whether columns at greater positions lie further to the left: the east is right."""
        return self.direction is Direction.RIGHT and not self._rises

    @property
    def _rises(self) -> bool:
        # Most steps count, not the ends: longitudes may begin again at 0, or at −180.
        before, after = self.values[:-1], self.values[1:]
        return bool(np.count_nonzero(after < before) <= np.count_nonzero(after > before))

    def text(self, position: int) -> str:
        """The coordinate of a position, with its unit; empty outside the axis."""
        if not 0 <= position < self.values.size:
            return ""
        written = self._written(self.values[position], 0.0)
        has_units = self.values.dtype.kind != "M" and written != _NO_VALUE
        return f"{written} {self.units}".strip() if has_units else written

    def cell(self, position: int) -> str:
        """The ends of the cell of a position, as ``49 to 51``; empty if they are not told."""
        if self.bounds is None or not 0 <= position < len(self.bounds):
            return ""
        return " to ".join(self._written(end, 0.0) for end in self.bounds[position])

    def ticks(self, low: float, high: float, most: float) -> list[tuple[float, str]]:
        """At most ``most`` positions between two others to label, with their labels."""
        low, high = max(low, 0.0), min(high, self.values.size - 1.0)
        if high <= low:
            return []
        first = self._first
        numbers = self.rising_numbers()
        if numbers is None:
            step = max(1, math.ceil((high - low) / max(1.0, most)))
            start = math.ceil(low / step) * step
            return [(float(n), self._written(self.values[n], 0.0)) for n in range(start, int(high) + 1, step)]
        positions = np.arange(numbers.size, dtype=np.float64)
        ends = np.interp([low, high], positions, numbers)
        if not np.ptp(ends) > 1e-12 * np.abs(ends).max():
            return []
        sign = 1.0 if numbers[-1] >= numbers[0] else -1.0
        if self.values.dtype.kind == "M":
            ticks = date_ticks(min(ends), max(ends), self.values.dtype, most, first)
        else:
            places = _round_places(min(ends), max(ends), most)
            apart = places[1] - places[0] if len(places) > 1 else 0.0
            ticks = [(place, self._written(place, apart)) for place in places]
        found = np.interp(np.array([place for place, _ in ticks]) * sign, numbers * sign, positions)
        return [(float(at), text) for at, (_, text) in zip(found, ticks, strict=True)]

    @property
    def _first(self) -> int:
        """The first date as a count; 0 for other values."""
        return int(self.values[0].astype(np.int64)) if self.values.dtype.kind == "M" else 0

    def rising_numbers(self) -> AnyArray | None:
        """The values as numbers if they only rise or only fall; dates as counts from the first one."""
        if self.values.dtype.kind not in "iufM" or self.values.size < 2:
            return None
        numbers = self.values
        if numbers.dtype.kind == "M":
            if np.isnat(numbers).any():  # as a count, it would be before all dates
                return None
            numbers = numbers.astype(np.int64) - self._first
        numbers = numbers.astype(np.float64)
        before, after = numbers[:-1], numbers[1:]
        return numbers if (before < after).all() or (before > after).all() else None

    def _written(self, value: Any, apart: float) -> str:
        if self.values.dtype.kind == "M":
            return (
                "no date"
                if np.isnat(value)
                else format_date(float(value.astype(np.int64)), self.values.dtype, apart)
            )
        if self.values.dtype.kind not in "iuf":
            return str(value)
        if not math.isfinite(value):
            return _NO_VALUE if math.isnan(value) else str(value)
        if apart <= 0:
            return f"{float(value):,.7g}"
        digits = max(0, -math.floor(math.log10(apart) + 1e-9))
        return (
            f"{float(value) + 0.0:,.{digits}f}" if digits <= 6 and abs(value) < 1e9 else f"{float(value):.7g}"
        )


def _round_places(low: float, high: float, most: float) -> list[float]:
    wanted = (high - low) / max(1.0, most)
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(one * power for one in _STEPS if one * power >= wanted * (1 - 1e-9))
    return [
        number * step for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]


def coordinates_of(image: Image, find: Callable[[str], Any]) -> dict[int, Coordinate]:
    """The coordinates of an image's axes; blocks.

    Args:
        find: the node at an absolute path; raises if it does not exist.
    """
    from zarrcore.errors import ZarrError  # late: for a fast start

    found = {}
    for axis, (name, length) in enumerate(zip(image.names, image.base.shape, strict=True)):
        if image.has_scale:
            if axis != image.channel_axis and length <= MOST_COORDINATES and _tells(image, axis):
                values = image.origin[axis] + image.spacing[axis] * np.arange(length)
                found[axis] = Coordinate(name, symbol(image.units[axis]) if image.units else "", values)
            continue
        if not 1 < length <= MOST_COORDINATES:
            continue
        try:
            node = coordinate_array(image.base, axis, find)
            if node is None or node.path == image.base.path:
                continue
            # The axis of an array without names of dimensions is named as the array of its coordinates is.
            is_named = image.base.dimension_names is not None and image.base.dimension_names[axis]
            known = decoded(node, name if is_named else node.name)
            known = replace(known, values=corrected_values(known.values, node, find))
            if node.shape[0] == length:
                found[axis] = replace(known, bounds=_bounds(node, find))
            elif known.values.dtype.kind in "iuf":
                found[axis] = _centred(known)
        except ZarrError:
            continue  # an axis without readable coordinates shows its indices
    return found


def _centred(edges: Coordinate) -> Coordinate:
    """The coordinates of bins, from the numbers that are their edges."""
    ends = edges.values.astype(np.float64)
    return replace(edges, values=(ends[:-1] + ends[1:]) / 2, bounds=np.stack((ends[:-1], ends[1:]), axis=1))


def _bounds(node: ArrayLike, find: Callable[[str], Any]) -> AnyArray | None:
    """The cells of a coordinate variable; None if it has none that can be read.

    CF conventions 7.1 "Cell Boundaries": the attribute ``bounds`` names an array with the ends of each cell, which has the unit
    and the calendar of the coordinates.
    """
    from zarrcore.errors import ZarrError  # late: for a fast start

    name, attributes = node.attributes.get("bounds"), node.attributes
    if not isinstance(name, str) or not name:
        return None
    try:
        cells = find(f"{node.path.rpartition('/')[0]}/{name}")
        if cells.kind != "array" or tuple(cells.shape) != (*node.shape, 2):
            return None
        values, _units = coordinate_values(cells)
    except ZarrError:
        return None
    units, calendar = (attributes.get(one) for one in ("units", "calendar"))
    if values.dtype.kind in "iuf" and isinstance(units, str):
        dates = decode_times(values, units, calendar if isinstance(calendar, str) else "")
        return values if dates is None else dates
    return values


def position_text(name: str, position: int, meaning: str = "") -> str:
    """A position along an axis, and what it means.

    >>> position_text("lat", 3, "52.5 °N")
    'lat = 3 (52.5 °N)'
    """
    return f"{name} = {position:,}" + (f" ({meaning})" if meaning else "")


def scale_along(image: Image, axis: int) -> tuple[float, str] | None:
    """The length of an element along an axis, and its unit; None if the unit is not a length."""
    if not image.has_scale or not image.units or not is_length(image.units[axis]) or image.spacing[axis] <= 0:
        return None
    return image.spacing[axis], image.units[axis]


def _tells(image: Image, axis: int) -> bool:
    """Whether a scale gives more than the index does."""
    return bool(image.units and image.units[axis]) or image.spacing[axis] != 1 or image.origin[axis] != 0


def decoded(array: ArrayLike, name: str) -> Coordinate:
    """The coordinates that an array holds, unpacked, with dates as datetime64, or as text in other calendars.

    Raises:
        ZarrError: the array cannot be read.
    """
    values, units = coordinate_values(array)
    direction = direction_of(array) if values.dtype.kind in "iuf" else None
    return Coordinate(name, symbol(units), values, direction)
