"""Lines on Earth, drawn on a plane of an image."""

from __future__ import annotations

import math

import numpy as np

from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.lines import EarthLines, PlaneLines, joined
from zarrbrowser.maps.sphere import directions
from zarrcore.typing import AnyArray

_CLOSE = math.radians(0.05)
"""How far a place may be from where it was, after a projection and back."""


def drawn(lines: EarthLines, plane: PlaneMap) -> PlaneLines:
    """The lines in elements of a plane.

    A plane of longitudes shows a line each time that it comes round. Parts of the Earth that
    a projection cannot show are left out.
    """
    if not plane.is_plain:
        rows, columns = plane.to_plane(lines.longitudes, lines.latitudes)
        return PlaneLines(rows, columns, _shown(lines, rows, columns, plane))
    west, east = plane.far
    least, most = float(lines.longitudes.min()), float(lines.longitudes.max())
    rounds = range(math.floor((west - most) / 360), math.ceil((east - least) / 360) + 1)
    found = []
    for turn in rounds:
        if least + 360 * turn <= east and most + 360 * turn >= west:
            rows, columns = plane.to_plane(lines.longitudes + 360 * turn, lines.latitudes)
            found.append(PlaneLines(rows, columns, lines.connected))
    return joined(found)


def _shown(lines: EarthLines, rows: AnyArray, columns: AnyArray, plane: PlaneMap) -> AnyArray:
    """Which connections a projection shows: both ends come back to their place, and so does the middle."""
    here = directions(lines.longitudes, lines.latitudes)
    shown = _comes_back(here, rows, columns, plane)
    connected = lines.connected & shown
    connected[:-1] &= shown[1:]
    connected[-1:] = False
    at = np.flatnonzero(connected)
    if at.size:
        middle = here[at] + here[at + 1]
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        length = np.linalg.norm(here[at] - here[at + 1], axis=1)
        places = (rows[at] + rows[at + 1]) / 2, (columns[at] + columns[at + 1]) / 2
        # A line that goes round the back of a map would cross all of it: its middle is far from where it should be.
        connected[at] = _comes_back(middle, *places, plane, _CLOSE + length / 2)
    return connected


def _comes_back(
    here: AnyArray, rows: AnyArray, columns: AnyArray, plane: PlaneMap, within: AnyArray | float = _CLOSE
) -> AnyArray:
    with np.errstate(invalid="ignore"):
        found: AnyArray = np.linalg.norm(directions(*plane.to_earth(rows, columns)) - here, axis=1) <= within
    return found & np.isfinite(rows) & np.isfinite(columns)
