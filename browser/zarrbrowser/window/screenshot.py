"""A picture of the window once it shows its content, for tests and documents."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication, QObject, QTimer

from zarrbrowser.window.main_window import MainWindow

_CALM_MS = 300
"""The time without work before the picture, so that the tree has loaded too."""
_PATIENCE_MS = 60_000


class Screenshot(QObject):
    """Waits until the window has settled and is idle, writes the file, and ends the program.

    The program fails if the window has a message in place of the node; the picture shows it.
    """

    def __init__(self, window: MainWindow, path: str) -> None:
        super().__init__(window)
        self._window, self._path = window, path
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self._take_if_calm)
        window.settled.connect(self._calm.start)
        QTimer.singleShot(_PATIENCE_MS, self, self._give_up)

    def _take_if_calm(self) -> None:
        if self._window.workers.active:
            self._calm.start()
            return
        view = self._window.view
        if not self._window.grab().save(self._path, "PNG"):
            self._say(f"{self._path} cannot be written")
        elif view.shows_sentence:
            self._say(view.sentence.text.rstrip("."))
        else:
            self._leave(0)

    def _give_up(self) -> None:
        self._say("the window did not show anything within a minute")

    def _say(self, text: str) -> None:
        sys.stderr.write(f"zarrscope: {text}\n")
        self._leave(1)

    def _leave(self, status: int) -> None:
        self._window.close()
        QCoreApplication.exit(status)
