"""The rays of a picture, in the coordinates of a texture: 0 to 1 along columns, rows and depth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zarrbrowser.volume.camera import Projection

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Rays:
    """Parallel rays, one for each pixel."""

    start: Vector
    """Where the ray of the corner at the upper left crosses the plane through the centre."""
    right: Vector
    """From one pixel to the next."""
    down: Vector
    ahead: Vector
    """Along a ray, away from the viewer, one unit of length of the world."""
    lengths: Vector
    """The lengths of the texture's axes in the world; negative for an axis that runs the other way."""


def rays(projection: Projection, reverses: tuple[bool, bool, bool], scale: float = 1.0) -> Rays:
    """The rays of a picture.

    Args:
        reverses: whether columns, rows and depth run against x, y and z.
        scale: pixels of the picture per pixel of the projection.
    """
    signs = np.where(reverses, -1.0, 1.0)
    lengths = np.array(projection.sides) * signs
    origin, ahead = projection.ray(0.0, 0.0)
    right, down = (projection.ray(*one)[0] - origin for one in ((1.0 / scale, 0.0), (0.0, 1.0 / scale)))
    found = [origin / lengths + 0.5, right / lengths, down / lengths, ahead / lengths, lengths]
    start, across, below, along, sizes = ((float(a), float(b), float(c)) for a, b, c in found)
    return Rays(start, across, below, along, sizes)
