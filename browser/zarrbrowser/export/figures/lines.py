"""Figures of plots: the elements of a one-dimensional array as a line, and columns of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zarrbrowser.export.figures.figure import Figure, Line, Plot
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.nodes.protocols import AnyArray
from zarrbrowser.plot.columns import ColumnPlot
from zarrbrowser.plot.curves import Curve, View, rgb
from zarrbrowser.plot.series import log_outline, outline

_POINTS_BELOW = 200
"""Up to this number, elements are also drawn as points."""
_SCREEN = (1000, 700)
_PER_POINT = 3
"""Points that are nearer to each other than this many pixels look like one."""


@dataclass(frozen=True, slots=True)
class ShownPlot:
    """The part of a plot that is in view."""

    numbers: AnyArray
    """All numbers of the array; exponents of ten if ``y`` is logarithmic."""
    x: Scale
    """Positions, or their exponents of ten."""
    y: Scale
    """The greatest number first: it is at the top."""
    title: str = ""

    def as_shown(self) -> Figure:
        """The figure at the resolution of a screen."""
        return self.read(_SCREEN)

    def read(self, pixels: tuple[int, int], cancelled: Callable[[], bool] = lambda: False) -> Figure:
        """The figure with the minimum and maximum of each pixel; reads nothing, as all numbers are known."""
        draw = log_outline if self.x.is_log else outline
        line = draw(self.numbers, self.x.low, self.x.high, max(64, pixels[0]))
        few = line.x.size <= _POINTS_BELOW and line.per_pixel == 1
        shown = Line(line.x.astype(np.float64), line.y, has_points=few)
        return Figure(((0, 0, Plot((shown,), self.x, self.y)),), title=self.title)


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
        lines = tuple(self._line(curve, view) for curve in self.plot.curves)
        legend = tuple((one.name, one.colour) for one in lines) if len(lines) > 1 else ()
        return Figure(((0, 0, Plot(lines, self.x, self.y)),), legend=legend, title=self.title)

    def _line(self, curve: Curve, view: View) -> Line:
        line = curve.line(view) if self.has_lines else None
        if line is None:
            coarse = View(view.x, view.y, max(1, view.width // _PER_POINT), max(1, view.height // _PER_POINT))
            x, y = curve.thinned(coarse)
            return Line(x, y, rgb(curve.colour), has_points=True, has_line=False, name=curve.name)
        few = line.marked.size == np.count_nonzero(np.isfinite(line.y))
        return Line(line.x, line.y, rgb(curve.colour), has_points=few, name=curve.name)
