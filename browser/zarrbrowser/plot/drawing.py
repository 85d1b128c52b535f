"""A plot of columns at the resolution of the screen, and the row at a place of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.plot.columns import ColumnPlot
from zarrbrowser.plot.curves import Polyline, View, dots

_REACH = 12
"""The pointer is at a point that is nearer than this, in pixels."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn of a plot within a view."""

    plot: ColumnPlot
    view: View
    lines: tuple[Polyline | None, ...]
    """None for a curve that is drawn as points."""
    dots: NDArray[np.uint8]
    """The points, as a picture: see `dots`."""
    has_points: bool
    """Whether all curves are to be drawn as points."""

    @classmethod
    def of(cls, plot: ColumnPlot, view: View, *, has_points: bool, diameter: int) -> Drawing:
        """Draw a plot; slow for many rows.

        Args:
            diameter: of a point, in pixels.
        """
        lines = tuple(None if has_points else curve.line(view) for curve in plot.curves)
        parts = [
            (curve.x, curve.y, curve.colour)
            if line is None
            else (line.x[line.marked], line.y[line.marked], curve.colour)
            for curve, line in zip(plot.curves, lines, strict=True)
        ]
        return cls(plot, view, lines, dots(parts, view, diameter), has_points)

    @property
    def notes(self) -> list[str]:
        """What the user should know of it."""
        found = []
        per_pixel = max((line.per_pixel for line in self.lines if line is not None), default=1)
        if per_pixel > 1:
            found.append(f"minimum and maximum of about {per_pixel:,} per pixel")
        if not self.has_points and None in self.lines:
            found.append("points, as lines would cover the plot")
        return [*found, self.plot.left_out] if self.plot.left_out else found


def row_at(plot: ColumnPlot, place: tuple[float, float], view: View, *, has_points: bool) -> int | None:
    """The row of the table whose point is nearest to a place; None if none is near. Slow for many rows.

    Lines from left to right have a row at each place across, however far below or above it they are.
    """
    is_across = plot.are_lines and not has_points
    near = [curve.nearest(place, view, is_across=is_across) for curve in plot.curves]
    distance, row = min((one for one in near if one is not None), default=(math.inf, -1))
    return row if distance <= _REACH or (is_across and row >= 0) else None
