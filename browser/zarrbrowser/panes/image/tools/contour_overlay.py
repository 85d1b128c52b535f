"""Draws contour lines over the picture of one view. A thread finds and draws them, from the samples that are drawn."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject

from zarrbrowser.image.colours.render import Style
from zarrbrowser.image.contours import Contours, contours_of
from zarrbrowser.image.tiles.frames import Mosaic, View
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.maps.geography import Geography, PlaneMap
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.map_lines import ContourLines, DrawnContours, draw_contours
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Contoured:
    """What contours are drawn of."""

    settings: ViewSettings
    mosaic: Mosaic
    style: Style
    geography: Geography | None = None
    """Where the image is on Earth, if that is known."""
    chart: PlaneMap | None = None
    """The map of the plane in a projection, if it is drawn in one."""

    def has_lines_of(self, other: Contoured | None) -> bool:
        """Whether the contours are the same."""
        return (
            other is not None
            and self.mosaic is other.mosaic
            and self.geography is other.geography
            and self.chart is other.chart
            and (self.style, self.settings.elements) == (other.style, other.settings.elements)
        )

    def contours(self) -> Contours:
        """The lines, on the map if there is one."""
        plane = None if self.geography is None else self.geography.plane(self.settings.axes)
        found = contours_of(self.settings, self.mosaic, self.style, plane)
        return found if plane is None or self.chart is None else found.on_map(plane, self.chart)


class ContourOverlay(QObject):
    """Follows a view. The lines before stay until those of a new picture are found.

    Attributes:
        lines: what is drawn.
    """

    def __init__(self, workers: Workers, parent: QObject) -> None:
        super().__init__(parent)
        self._lane = Lane(workers, in_flight=1)
        self._canvas: Canvas | None = None
        self._asked: tuple[Contoured, View] | None = None
        self._known: tuple[Contoured, Contours] | None = None
        self.lines = ContourLines()

    def follow(self, subject: Contoured | None, canvas: Canvas) -> None:
        """Draw the contours of a subject for the part in view, if they are not drawn yet; none without a subject."""
        if subject is None:
            if self._asked is not None:
                self._lane.forget()
                self._asked = self._known = None
                self.lines.clear()
            return
        if canvas is not self._canvas:
            if self._canvas is not None:
                self._canvas.view.removeItem(self.lines)
            self.lines.clear()
            self._canvas = canvas
            canvas.view.addItem(self.lines, ignoreBounds=True)
        view = canvas.visible()
        if self._asked is not None and subject.has_lines_of(self._asked[0]) and view == self._asked[1]:
            return
        self._asked = subject, view
        size, ratio = canvas.size_shown, canvas.devicePixelRatioF()
        known = self._known
        kept = known[1] if known is not None and subject.has_lines_of(known[0]) else None

        def work(_asked: Any) -> DrawnContours:
            return draw_contours(subject.contours() if kept is None else kept, view, size, ratio)

        self._lane.ask(work, lambda drawn: self._show(subject, drawn, size), self._fail)

    def _show(self, subject: Contoured, drawn: DrawnContours, size: tuple[int, int]) -> None:
        self._known = subject, drawn.contours
        self.lines.show_drawn(drawn, *size)

    def _fail(self, error: Exception) -> None:
        """Draw none: those before are of another picture."""
        _log.warning("cannot draw the contours", exc_info=error)
        self.lines.clear()
