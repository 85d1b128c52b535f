"""Draws coastlines and the graticule over the picture of one view. The lines are computed in a thread."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject

from zarrbrowser.image.state import ImageState
from zarrbrowser.maps.sketch import NOTHING, Sketcher, Wish
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.map_lines import DrawnSketch, MapLines, draw_sketch
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)


class MapOverlay(QObject):
    """Follows a view; draws nothing on planes whose place on Earth is unknown.

    Attributes:
        lines: what is drawn.
    """

    def __init__(self, workers: Workers, canvas: Canvas, parent: QObject) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self._lane = Lane(workers, in_flight=1)
        self._sketcher: Sketcher | None = None
        self._key: object = None
        self._wish: Wish | None = None
        self.lines = MapLines()
        canvas.view.addItem(self.lines, ignoreBounds=True)

    def follow(self, state: ImageState | None) -> None:
        """Draw the lines for the part in view of a state, if they are not drawn yet."""
        sketcher = self._sketcher_for(state)
        settings = state.settings if state is not None else None
        if sketcher is None or state is None or settings is None:
            self._show_nothing()
            return
        wish = Wish(self._canvas.visible(), state.flips, settings.coastlines, settings.graticule)
        if not (wish.has_coastlines or wish.has_graticule):
            self._show_nothing()
        elif wish != self._wish:
            self._wish, ratio = wish, self._canvas.devicePixelRatioF()
            self._lane.ask(
                lambda _asked: draw_sketch(sketcher.sketch(wish), wish.view, sketcher.plane.size, ratio),
                lambda drawn: self._show(sketcher, drawn),
                lambda error: _log.debug("cannot draw the map", exc_info=error),
            )

    def _sketcher_for(self, state: ImageState | None) -> Sketcher | None:
        geography = state.geography if state is not None else None
        if state is None or geography is None:
            self._sketcher = self._key = None
            return None
        axes = state.settings.axes
        key = geography, axes.rows, axes.columns
        if key != self._key:
            plane = geography.plane(axes)
            self._lane.forget()
            self._key, self._wish = key, None
            self._sketcher = None if plane is None else Sketcher(plane)
            self.lines.clear()
        return self._sketcher

    def _show(self, sketcher: Sketcher, drawn: DrawnSketch) -> None:
        if sketcher is self._sketcher:
            self.lines.show_drawn(drawn, *sketcher.plane.size)

    def _show_nothing(self) -> None:
        self._lane.forget()
        self._wish = None
        if self.lines.sketch is not NOTHING:
            self.lines.clear()
