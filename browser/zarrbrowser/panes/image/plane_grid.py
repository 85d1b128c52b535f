"""One plane of an image, or several side by side: a pinned one, or the three orthogonal planes through a point."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from zarrbrowser.image.probe import element_at
from zarrbrowser.image.state import Change, ImageState, PlaneLayout, changes
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.plane_view import PlaneView
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.theme import current_colours
from zarrbrowser.theme.colours import Colours
from zarrbrowser.workers import Workers

_PLACES = {PlaneLayout.SINGLE: (), PlaneLayout.PAIR: ((0, 1),), PlaneLayout.ORTHOGONAL: ((0, 1), (1, 0))}
_NEW_PLANES = Change.IMAGE | Change.AXES | Change.LAYOUT


class PlaneGrid(QWidget):
    """The main view of an `ImageModel`, and views that follow it.

    The position along all axes, including those of the picture, is that of the settings; the crosshair is there.

    Signals:
        pointed: the view under the pointer, with the position there; None off all pictures.
        begun: a view that shows another image, or other axes of it.
        drawn: a view with another picture, or the same in other colours.
    """

    pointed = Signal(object)
    begun = Signal(object)
    drawn = Signal(object)

    def __init__(
        self,
        model: ImageModel,
        workers: Workers,
        cache: TileCache,
        coordinate_labels: CoordinateLabels,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model, self._workers, self._cache = model, workers, cache
        self._coordinate_labels = coordinate_labels
        self.others: list[PlaneView] = []
        """The view to the right and, for orthogonal planes, the one below."""
        self._layout = PlaneLayout.SINGLE
        self._pinned: ImageState | None = None
        """The pinned state of the right view of a pair."""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(1)
        self.setProperty("role", "canvas")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.main = self._add_view(0, 0)
        self.main.drawn.connect(self._share_measured)
        model.changed.connect(self._follow)
        coordinate_labels.changed.connect(self._write_coordinates)

    @property
    def views(self) -> list[PlaneView]:
        """All views, the main one first."""
        return [self.main, *self.others]

    def retry(self) -> None:
        """Repeat failed reads."""
        for view in self.views:
            view.retry()

    def pause(self, *, is_on: bool) -> None:
        """Pause or resume reading."""
        for view in self.views:
            view.pause(is_on=is_on)

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        for view in self.views:
            view.set_colours(colours)

    def _follow(self, change: Change) -> None:
        state = self._model.state
        if state is None:
            self._clear()
            return
        is_same_image = Change.IMAGE not in change
        if state.layout is not self._layout or (Change.LAYOUT in change and is_same_image):
            self._arrange(state.layout)
        self.main.show_state(state, change)
        turned = Change.AXES in change and is_same_image and state.shows_same_image(self._pinned)
        if self._layout is PlaneLayout.PAIR and (self._pinned is None or turned):
            self._pinned = state
        others = state.beside(self._pinned)
        for view, other in zip(self.others, others, strict=True):
            view.follow(self.main if state.computes_like(other) else None)
            again = change & (Change.IMAGE if self._layout is PlaneLayout.ORTHOGONAL else Change.MEASURE)
            view.show_state(other, again | changes(view.state, other))
        if self._layout is PlaneLayout.PAIR:
            self._pinned = others[0]  # in the present colours
        if change & _NEW_PLANES:
            self._link(state)
            self._write_coordinates()
        self._show_cross(state)

    def _clear(self) -> None:
        """Show no image; a pinned one stays."""
        self.main.clear()
        for view in self.others:
            if self._layout is PlaneLayout.PAIR:
                view.canvas.link(self.main.canvas, rows=False, columns=False)
            else:
                view.clear()

    def _arrange(self, layout: PlaneLayout) -> None:
        """Create the views of a layout; a pinned view starts with the plane of the main one."""
        while self.others:
            gone = self.others.pop()
            gone.clear()
            gone.hide()
            gone.deleteLater()
        self._layout, self._pinned = layout, None
        self.main.canvas.show_title("")
        self.others = [self._add_view(*place) for place in _PLACES[layout]]
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 0 if layout is PlaneLayout.SINGLE else 1)
        self._grid.setRowStretch(0, 1)
        self._grid.setRowStretch(1, 1 if layout is PlaneLayout.ORTHOGONAL else 0)

    def _add_view(self, row: int, column: int) -> PlaneView:
        view = PlaneView(self._workers, self._cache)
        view.set_colours(current_colours())
        view.canvas.pointed.connect(lambda place: self.pointed.emit(None if place is None else (view, place)))
        view.canvas.picked.connect(lambda place: self._move(view, place))
        view.begun.connect(lambda: self.begun.emit(view))
        view.drawn.connect(lambda: self.drawn.emit(view))
        view.stopped.connect(lambda: self._model.set(may_read_bytes=0))  # consent is withdrawn
        self._grid.addWidget(view, row, column)
        return view

    def _move(self, view: PlaneView, place: tuple[float, float]) -> None:
        """Move the orthogonal planes to a point of one of them."""
        state = self._model.state
        if self._layout is PlaneLayout.ORTHOGONAL and state is not None and view.settings is not None:
            row, column = element_at(place)
            seen = view.settings.axes
            self._model.set(axes=state.settings.axes.at(seen.rows, row).at(seen.columns, column))

    def _link(self, state: ImageState) -> None:
        """Link views with a common axis, and name planes of different images."""
        main = self.main.canvas
        if self._layout is PlaneLayout.ORTHOGONAL:
            self.others[0].canvas.link(main, rows=True, columns=False)
            self.others[1].canvas.link(main, rows=False, columns=True)
        if self._layout is not PlaneLayout.PAIR or self._pinned is None:
            return
        pinned, canvas = self._pinned, self.others[0].canvas
        same = state.shows_same_image(pinned)
        position = pinned.settings.describe(pinned.image)
        canvas.show_title("" if same else f"{pinned.image.path}{', ' if position else ''}{position}")
        main.show_title("" if same else state.image.path)
        one, other = state.settings.axes, pinned.settings.axes
        alike = (one.height, one.width) == (other.height, other.width)
        canvas.link(main, rows=alike, columns=alike)
        if not alike:
            canvas.fit()

    def _write_coordinates(self) -> None:
        state = self._model.state
        for view in self.views:
            if view.settings is not None and view.state is not None and view.state.shows_same_image(state):
                self._coordinate_labels.write_on(view.canvas, view.settings, has_bar=view is self.main)

    def _show_cross(self, state: ImageState) -> None:
        index = state.settings.axes.index
        for view in self.views:
            is_shown = self._layout is PlaneLayout.ORTHOGONAL and view.settings is not None
            axes = view.settings.axes if is_shown and view.settings is not None else None
            view.canvas.show_cross(None if axes is None else (index[axes.rows], index[axes.columns]))

    def _share_measured(self) -> None:
        """Give other planes of the image the contrast of the main one."""
        self._model.set_measured(self.main.measured)
        for view in self.others:
            if view.state is not None and view.state.shows_same_image(self.main.state):
                view.paint()
