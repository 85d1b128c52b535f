"""The panel below the picture: the profile along a line, or the statistics of a rectangle."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from zarrbrowser.image.levels import Image
from zarrbrowser.image.measurements import Profile, RegionFacts, read_profile, read_region
from zarrbrowser.image.state import Change
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.profile_plot import ProfilePlot
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme.colours import DARK, Colours
from zarrbrowser.widgets.label import label
from zarrbrowser.workers import Lane, Workers


class MeasurementPanel(QFrame):
    """The panel below the picture; hidden while nothing is measured."""

    def __init__(
        self, model: ImageModel, workers: Workers, canvas: Canvas, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self.setProperty("role", "foot")
        self._canvas = canvas
        self._lanes = {"profile": Lane(workers, in_flight=1), "region": Lane(workers, in_flight=1)}
        self.shapes: dict[str, Any] = {}
        self._image: Image | None = None
        self._pen = pg.mkPen("w")
        self.words = label(role="muted", selectable=True, wrap=True)
        self.words.setContentsMargins(12, 6, 12, 6)
        self.words.setAccessibleName("statistics of the region")
        self.profile: ProfilePlot | None = None
        """Created for the first line that is drawn."""
        self._colours: Colours | None = None
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.words)
        self._show()
        model.changed.connect(self._follow)

    def _follow(self, change: Change) -> None:
        state = self._model.state
        image = state.image if state is not None else None
        if image is not self._image:
            self._image = image
            for name in list(self.shapes):
                self.turn(name, is_on=False)  # lines and rectangles do not apply to another image
        elif change & (Change.VALUES | Change.AXES):
            self.refresh()

    def turn(self, name: str, *, is_on: bool) -> None:
        """Measure a ``profile`` or a ``region``, or stop."""
        if not is_on:
            self._lanes[name].forget()
            shape = self.shapes.pop(name, None)
            if shape is not None:
                self._canvas.view.removeItem(shape)
        elif name not in self.shapes and self._model.state is not None:
            shape = self.shapes[name] = self._make(name)
            shape.setZValue(10)
            self._canvas.view.addItem(shape, ignoreBounds=True)
            shape.sigRegionChanged.connect(lambda _shape: self._measure(name))
            self._measure(name)
        self._show()

    def refresh(self) -> None:
        """Measure again after the plane or its numbers have changed."""
        for name in self.shapes:
            self._measure(name)

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self._pen = pg.mkPen(DARK.accent, width=2)  # pictures have a dark background in both appearances
        self._colours = colours
        if self.profile is not None:
            self.profile.set_colours(colours)
        for shape in self.shapes.values():
            shape.setPen(self._pen)

    def _show(self) -> None:
        self.words.setVisible("region" in self.shapes)
        if "profile" in self.shapes and self.profile is None:
            self.profile = ProfilePlot()
            self._column.addWidget(self.profile)
            if self._colours is not None:
                self.profile.set_colours(self._colours)
        if self.profile is not None:
            self.profile.setVisible("profile" in self.shapes)
        self.setVisible(bool(self.shapes))

    def _make(self, name: str) -> Any:
        """A shape over the middle half of the view."""
        view, (height, width) = self._canvas.visible(), self._canvas.size_shown
        top, bottom = max(view.rows[0], -0.5), min(view.rows[1], height - 0.5)
        left, right = max(view.columns[0], -0.5), min(view.columns[1], width - 0.5)
        if name == "profile":
            middle, quarter = (top + bottom) / 2, (right - left) / 4
            ends = ((left + quarter, middle), (right - quarter, middle))
            return pg.LineSegmentROI(ends, pen=self._pen, hoverPen=pg.mkPen("w", width=2))
        corner = round((left * 3 + right) / 4) - 0.5, round((top * 3 + bottom) / 4) - 0.5
        size = max(1, round((right - left) / 2)), max(1, round((bottom - top) / 2))
        shape = pg.RectROI(corner, size, pen=self._pen, hoverPen=pg.mkPen("w", width=2), sideScalers=True)
        shape.addScaleHandle([0, 0], [1, 1])
        return shape

    def _measure(self, name: str) -> None:
        state, shape = self._model.state, self.shapes.get(name)
        if state is None or shape is None:
            return
        image, settings = state.image, state.settings
        if name == "profile":
            (start, end) = (shape.mapToParent(handle["item"].pos()) for handle in shape.handles)
            ends = (start.y(), start.x()), (end.y(), end.x())
            self._lanes[name].ask(
                lambda asked: read_profile(image, settings, *ends, asked.is_cancelled), self._draw, self._fail
            )
        else:
            at, size = shape.pos(), shape.size()
            rows, columns = (at.y(), at.y() + size.y()), (at.x(), at.x() + size.x())
            self._lanes[name].ask(
                lambda asked: read_region(image, settings, rows, columns, asked.is_cancelled),
                self._tell,
                self._fail,
            )

    def _draw(self, profile: Profile) -> None:
        if self.profile is not None:
            self.profile.show_profile(profile)

    def _tell(self, facts: RegionFacts) -> None:
        self.words.setText(facts.text())

    def _fail(self, error: Exception) -> None:
        self.words.setText(sentence(error))
