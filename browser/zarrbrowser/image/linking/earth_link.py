"""The link of two planes by places on Earth: each is shown as its elements are stored, or in a map projection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zarrbrowser.image.linking.axis_link import Range
from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.placement import on_earth, on_plane
from zarrcore.typing import AnyArray

Place = tuple[float, float]
_SAMPLES = 41
"""Places per side of a view that are looked for in the other picture: odd, so that its middle is one of them."""
_TURN = 360.0
_NEARLY_ALL = 330.0
"""A view of this many longitudes shows the whole Earth, up to the distance of samples."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A plane and the map that shows it."""

    plane: PlaneMap
    chart: PlaneMap | None = None
    """The projected map; None if the picture shows the elements as they are stored."""

    @property
    def surface(self) -> PlaneMap:
        """What the picture shows: the map, or the plane itself."""
        return self.chart or self.plane


def prepare(*sheets: Sheet) -> None:
    """Do what the first search on a curved grid takes a second for; blocks."""
    for sheet in sheets:
        sheet.plane.to_plane(np.zeros(1), np.zeros(1))


def is_same_grid(one: Sheet, other: Sheet) -> bool:
    """Whether two planes are curved grids of one size, so that elements correspond by their indices.

    Elements without coordinates, such as land in an ocean model, correspond then, too.
    """
    return one.plane.is_curved and other.plane.is_curved and one.plane.size == other.plane.size


def place_in(one: Sheet, place: Place, other: Sheet) -> tuple[Place | None, Place | None]:
    """The place of an element of one plane in the other plane, and on what that picture shows; None where it has none."""
    east, north = on_earth(one.plane, np.array([place[0]]), np.array([place[1]]))
    in_plane = _only(on_plane(other.plane, east, north))
    return in_plane, in_plane if other.chart is None else _only(on_plane(other.chart, east, north))


def ranges_in(one: Sheet, rows: Range, columns: Range, other: Sheet) -> tuple[Range, Range] | None:
    """The rows and columns of what the other picture shows that hold the part of this one in view; None if none do.

    Args:
        rows: of what this picture shows: of its map, if it has one.
        columns: likewise.
    """
    ends = [
        (max(low, -0.5), min(high, length - 0.5))
        for (low, high), length in zip((rows, columns), one.surface.size, strict=True)
    ]
    if any(low >= high for low, high in ends):
        return None
    down, along = (np.linspace(*end, _SAMPLES) for end in ends)
    east, north = on_earth(one.surface, *(one.ravel() for one in np.meshgrid(down, along, indexing="ij")))
    known = np.isfinite(east)
    if not known.any():
        return None
    steps = np.arange(_SAMPLES) - _SAMPLES // 2
    away = np.add.outer(steps**2, steps**2).ravel().astype(np.float64)
    middle = float(east[int(np.argmin(np.where(known, away, np.inf)))])
    east, north, target = east[known], north[known], other.surface
    found = (
        target.to_plane(_around(east, middle, target.far), north)
        if target.is_plain
        else on_plane(target, east, north)
    )
    spans = [(float(np.nanmin(one)), float(np.nanmax(one))) for one in found if np.isfinite(one).any()]
    if len(spans) < 2 or any(low >= high for low, high in spans):
        return None
    return spans[0], spans[1]


def _around(east: AnyArray, middle: float, far: Range) -> AnyArray:
    """The same longitudes without a jump, where a plane has their middle if it can; all of them as the plane has them."""
    west, end = far
    middle += _TURN * round(((west + end) / 2 - middle) / _TURN)
    found: AnyArray = middle + (east - middle + _TURN / 2) % _TURN - _TURN / 2
    if np.ptp(found) > _NEARLY_ALL and end - west > _NEARLY_ALL:
        found = west + (east - west) % _TURN
    return found


def _only(places: tuple[AnyArray, AnyArray]) -> Place | None:
    row, column = float(places[0][0]), float(places[1][0])
    return (row, column) if np.isfinite(row) else None
