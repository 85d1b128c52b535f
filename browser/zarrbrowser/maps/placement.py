"""Places of a plane or a projected map on Earth, and back: only those that it really shows."""

from __future__ import annotations

import math

import numpy as np

from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.sphere import directions
from zarrcore.typing import AnyArray

Places = tuple[AnyArray, AnyArray]
_CLOSE = 0.5
"""How far a place may be from where it was, after a projection and back, in elements."""
_CLOSE_ON_EARTH = math.radians(0.05)


def on_earth(plane: PlaneMap, rows: AnyArray, columns: AnyArray) -> Places:
    """Longitudes and latitudes of places, in degrees; NaN off the plane, and beyond the edge of a map of the world.

    Args:
        rows: one-dimensional, in elements.
        columns: likewise.
    """
    known = _is_inside(plane, rows, columns)
    east, north = plane.to_earth(np.where(known, rows, 0.0), np.where(known, columns, 0.0))
    known &= np.isfinite(east) & np.isfinite(north)
    north = np.clip(north, -90.0, 90.0)  # elements at a pole reach half of their size beyond it
    if plane.transformer is not None:
        back = plane.to_plane(np.where(known, east, 0.0), np.where(known, north, 0.0))
        with np.errstate(invalid="ignore"):
            known &= np.hypot(back[0] - rows, back[1] - columns) <= _CLOSE
    return np.where(known, east, np.nan), np.where(known, north, np.nan)


def on_plane(plane: PlaneMap, east: AnyArray, north: AnyArray) -> Places:
    """Rows and columns of places on Earth; NaN for those that the plane does not show.

    Args:
        east: longitudes in degrees, one-dimensional.
        north: latitudes, likewise.
    """
    known = np.isfinite(east) & np.isfinite(north)
    east, north = np.where(known, east, 0.0), np.where(known, north, 0.0)
    if plane.is_plain:
        west = plane.far[0]
        east = west + (east - west) % 360.0
    rows, columns = (np.asarray(one, np.float64) for one in plane.to_plane(east, north))
    known &= _is_inside(plane, rows, columns)
    if plane.transformer is not None:
        back = plane.to_earth(np.where(known, rows, 0.0), np.where(known, columns, 0.0))
        with np.errstate(invalid="ignore"):
            apart = np.linalg.norm(directions(*back) - directions(east, north), axis=1)
            known &= apart <= _CLOSE_ON_EARTH
    return np.where(known, rows, np.nan), np.where(known, columns, np.nan)


def _is_inside(plane: PlaneMap, rows: AnyArray, columns: AnyArray) -> AnyArray:
    with np.errstate(invalid="ignore"):
        is_in_rows = (rows >= -0.5) & (rows <= plane.height - 0.5)
        found: AnyArray = is_in_rows & (columns >= -0.5) & (columns <= plane.width - 0.5)
    return found
