"""The box around a volume: its edges as they are seen, and where the names and the ends of its axes are written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.levels import Image
from zarrbrowser.volume.axes import VolumeAxes
from zarrbrowser.volume.camera import Projection

Point = tuple[float, float]
"""Pixels right and down."""
_SHORTEST_PX = 30.0
"""An axis that is seen shorter, because it points at the viewer, has no name."""
_INSET_PX = 26.0
"""Between the end of an edge and the middle of the text there, so that the texts of two axes do not overlap."""
_FLAT = 1e-6


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge of the box."""

    start: Point
    """The end at the lower coordinate of the world."""
    end: Point
    is_behind: bool
    """Whether the box hides it."""


@dataclass(frozen=True, slots=True)
class AxisText:
    """What is written along one axis of the volume."""

    name: str
    low: str
    """The coordinate or the index of the first element, with its unit."""
    high: str


@dataclass(frozen=True, slots=True)
class AxisLabel:
    """The texts of an axis, and the places on an edge of the box beside which they are written."""

    text: AxisText
    middle: Point
    low: Point
    high: Point
    out: Point
    """The direction away from the box, of length 1."""


def edges(projection: Projection) -> list[Edge]:
    """The twelve edges of the box."""
    return [edge for axis in range(3) for edge, _ in _parallel(projection, axis)]


def labels(projection: Projection, texts: tuple[AxisText, AxisText, AxisText]) -> list[AxisLabel]:
    """The labels of the axes that are seen from the side.

    Args:
        texts: of x, y and z; ``low`` is at the lower coordinate of the world.
    """
    found = []
    for axis, text in enumerate(texts):
        outline = [edge for edge, is_outline in _parallel(projection, axis) if is_outline]
        if not outline:
            continue
        edge = max(outline, key=lambda one: (round(_middle(one)[1]), -_middle(one)[0]))
        along = (edge.end[0] - edge.start[0], edge.end[1] - edge.start[1])
        length = math.hypot(*along)
        if length < _SHORTEST_PX:
            continue
        out = _outward(edge, along, length, projection.centre)
        inset = min(_INSET_PX / length, 0.25)
        middle, low, high = (_along(edge, part) for part in (0.5, inset, 1 - inset))
        found.append(AxisLabel(text, middle, low, high, out))
    return found


def axis_texts(
    image: Image, axes: VolumeAxes, coordinates: Mapping[int, Coordinate]
) -> tuple[AxisText, AxisText, AxisText]:
    """The texts of x, y and z: columns, rows, depth."""
    depth, rows, columns = (
        _text(image, axis, coordinates.get(axis), is_reversed=is_reversed)
        for axis, is_reversed in zip(axes.all, axes.reverses, strict=True)
    )
    return columns, rows, depth


def _text(image: Image, axis: int, coordinate: Coordinate | None, *, is_reversed: bool) -> AxisText:
    last = image.base.shape[axis] - 1
    low = coordinate.text(0) if coordinate is not None else ""
    high = coordinate.text(last) if coordinate is not None else ""
    low, high = low or "0", high or f"{last:,}"
    return AxisText(image.names[axis], *((high, low) if is_reversed else (low, high)))


def _parallel(projection: Projection, axis: int) -> list[tuple[Edge, bool]]:
    """The four edges along an axis of the world, and whether each is part of the outline of the box."""
    others = [one for one in range(3) if one != axis]
    away = projection.camera.turn[2]
    found = []
    for signs in product((-1, 1), repeat=2):
        ends: NDArray[np.float64] = np.empty((2, 3))
        ends[:, axis] = [-0.5, 0.5]
        ends[:, others] = np.array(signs) / 2
        (x0, y0, _), (x1, y1, _) = projection.place(ends * np.array(projection.sides)).tolist()
        faces = [sign * away[other] for sign, other in zip(signs, others, strict=True)]
        in_front = [facing < -_FLAT for facing in faces]
        edge = Edge((x0, y0), (x1, y1), not any(in_front))
        found.append((edge, any(in_front) and not all(in_front)))
    return found


def _outward(edge: Edge, along: Point, length: float, centre: Point) -> Point:
    """The direction across an edge, away from the centre."""
    across = (-along[1] / length, along[0] / length)
    middle = _middle(edge)
    side = across[0] * (middle[0] - centre[0]) + across[1] * (middle[1] - centre[1])
    return across if side >= 0 else (-across[0], -across[1])


def _middle(edge: Edge) -> Point:
    return _along(edge, 0.5)


def _along(edge: Edge, part: float) -> Point:
    return (
        edge.start[0] + (edge.end[0] - edge.start[0]) * part,
        edge.start[1] + (edge.end[1] - edge.start[1]) * part,
    )
