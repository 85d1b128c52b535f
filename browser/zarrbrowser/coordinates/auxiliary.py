"""Coordinates of single elements, such as latitudes and longitudes of an ocean grid.

CF conventions 5.2 "Two-Dimensional Latitude, Longitude, Coordinate Variables": the attribute ``coordinates`` names arrays on
some of the dimensions of an array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrbrowser.coordinates.coordinates import Coordinate, decoded
from zarrbrowser.image.levels import Image

MOST_ELEMENTS = 4_000_000
"""Larger arrays of coordinates are left out: reading them would take too long."""


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """Coordinates on some axes of an image."""

    name: str
    axes: tuple[int, ...]
    """The axes of the image, in the order of the dimensions of the coordinates."""
    shape: tuple[int, ...]
    coordinate: Coordinate
    """All coordinates in row-major order."""

    def text(self, index: Sequence[int]) -> str:
        """The coordinate of an element of the image, as ``name 12.5 °N``; empty outside the image."""
        place = tuple(index[axis] for axis in self.axes)
        if not all(0 <= position < length for position, length in zip(place, self.shape, strict=True)):
            return ""
        at = int(np.ravel_multi_index(place, self.shape)) if self.shape else 0
        return f"{self.name} {self.coordinate.text(at)}"


def auxiliary_of(image: Image, find: Callable[[str], Any]) -> tuple[Auxiliary, ...]:
    """The auxiliary coordinates of an image; blocks.

    Args:
        find: the node at an absolute path; raises if it does not exist.
    """
    from zarrcore.errors import ZarrError  # late: for a fast start

    names, told = image.base.dimension_names, image.base.attributes.get("coordinates")
    if not names or not isinstance(told, str):
        return ()
    group, found = image.base.path.rpartition("/")[0], []
    for name in told.split():
        try:
            node = find(f"{group}/{name}")
            if _fits(node, image, names):
                axes = tuple(list(names).index(one) for one in node.dimension_names or ())
                known = decoded(node, name)
                values = Coordinate(name, known.units, known.values.reshape(-1))
                found.append(Auxiliary(name, axes, tuple(node.shape), values))
        except ZarrError:
            continue  # coordinates that cannot be read are not shown
    return tuple(found)


def _fits(node: Any, image: Image, names: Sequence[str | None]) -> bool:
    """Whether an array has one coordinate for each element along some axes of an image, and tells more than an axis does."""
    if node.kind != "array" or node.ndim == 1 or math.prod(node.shape) > MOST_ELEMENTS:
        return False
    own = tuple(node.dimension_names or ())
    lengths = dict(zip(names, image.base.shape, strict=True))
    return (
        len(own) == node.ndim
        and None not in own
        and all(lengths.get(name) == length for name, length in zip(own, node.shape, strict=True))
        and node.dtype.kind in "iufM"
    )
