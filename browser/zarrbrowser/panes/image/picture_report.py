"""What is said about the picture: above it what it lacks, instead of it why there is none, and what was read for it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.tiles.frame_text import report
from zarrbrowser.panes.image.image_body import ImageBody
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.picture_notice import PictureNotice
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.workers import Workers

_AHEAD = 3
"""Planes that are read ahead while playing."""


class PictureReport(QObject):
    """Watches the main view of an `ImageBody`.

    Signals:
        shown: the requested plane is on the screen.
        reported: what was read for it, for the status bar.
    """

    shown = Signal()
    reported = Signal(str)

    def __init__(
        self,
        model: ImageModel,
        body: ImageBody,
        workers: Workers,
        coordinate_labels: CoordinateLabels,
        retry: Callable[[], object],
    ) -> None:
        super().__init__(body)
        self._model, self._body, self._view, self._retry = model, body, body.view, retry
        self._notice = PictureNotice(model, self._view, workers, coordinate_labels, self)
        self._notice.changed.connect(self._show_notice)
        self._view.frame_shown.connect(self._show)
        self._view.failed.connect(self._fail)

    def forget(self) -> None:
        """Forget what is known about the image."""
        self._notice.forget()

    def report(self) -> None:
        """Say what was read for the plane on the screen."""
        state, frame = self._model.state, self._view.frame
        if state is not None and frame is not None and self._view.is_complete:
            self.reported.emit(report(state.image, state.settings, frame, self._view.took_s))

    def press(self) -> None:
        """Do what the button of the notice offers: read again what failed, or what is large."""
        if self._notice.is_failure:
            self._retry()
        else:
            self._notice.load()

    def _show(self) -> None:
        state, faults, frame = self._model.state, self._view.faults, self._view.frame
        if frame is None or state is None:
            return
        if faults and len(faults) == len(frame.tiles):
            self._body.stack.show_error(faults[0])
            return
        self._body.stack.show_data(*self._notice.words())
        self._notice.look_for_chunks()
        self.report()
        self.shown.emit()
        axes = state.settings.axes
        ahead = [axes.at(*place) for place in self._body.sliders.next_positions(_AHEAD)]
        if ahead:
            self._view.look_ahead(ahead)

    def _show_notice(self) -> None:
        if self._body.stack.shows_data:
            self._body.stack.show_data(*self._notice.words())

    def _fail(self, error: Exception) -> None:
        if not self._view.mosaics:
            self._body.stack.show_error(error)
