"""The areas of elements on Earth."""

from __future__ import annotations

import numpy as np

from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.sphere import directions
from zarrcore.typing import AnyArray

_RADIUS_KM = 6371.0088
"""The mean radius of the Earth."""


def areas_km2(plane: PlaneMap, window: tuple[slice, slice]) -> AnyArray:
    """The areas of the elements of a window in square kilometres, shape (h, w); NaN for those without a place.

    Those of rows of one latitude are exact on a sphere; others are flat between their corners.
    """
    edges = (np.arange(part.start, part.stop + 1) - 0.5 for part in window)
    east, north = plane.to_earth(*np.meshgrid(*edges, indexing="ij"))
    if plane.is_plain:
        sines = np.sin(np.radians(np.clip(north, -90, 90)))
        shares = np.abs(np.radians(_across(east)) * _across(sines))
    else:
        corners = directions(east, north)
        other = corners[1:, :-1] - corners[:-1, 1:]
        shares = np.linalg.norm(np.cross(_across(corners), other), axis=-1) / 2
    found: AnyArray = shares * _RADIUS_KM**2
    return found


def _across(corners: AnyArray) -> AnyArray:
    """The difference of two opposite corners of each element."""
    found: AnyArray = corners[1:, 1:] - corners[:-1, :-1]
    return found
