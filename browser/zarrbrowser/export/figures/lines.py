"""Figures of plots: the elements of a one-dimensional array as a line, and columns of a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from zarrbrowser.export.figures.figure import Figure, Layer, Line, Plot
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.plot.columns import ColumnPlot
from zarrbrowser.plot.curves import FEW_POINTS, Curve, Polyline, View, dots, rgb
from zarrbrowser.plot.error_bars import Bars
from zarrbrowser.plot.places import Places
from zarrbrowser.plot.series import bars_along, log_outline, outline, outline_at
from zarrcore.typing import AnyArray

_SCREEN = (1000, 700)
_PER_POINT = 3
"""Points that are nearer to each other than this many pixels look like one."""
_MOST_POINTS = 2_000
"""The most points of a curve that are drawn one by one."""
_MOST_PIXELS = 4_000_000
"""Of a picture of points."""
_POINTS_ACROSS = 126
"""The width of a figure in points, as on the screen."""


@dataclass(frozen=True, slots=True)
class ShownPlot:
    """The part of a plot that is in view."""

    numbers: AnyArray
    """All numbers of the array; exponents of ten if ``y`` is logarithmic."""
    x: Scale
    """Positions or places, or their exponents of ten."""
    y: Scale
    """The greatest number first: it is at the top."""
    title: str = ""
    bars: Bars | None = None
    places: Places | None = None
    """Where the elements are, if not at their positions."""

    def as_shown(self) -> Figure:
        """The figure at the resolution of a screen."""
        return self.read(_SCREEN)

    def read(self, pixels: tuple[int, int], cancelled: Callable[[], bool] = lambda: False) -> Figure:
        """The figure with the minimum and maximum of each pixel; reads nothing, as all numbers are known."""
        draw = log_outline if self.x.is_log else outline
        draw = draw if self.places is None else partial(outline_at, self.places)
        line = draw(self.numbers, self.x.low, self.x.high, max(64, pixels[0]))
        few = line.x.size <= FEW_POINTS and line.per_pixel == 1
        lines = [Line(line.x.astype(np.float64), line.y, has_points=few)]
        bars = bars_along(self.bars, line)
        if bars is not None:
            lines.append(Line(*bars))
        return Figure(((0, 0, Plot(tuple(lines), self.x, self.y)),), title=self.title)


@dataclass(frozen=True, slots=True)
class ShownColumns:
    """The part of a plot of columns that is in view."""

    plot: ColumnPlot
    x: Scale
    y: Scale
    """The greatest number first: it is at the top."""
    has_lines: bool
    """Whether lines connect the points."""
    title: str = ""

    def as_shown(self) -> Figure:
        """The figure at the resolution of a screen."""
        return self.read(_SCREEN)

    def read(self, pixels: tuple[int, int], cancelled: Callable[[], bool] = lambda: False) -> Figure:
        """The figure at the resolution of its pixels; reads nothing, as all numbers are known."""
        width, height = (max(64, one) for one in pixels)
        view = View((self.x.low, self.x.high), (self.y.high, self.y.low), width, height)
        curves = self.plot.curves
        lines = [curve.line(view) if self.has_lines else None for curve in curves]
        drawn = tuple(_line_of(curve, line, view) for curve, line in zip(curves, lines, strict=True))
        many = [
            curve
            for curve, line in zip(curves, drawn, strict=True)
            if line.x.size > _MOST_POINTS and not line.has_line
        ]
        few = tuple(line for line in drawn if line.x.size <= _MOST_POINTS or line.has_line)
        points = _picture_of(many, view) if many else None
        legend = tuple((one.name, one.colour) for one in drawn) if len(drawn) > 1 else ()
        return Figure(((0, 0, Plot(few, self.x, self.y, points=points)),), legend=legend, title=self.title)


def _line_of(curve: Curve, line: Polyline | None, view: View) -> Line:
    """The line, or the points of a curve that has none."""
    if line is None:
        coarse = View(view.x, view.y, max(1, view.width // _PER_POINT), max(1, view.height // _PER_POINT))
        x, y = curve.thinned(coarse)
        return Line(x, y, rgb(curve.colour), has_points=True, has_line=False, name=curve.name)
    few = line.marked.size == np.count_nonzero(np.isfinite(line.y))
    return Line(line.x, line.y, rgb(curve.colour), has_points=few, name=curve.name)


def _picture_of(curves: list[Curve], view: View) -> Layer:
    """The points of curves as a picture, which shows where they are dense."""
    shrink = max(1.0, math.sqrt(view.width * view.height / _MOST_PIXELS))
    smaller = View(view.x, view.y, round(view.width / shrink), round(view.height / shrink))
    parts = [(curve.x, curve.y, curve.colour) for curve in curves]
    pixels = dots(parts, smaller, max(3, smaller.width // _POINTS_ACROSS))
    return Layer(pixels, (view.y[0], view.x[0], view.y[1], view.x[1]), is_smooth=True)
