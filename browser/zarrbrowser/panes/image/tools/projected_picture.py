"""A picture in a map projection, over the picture that it is made of."""

from __future__ import annotations

import logging

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from zarrbrowser.export.figures.maps import ShownMap
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.projection import Projection
from zarrbrowser.maps.projections import Sampling, middle_of, places, projected, sampling
from zarrbrowser.maps.sketch import Sketcher, Wish
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.map_lines import DrawnSketch, MapLines, draw_sketch
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme import current_colours
from zarrbrowser.workers import Lane, Workers
from zarrcore.typing import AnyArray

_log = logging.getLogger(__name__)
_GATHER_MS = 40


class ProjectedPicture(QObject):
    """Covers a canvas while its state has a projection.

    The canvas below reads and colours the part of the plane that the map shows.

    Signals:
        failed: why a projection cannot be shown, as a sentence.
        changed: there is another map, or none any more.
        moved: another part of the map is in view.
        looked: likewise, once the view is at rest.
    """

    failed = Signal(str)
    changed = Signal()
    moved = Signal()
    looked = Signal()

    def __init__(self, workers: Workers, below: Canvas, parent: QWidget) -> None:
        super().__init__(parent)
        self._workers, self._below, self._parent = workers, below, parent
        self._lane, self._sketching, self._painting = (Lane(workers, in_flight=1) for _ in range(3))
        self.canvas: Canvas | None = None
        """The map; created when it is first needed."""
        self.lines = MapLines()
        self.chart: PlaneMap | None = None
        """The projected map; None without one."""
        self._plane: PlaneMap | None = None
        self._key: object = None
        self._state: ImageState | None = None
        self._sketcher: Sketcher | None = None
        self.sampling: Sampling | None = None
        self._asked: View | None = None
        self._wish: Wish | None = None
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._paint)

    def follow(self, state: ImageState | None) -> None:
        """Show the plane of a state in its projection, or uncover the canvas."""
        self._state = state
        geography = state.geography if state is not None else None
        plane = geography.plane(state.settings.axes) if state is not None and geography is not None else None
        projection = state.settings.projection if state is not None else Projection.NONE
        if state is None or plane is None or projection is Projection.NONE:
            self._uncover()
            return
        key = geography, state.settings.axes.rows, state.settings.axes.columns, projection
        if key != self._key:
            self._key = key
            self._start_map(plane, projection)
        elif self.chart is not None:
            self._look()

    def repaint(self) -> None:
        """The canvas below was drawn."""
        if self.chart is not None:
            self._soon.start()

    def resize(self) -> None:
        """Cover the canvas below again after its size changed."""
        if self.canvas is not None:
            self.canvas.setGeometry(self._below.geometry())

    def shown(self) -> ShownMap | None:
        """The map on the screen; None without one."""
        if self.chart is None or self._plane is None or self.sampling is None:
            return None
        return ShownMap(self.chart, self._plane, self.sampling, self.lines.sketch)

    def on_map(self, rows: AnyArray, columns: AnyArray) -> tuple[AnyArray, AnyArray] | None:
        """Places of the plane as places of the map, NaN for those that it does not show; None without a map."""
        if self.chart is None or self._plane is None:
            return None
        down, right = self.chart.to_plane(*self._plane.to_earth(rows, columns))
        with np.errstate(invalid="ignore"):
            inside = (np.abs(down - self.chart.height / 2) <= self.chart.height / 2) & (
                np.abs(right - self.chart.width / 2) <= self.chart.width / 2
            )
        return np.where(inside, down, np.nan), np.where(inside, right, np.nan)

    def fit(self) -> bool:
        """Show the whole map; False without one."""
        if self.canvas is not None and self.chart is not None:
            self.canvas.fit()
        return self.chart is not None

    def _forget(self) -> None:
        for lane in (self._lane, self._sketching, self._painting):
            lane.forget()
        self._soon.stop()

    def _uncover(self) -> None:
        self._forget()
        had_map = self.chart is not None
        self.chart = self._plane = self._key = self._sketcher = None
        self.sampling = self._asked = self._wish = None
        # The map of the projection before stays while another one is computed: then there is no chart.
        if self.canvas is not None and not self.canvas.isHidden():
            self.canvas.hide()
            self.canvas.clear_plane()
            self.lines.clear()
            if self._state is not None:
                self._below.fit()
        if had_map:
            self.changed.emit()

    def _start_map(self, plane: PlaneMap, projection: Projection) -> None:
        view = self._below.visible()
        self._forget()
        had_map, self.chart = self.chart is not None, None
        self.sampling = self._asked = self._wish = None
        self._lane.ask(
            lambda _asked: projected(projection, plane, *middle_of(plane, view)),
            lambda chart: self._cover(plane, chart),
            self._fail,
        )
        if had_map:
            self.changed.emit()

    def _fail(self, error: Exception) -> None:
        """Show the picture itself, and say why."""
        key = self._key
        self._uncover()
        self._key = key  # not again until something changes
        self.failed.emit(sentence(error))

    def _cover(self, plane: PlaneMap, chart: PlaneMap) -> None:
        if self.canvas is None:
            self.canvas = Canvas(self._parent)
            self.canvas.setAccessibleName("map of the plane")
            self.canvas.view.addItem(self.lines, ignoreBounds=True)
            self.canvas.moved.connect(self._look)
            self.canvas.moved.connect(self.looked)
            self.canvas.view.sigRangeChanged.connect(lambda *_: self.moved.emit())
            self.canvas.pointed.connect(lambda place: self._below.pointed.emit(self._place(place)))
            self.canvas.picked.connect(self._pick)
            for side in ("left", "bottom"):
                self.canvas.plot.hideAxis(side)
        self._plane, self.chart, self._sketcher = plane, chart, Sketcher(chart)
        self.canvas.set_colours(current_colours())
        self.resize()
        self.canvas.show()
        self.canvas.raise_()
        self.canvas.show_plane(chart.height, chart.width, has_ground=False)
        self._below.fit()
        self._look()
        self.changed.emit()

    def _look(self) -> None:
        """Find the elements for the part in view, and draw lines over it."""
        chart, plane, canvas, state = self.chart, self._plane, self.canvas, self._state
        if chart is None or plane is None or canvas is None or state is None:
            return
        view = canvas.visible()
        if view != self._asked:
            self._asked = view
            self._lane.ask(
                lambda asked: sampling(chart, plane, view, asked.is_cancelled),
                lambda found: self._use_sampling(chart, found),
                lambda error: _log.debug("cannot project the picture", exc_info=error),
            )
        wish = Wish(view, (False, False), state.settings.coastlines, state.settings.graticule)
        sketcher = self._sketcher
        if sketcher is not None and wish != self._wish:
            self._wish, ratio = wish, canvas.devicePixelRatioF()
            self._sketching.ask(
                lambda _asked: draw_sketch(sketcher.sketch(wish), wish.view, chart.size, ratio),
                lambda drawn: self._show_lines(chart, drawn),
                lambda error: _log.debug("cannot draw the map", exc_info=error),
            )

    def _show_lines(self, chart: PlaneMap, drawn: DrawnSketch) -> None:
        if chart is self.chart:
            self.lines.show_drawn(drawn, *chart.size)

    def _use_sampling(self, chart: PlaneMap, found: Sampling | None) -> None:
        if chart is not self.chart or found is None:
            return
        self.sampling = found
        box = found.box()
        plane = self._plane
        if box is not None and plane is not None:
            (top, bottom), (left, right) = box
            is_whole = bottom - top > 0.9 * plane.height and right - left > 0.9 * plane.width
            if is_whole:
                self._below.fit()
            else:
                self._below.show_range((top - 1, bottom + 1), (left - 1, right + 1))
        self._paint()

    def _paint(self) -> None:
        """Draw the colours of the canvas below in their places on the map."""
        canvas, found, image = self.canvas, self.sampling, self._below.image
        if canvas is None or found is None or self.chart is None:
            return
        if image.image is None:
            self._painting.forget()
            canvas.clear_picture()
            return
        # The picture's own rectangle: left, top, width, height.
        box = image.mapRectToParent(image.boundingRect())
        rect, colours = (box.top(), box.left(), box.bottom(), box.right()), image.image
        self._painting.ask(
            lambda _asked: found.picture(colours, rect),
            lambda picture: canvas.show_picture(picture, found.rect, is_smooth=False),
            lambda error: _log.debug("cannot draw the map", exc_info=error),
        )

    def _place(self, place: tuple[float, float] | None) -> tuple[float, float] | None:
        """A place of the map as a place of the plane; None off the plane."""
        if place is None or self.chart is None or self._plane is None:
            return None
        rows, columns = places(self.chart, self._plane, np.array([place[0]]), np.array([place[1]]))
        return (float(rows[0]), float(columns[0])) if np.isfinite(rows[0]) else None

    def _pick(self, place: tuple[float, float]) -> None:
        there = self._place(place)
        if there is not None:
            self._below.picked.emit(there)
