"""One of two image panes that are linked: what the other one needs to know of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Signal

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Image
from zarrbrowser.image.linking.earth_link import Place, Sheet
from zarrbrowser.image.linking.image_link import Side
from zarrbrowser.image.linking.rulers import Scale
from zarrbrowser.image.linking.scales import scale_of
from zarrbrowser.image.state import Change
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.workers import Lane, Workers

if TYPE_CHECKING:
    from zarrbrowser.panes.image.image_pane import ImagePane

_log = logging.getLogger(__name__)
_LEADS = (QEvent.Type.Enter, QEvent.Type.FocusIn, QEvent.Type.Wheel, QEvent.Type.KeyPress)


class LinkedPane(QObject):
    """Watches an image pane.

    Signals:
        replaced: another image.
        meant: its places mean something else: another image, other axes, coordinates that have come.
        moved: the position along the sliders' axes.
        zoomed: another part is in view.
        pointed: the view under the pointer, with the place there; None off all pictures.
        told: coordinates and value under the pointer, as text.
        led: the user works in this pane.
    """

    replaced = Signal()
    meant = Signal()
    moved = Signal()
    zoomed = Signal()
    pointed = Signal(object)
    told = Signal(str)
    led = Signal()

    def __init__(self, pane: ImagePane, workers: Workers, parent: QObject) -> None:
        super().__init__(parent)
        self.pane = pane
        self._lane = Lane(workers, in_flight=1)
        self._image: Image | None = None
        self._scale: Scale | None = None
        pane.model.changed.connect(self._follow)
        pane.coordinate_labels.changed.connect(self.meant)
        pane.canvas.view.sigRangeChanged.connect(self._zoom)
        pane.view.projection.moved.connect(self.zoomed)
        pane.view.projection.changed.connect(self._follow_map)
        pane.body.grid.pointed.connect(self.pointed)
        pane.body.tools.pointed.connect(self.told)
        for widget in (pane.body, pane.canvas, pane.canvas.viewport()):
            widget.installEventFilter(self)
        self._watch_map()
        self._look_for_scale()

    def forget(self) -> None:
        """Stop watching, and cancel requests."""
        self._lane.forget()
        self.pane.model.changed.disconnect(self._follow)
        self.pane.view.projection.changed.disconnect(self._follow_map)
        self.blockSignals(True)

    @property
    def axes(self) -> Axes | None:
        """The plane; None without an image."""
        state = self.pane.model.state
        return None if state is None else state.settings.axes

    @property
    def surface(self) -> Canvas:
        """The canvas that the user sees: the picture, or its map."""
        projection = self.pane.view.projection
        canvas = projection.canvas
        return self.pane.canvas if projection.chart is None or canvas is None else canvas

    def show_cross(self, place: Place | None, on_surface: Place | None) -> None:
        """Draw a cross at a place of the plane; None for no cross.

        Args:
            on_surface: where the map has that place, if there is one.
        """
        self.pane.canvas.show_cross(place)
        if self.surface is not self.pane.canvas:
            self.surface.show_cross(on_surface)

    def sheet(self) -> Sheet | None:
        """Where the plane is on Earth, and the map that shows it; None if that is unknown."""
        state, labels = self.pane.model.state, self.pane.coordinate_labels
        geography = labels.geography if state is not None and labels.is_about(state.image) else None
        plane = None if state is None or geography is None else geography.plane(state.settings.axes)
        return None if plane is None else Sheet(plane, self.pane.view.projection.chart)

    def side(self) -> Side | None:
        """What the image says about places in it; None without an image."""
        state, labels = self.pane.model.state, self.pane.coordinate_labels
        if state is None:
            return None
        known = labels.found if labels.is_about(state.image) and not state.image.has_scale else {}
        return Side(state.settings.axes, known, self._scale if self._image is state.image else None)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Report that the user works in this pane."""
        if event.type() in _LEADS:
            self.led.emit()
        return False

    def _follow(self, change: Change) -> None:
        if Change.IMAGE in change:
            self._look_for_scale()
        if change & (Change.IMAGE | Change.AXES):
            self.meant.emit()
        elif Change.POSITION in change:
            self.moved.emit()

    def _follow_map(self) -> None:
        self._watch_map()
        self.meant.emit()

    def _watch_map(self) -> None:
        """Watch the canvas of the map, which is made when it is first needed; Qt keeps a filter once."""
        canvas = self.pane.view.projection.canvas
        if canvas is not None:
            canvas.show_cross(None)
            for widget in (canvas, canvas.viewport()):
                widget.installEventFilter(self)

    def _zoom(self, *_what: object) -> None:
        self.zoomed.emit()

    def _look_for_scale(self) -> None:
        """Read the scale of the image; the reading of a pyramid's metadata takes a while."""
        state = self.pane.model.state
        image = None if state is None else state.image
        if image is self._image:
            return
        self._lane.forget()
        self._image, self._scale = image, None
        self.replaced.emit()
        if state is None or image is None:
            return
        find, where = state.find, f"{id(getattr(state.find, '__self__', None))}"
        self._lane.ask(
            lambda _asked: scale_of(image, find, where),
            self._take_scale,
            lambda error: _log.debug("cannot read the scale of %s: %s", image.path, error),
        )

    def _take_scale(self, scale: Scale | None) -> None:
        self._scale = scale
        self.meant.emit()
