"""Figures of planes in a map projection: which element each pixel of the figure shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.export.figures.figure import Layer, Picture, Rect
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.image.contours import NOTHING as NO_CONTOURS
from zarrbrowser.image.contours import Contours
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.projections import Sampling, sampling
from zarrbrowser.maps.sketch import Sketch

_MOST_PIXELS = 2**22
"""Pixels whose elements are found at most: that takes some seconds for curved grids."""


@dataclass(frozen=True, slots=True, eq=False)
class ShownMap:
    """A projected plane as it is on the screen, or finer."""

    chart: PlaneMap
    """The map; its elements are squares."""
    plane: PlaneMap
    """What it shows."""
    seen: Sampling
    """The elements of the part in view."""
    lines: Sketch
    """Coastlines and graticule, in elements of the map."""
    _finer: dict[tuple[int, int], ShownMap] = field(default_factory=dict)
    """The frames of a movie have the same size."""

    def finer(self, pixels: tuple[int, int], cancelled: Callable[[], bool] = lambda: False) -> ShownMap:
        """The same part with an element for each pixel of a figure; takes up to some seconds.

        Args:
            pixels: the width and height of the figure.

        Raises:
            Cancelled: ``cancelled`` became true.
        """
        if pixels not in self._finer:
            top, left, bottom, right = self.seen.rect
            height, width = bottom - top, right - left
            fine = min(pixels[0] / width, pixels[1] / height, math.sqrt(_MOST_PIXELS / (width * height)))
            view = View((top, bottom), (left, right), max(1.0, height * fine), max(1.0, width * fine))
            found = sampling(self.chart, self.plane, view, cancelled)
            self._finer.clear()
            self._finer[pixels] = self if found is None else replace(self, seen=found, _finer={})
        return self._finer[pixels]

    def view(self, pixels: tuple[float, float]) -> View | None:
        """The part of the plane that the map shows, at a resolution; None if it shows nothing.

        Args:
            pixels: the width and height of the figure.
        """
        box = self.seen.box()
        if box is None:
            return None
        (top, bottom), (left, right) = box
        return View((top - 1, bottom + 1), (left - 1, right + 1), pixels[1], pixels[0])

    def picture(
        self, colours: NDArray[np.uint8], rect: Rect, title: str, contours: Contours = NO_CONTOURS
    ) -> Picture:
        """The panel of the colours of a part of the plane.

        Args:
            colours: shape (h, w, 4).
            rect: that part.
            contours: those of the plane.
        """
        layer = Layer(self.seen.picture(colours, rect), self.seen.rect)
        top, left, bottom, right = self.seen.rect
        return Picture(
            (layer,),
            Scale("", top, bottom),
            Scale("", left, right),
            1.0,
            title=title,
            map_lines=self.lines,
            contours=contours.on_map(self.plane, self.chart),
            has_axes=False,
        )
