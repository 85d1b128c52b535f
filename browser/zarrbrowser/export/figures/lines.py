"""Figures of plots: the elements of a one-dimensional array as a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zarrbrowser.export.figures.figure import Figure, Line, Plot
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.nodes.protocols import AnyArray
from zarrbrowser.plot.series import log_outline, outline

_POINTS_BELOW = 200
"""Up to this number, elements are also drawn as points."""
_SCREEN = (1000, 700)


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
