"""Imports in the background what was left out for a fast start: the drawing modules, then those of stores."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from zarrbrowser.panes.pane_set import PaneSet, load_pictures
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import load_stores
from zarrbrowser.workers import Workers
from zarrbrowser.workers.qt_types import make_qt_types
from zarrbrowser.workers.workers import Stopped

_log = logging.getLogger(__name__)


class PictureLoader(QObject):
    """Loads what pictures need.

    Attributes:
        is_loaded: whether pictures can be drawn.

    Signals:
        loaded: pictures can be drawn now.
        failed: the sentence that says why nothing can be drawn.
        finished: all is imported and made that was left out for a fast start.
    """

    loaded = Signal()
    failed = Signal(str)
    finished = Signal()

    def __init__(self, panes: PaneSet, workers: Workers) -> None:
        super().__init__(panes)
        self._panes, self._workers, self.is_loaded = panes, workers, False

    def load(self) -> None:
        """Import the drawing modules in a thread: it takes a quarter of a second, and must not block the window."""
        make_qt_types(self, self._import)

    def _import(self) -> None:
        self._workers.submit(lambda _asked: load_pictures(), lambda _nothing: self._go_on(), self._fail)

    def _go_on(self) -> None:
        self.is_loaded = True
        self.loaded.emit()
        self._workers.submit(
            lambda _asked: load_stores(),
            lambda _nothing: self._prepare_image(),
            lambda error: _log.debug("stores are imported when one is opened: %s", error),
        )

    def _prepare_image(self) -> None:
        """Make the Image tab before an image is opened: it takes longer than to show one."""
        pane = self._panes["Image"]

        def apply_style() -> None:
            for widget in (pane, *pane.findChildren(QWidget)):
                widget.ensurePolished()
            self.finished.emit()

        QTimer.singleShot(0, self, apply_style)  # in a turn of its own: the window answers between the two

    def _fail(self, error: Exception) -> None:
        if isinstance(error, Stopped):
            self.load()  # the user stopped reading, but pictures need these modules
        else:
            self.failed.emit(sentence(error))
