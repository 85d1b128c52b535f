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
from zarrcore.conventions import corrected_values, further_axes
from zarrcore.typing import AnyArray

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
    upward: int | None = None
    """The axis along which latitude changes most, if it increases there; None for other coordinates."""
    leftward: int | None = None
    """The axis along which longitude changes most, if it decreases there; None for other coordinates."""

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
    if not isinstance(told, str):
        further = further_axes(image.base, find).items()
        return tuple(filter(None, (_further(image, *one, find) for one in further)))
    if not names:
        return ()
    group, found = image.base.path.rpartition("/")[0], []
    for name in told.split():
        try:
            node = find(f"{group}/{name}")
            if _fits(node, image, names):
                axes = tuple(list(names).index(one) for one in node.dimension_names or ())
                known = decoded(node, name)
                values = Coordinate(name, known.units, known.values.reshape(-1))
                turned = _turned_axes(node, axes, known.values)
                found.append(Auxiliary(name, axes, tuple(node.shape), values, *turned))
        except ZarrError:
            continue  # coordinates that cannot be read are not shown
    return tuple(found)


def _further(image: Image, name: str, axes: tuple[int, ...], find: Callable[[str], Any]) -> Auxiliary | None:
    """A further axis of NeXus; None if it does not fit, or cannot be read."""
    from zarrcore.errors import ZarrError  # late: for a fast start

    try:
        node = find(f"{image.base.path.rpartition('/')[0]}/{name}")
        lengths = tuple(image.base.shape[axis] for axis in axes)
        is_large = math.prod(lengths) > MOST_ELEMENTS
        if node.kind != "array" or tuple(node.shape) != lengths or is_large or node.dtype.kind not in "iufM":
            return None
        known = decoded(node, name)
        values = corrected_values(known.values, node, find).reshape(-1)
        return Auxiliary(name, axes, lengths, Coordinate(name, known.units, values))
    except ZarrError:
        return None


def _fits(node: Any, image: Image, names: Sequence[str | None]) -> bool:
    """Whether an array has one coordinate for each element along some axes of an image, and says more than an axis does."""
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


def _turned_axes(node: Any, axes: tuple[int, ...], values: AnyArray) -> tuple[int | None, int | None]:
    """The axes to show from bottom to top and from right to left, so that north is up and east is right."""
    from zarrcore.conventions.cf import is_latitude, is_longitude  # late: for a fast start

    is_north, is_east = is_latitude(node), is_longitude(node)
    if values.ndim != 2 or not (is_north or is_east):
        return None, None
    degrees = values.astype(np.float64)
    steps = [_median_step(degrees, along) for along in (0, 1)]
    along = int(np.argmax(np.abs(steps)))
    upward = axes[along] if is_north and steps[along] > 0 else None
    leftward = axes[along] if is_east and steps[along] < 0 else None
    return upward, leftward


def _median_step(values: AnyArray, along: int) -> float:
    """The median difference between neighbours; 0 if there are none. A few jumps from 180 to −180 degrees do not change it."""
    steps = np.diff(values, axis=along)
    known = steps[np.isfinite(steps)]
    return float(np.median(known)) if known.size else 0.0
