"""Longitudes and latitudes as unit vectors from the centre of the Earth, which have no seam and no poles."""

from __future__ import annotations

import numpy as np

from zarrcore.typing import AnyArray


def directions(longitudes: AnyArray, latitudes: AnyArray) -> AnyArray:
    """Unit vectors of places given in degrees, shape (…, 3)."""
    with np.errstate(invalid="ignore"):
        east, north = np.radians(longitudes), np.radians(latitudes)
        found: AnyArray = np.stack(
            [np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=-1
        )
    return found


def angles(vectors: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Longitudes and latitudes in degrees of vectors of any length but 0, shape (…, 3)."""
    x, y, z = (vectors[..., axis] for axis in range(3))
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))


def unit(vectors: AnyArray) -> AnyArray:
    """The vectors with the length 1; NaN for those of length 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: AnyArray = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return found
