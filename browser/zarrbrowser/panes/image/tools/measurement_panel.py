"""The panel below the picture: the profile along a line."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from zarrbrowser.image.levels import Image
from zarrbrowser.image.measurements import Profile, read_profile
from zarrbrowser.image.state import Change
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.profile_plot import ProfilePlot
from zarrbrowser.panes.image.canvas.region_shapes import move_handle, place_of_handle
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme.colours import DARK, Colours
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.view_keys import Movable
from zarrbrowser.workers import Lane, Workers


class MeasurementPanel(QFrame):
    """The profile along a line that the user drags; hidden while there is none."""

    def __init__(
        self, model: ImageModel, workers: Workers, canvas: Canvas, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self.setProperty("role", "foot")
        self._canvas = canvas
        self._lane = Lane(workers, in_flight=1)
        self.line: Any = None
        self._image: Image | None = None
        self._pen = pg.mkPen(DARK.accent, width=2)  # pictures have a dark background in both appearances
        self.words = label(role="muted", selectable=True, wrap=True)
        self.words.setContentsMargins(12, 6, 12, 6)
        self.profile: ProfilePlot | None = None
        """Created for the first line that is drawn."""
        self._colours: Colours | None = None
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.words)
        self.words.hide()
        self.hide()
        canvas.keys.offer(self._movables)
        model.changed.connect(self._follow)

    def _follow(self, change: Change) -> None:
        state = self._model.state
        image = state.image if state is not None else None
        if image is not self._image:
            self._image = image
            self.turn(is_on=False)  # a line does not apply to another image
        elif change & (Change.VALUES | Change.AXES | Change.CHANNELS | Change.COLOURS):
            self.refresh()

    def turn(self, *, is_on: bool) -> None:
        """Draw a profile, or stop."""
        if not is_on:
            self._lane.forget()
            self._canvas.keys.forget()
            if self.line is not None:
                self._canvas.view.removeItem(self.line)
            self.line = None
        elif self.line is None and self._model.state is not None:
            self.line = self._make()
            self.line.setZValue(10)
            self._canvas.view.addItem(self.line, ignoreBounds=True)
            self.line.sigRegionChanged.connect(lambda _line: self.refresh())
            if self.profile is None:
                self.profile = ProfilePlot()
                self._column.addWidget(self.profile)
                if self._colours is not None:
                    self.profile.set_colours(self._colours)
            self.refresh()
        self.setVisible(self.line is not None)

    def refresh(self) -> None:
        """Read again after the line, the plane or its numbers have changed."""
        state, line = self._model.state, self.line
        if state is None or line is None:
            return
        image, settings = state.image, state.settings
        start, end = (place_of_handle(line, handle["item"]) for handle in line.handles)
        ends = (start.y(), start.x()), (end.y(), end.x())
        self._lane.ask(
            lambda asked: read_profile(image, settings, *ends, asked.is_cancelled), self._draw, self._fail
        )

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self._colours = colours
        if self.profile is not None:
            self.profile.set_colours(colours)

    def _make(self) -> Any:
        """A line over the middle half of the view."""
        view, (height, width) = self._canvas.visible(), self._canvas.size_shown
        top, bottom = max(view.rows[0], -0.5), min(view.rows[1], height - 0.5)
        left, right = max(view.columns[0], -0.5), min(view.columns[1], width - 0.5)
        middle, quarter = (top + bottom) / 2, (right - left) / 4
        ends = ((left + quarter, middle), (right - quarter, middle))
        return pg.LineSegmentROI(ends, pen=self._pen, hoverPen=pg.mkPen("w", width=2))

    def _movables(self) -> list[Movable]:
        """What keys can move while the line is shown."""
        handles = [] if self.line is None else [handle["item"] for handle in self.line.handles]
        names = "start of the line", "end of the line"
        return [self._movable(name, handle) for name, handle in zip(names, handles, strict=False)]

    def _movable(self, name: str, handle: Any) -> Movable:
        line = self.line

        def told() -> str:
            at = place_of_handle(line, handle)
            return f"row {at.y():.10g}, column {at.x():.10g}"

        def move(x: float, y: float) -> None:
            move_handle(line, handle, place_of_handle(line, handle) + QPointF(x, y))

        return Movable(handle, name, lambda: place_of_handle(line, handle), told, move)

    def _draw(self, profile: Profile) -> None:
        self.words.hide()
        if self.profile is not None:
            self.profile.show_profile(profile)

    def _fail(self, error: Exception) -> None:
        self.words.setText(sentence(error))
        self.words.show()
