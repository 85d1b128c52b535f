"""Rectangles, ellipses and polygons over a picture, and which elements are inside."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from zarrcore.typing import AnyArray

Point = tuple[float, float]
"""Down and to the right, in elements of the base; element ``i`` covers ``[i − ½, i + ½)``."""
_ELLIPSE_POINTS = 72


class Shape(Enum):
    """The kind of a region."""

    RECTANGLE = "rectangle"
    ELLIPSE = "ellipse"
    POLYGON = "polygon"


@dataclass(frozen=True, slots=True)
class Region:
    """One region."""

    name: str
    shape: Shape
    points: tuple[Point, ...]
    """The vertices of a polygon, at least three; two opposite corners of a rectangle, or of that around an ellipse."""

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The smallest rectangle around it: top, left, bottom, right."""
        rows, columns = zip(*self.points, strict=True)
        return min(rows), min(columns), max(rows), max(columns)

    def moved(self, down: float, right: float) -> Region:
        """The region at another place."""
        return replace(self, points=tuple((y + down, x + right) for y, x in self.points))

    def stretched(self, box: tuple[float, float, float, float]) -> Region:
        """The region so that this is the smallest rectangle around it: top, left, bottom, right."""
        if self.shape is not Shape.POLYGON:  # it may have had no height or width
            return replace(self, points=(box[:2], box[2:]))
        before = self.box

        def along(place: float, axis: int) -> float:
            low, high = before[axis], before[axis + 2]
            share = (place - low) / (high - low) if high > low else 0.0
            return box[axis] + share * (box[axis + 2] - box[axis])

        return replace(self, points=tuple((along(y, 0), along(x, 1)) for y, x in self.points))

    @property
    def outline(self) -> tuple[Point, ...]:
        """The vertices of a polygon of the same shape; one with many corners for an ellipse."""
        top, left, bottom, right = self.box
        if self.shape is Shape.POLYGON:
            return self.points
        if self.shape is Shape.RECTANGLE:
            return (top, left), (top, right), (bottom, right), (bottom, left)
        angles = (2 * math.pi * number / _ELLIPSE_POINTS for number in range(_ELLIPSE_POINTS))
        middle, half = ((top + bottom) / 2, (left + right) / 2), ((bottom - top) / 2, (right - left) / 2)
        return tuple(
            (middle[0] + half[0] * math.sin(one), middle[1] + half[1] * math.cos(one)) for one in angles
        )

    def window(self, height: int, width: int) -> tuple[slice, slice]:
        """The rows and columns of the elements whose centres may be inside, within a plane of that size."""
        top, left, bottom, right = self.box
        parts = []
        for low, high, length in ((top, bottom, height), (left, right, width)):
            start = min(max(math.ceil(low), 0), length)
            parts.append(slice(start, min(max(math.floor(high) + 1, start), length)))
        return parts[0], parts[1]

    def mask(self, window: tuple[slice, slice]) -> AnyArray:
        """Which elements of a window have their centre inside, shape (h, w); borders at the top and the left count."""
        rows, columns = (np.arange(part.start, part.stop, dtype=np.float64) for part in window)
        top, left, bottom, right = self.box
        if self.shape is Shape.RECTANGLE:
            return np.outer((rows >= top) & (rows < bottom), (columns >= left) & (columns < right))
        if self.shape is Shape.ELLIPSE:
            down, along = ((bottom - top) / 2, (right - left) / 2)
            if not down or not along:
                return np.zeros((rows.size, columns.size), bool)
            with np.errstate(over="ignore"):
                above = ((rows - (top + bottom) / 2) / down) ** 2
                beside = ((columns - (left + right) / 2) / along) ** 2
            inside: AnyArray = np.add.outer(above, beside) <= 1
            return inside
        return _inside_polygon(self.points, rows, columns)


def _inside_polygon(points: tuple[Point, ...], rows: AnyArray, columns: AnyArray) -> AnyArray:
    """The rule of even and odd: a ray to the right crosses the outline an odd number of times."""
    inside = np.zeros((rows.size, columns.size), bool)
    for (y, x), (next_y, next_x) in zip(points, (*points[1:], points[0]), strict=True):
        if y == next_y:
            continue
        crossed = np.flatnonzero((y <= rows) != (next_y <= rows))
        where = x + (rows[crossed] - y) * (next_x - x) / (next_y - y)
        inside[crossed] ^= columns[None, :] < where[:, None]
    return inside
