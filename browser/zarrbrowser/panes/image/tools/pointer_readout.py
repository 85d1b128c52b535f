"""The value under the pointer as text: immediately from the drawn samples, exactly once the pointer rests."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.probe import Told, cost_of_exact, element_at, exact, is_exact, probe
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES
from zarrbrowser.panes.image.plane_view import PlaneView
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.workers import Lane, Workers

_REST_MS = 80


class PointerReadout(QObject):
    """Follows the pointer over the views of an image.

    Signals:
        text_changed: coordinates and value; empty off all pictures.
    """

    text_changed = Signal(str)

    def __init__(
        self, workers: Workers, coordinate_labels: CoordinateLabels, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._lane = Lane(workers, in_flight=1)
        self._coordinate_labels = coordinate_labels
        self._at: tuple[PlaneView, tuple[float, float]] | None = None
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._look_closer)

    @property
    def view(self) -> PlaneView | None:
        """The view with the pointer; None off all pictures."""
        return None if self._at is None else self._at[0]

    def move(self, at: tuple[PlaneView, tuple[float, float]] | None) -> None:
        """Update the text for a position in a view, or for none."""
        self._at = at
        self._rest.stop()
        self._lane.forget()
        settings = None if at is None else at[0].settings
        if at is None or settings is None or not at[0].mosaics:
            self._at = None
            self.text_changed.emit("")
            return
        view = at[0]
        sampled = view.mosaics[0].raster.level is view.levels[0] and not is_exact(view.mosaics[0])
        text = self._text(None)
        sampled = sampled and cost_of_exact(view.mosaics[0].raster).nbytes <= ASK_ABOVE_BYTES
        self.text_changed.emit(f"{text} …" if sampled else text)
        if sampled and not settings.is_blended:
            self._rest.start()

    def update(self, view: PlaneView) -> None:
        """Show the value in another picture of a view, such as the next plane, if the pointer rests on it."""
        if self._at is not None and self._at[0] is view:
            self.move(self._at)

    def leave(self, view: PlaneView) -> None:
        """Show nothing until the pointer moves: a view shows another image, whose elements have other places."""
        if self._at is not None and self._at[0] is view:
            self.move(None)

    def _text(self, value: object) -> str:
        if self._at is None or self._at[0].state is None:
            return ""
        (view, place), state, labels = self._at, self._at[0].state, self._coordinate_labels
        is_known = labels.is_about(state.image)
        known: dict[int, Coordinate] = labels.coordinates if is_known else {}
        further: tuple[Told, ...] = labels.auxiliary if is_known else ()
        if state.geography is not None and all(one.axes != state.geography.axes for one in labels.auxiliary):
            further = (*further, state.geography)  # of large grids, not all coordinates are read
        # While a large picture is painted, that of the state before is still on the screen.
        settings = (view.shown_state or state).settings
        text = probe(settings, view.mosaics, place, known, state.image.base, value, further)
        return text + view.overlay.text(place)

    def _look_closer(self) -> None:
        """Read the element itself: its chunk was decoded for the samples, so this costs little."""
        if self._at is None or self._at[0].settings is None:
            return
        view, place = self._at
        raster, element = view.mosaics[0].raster, element_at(place)
        self._lane.ask(
            lambda asked: exact(raster, element, asked.is_cancelled),
            lambda value: self.text_changed.emit(self._text(value)),
            lambda _error: None,  # the picture reports what cannot be read
        )
