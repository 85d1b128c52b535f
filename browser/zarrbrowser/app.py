"""The program: start the application, show the window, and exit."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance, apply_theme, icon
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.screenshot import Screenshot
from zarrbrowser.workers.garbage import collect_in_this_thread

_SIGNAL_MS = 200
_WITHOUT_CLIPBOARD: Final = frozenset({"eglfs", "linuxfb", "minimal", "offscreen", "vnc"})
"""Platforms of Qt whose clipboard is only that of this process."""


def run(
    request: SourceRequest | None,
    *,
    fresh: bool = False,
    appearance: Appearance | None = None,
    screenshot: str | None = None,
) -> int:
    """Show the window until it is closed; returns the exit status.

    Args:
        appearance: overrides the saved appearance for this run.
        screenshot: a PNG file to write once the window shows its content; then the program ends.
    """
    QCoreApplication.setOrganizationName("zarrscope")
    QLocale.setDefault(QLocale.c())  # all numbers are written with a decimal point, so they are read so, too
    application = QApplication(sys.argv[:1])
    application.setApplicationName("zarrbrowser")
    application.setApplicationDisplayName("zarrscope")
    application.setDesktopFileName("zarrscope")
    settings = Settings(fresh=fresh or screenshot is not None)
    colours = apply_theme(application, appearance or settings.appearance())
    application.setWindowIcon(icon("zarrscope", colours.accent))
    window = MainWindow(settings)
    window.show()
    if appearance is None:
        application.styleHints().colorSchemeChanged.connect(
            lambda _scheme: window.view.appearance.follow_system()
        )
    picture = Screenshot(window, screenshot) if screenshot is not None else None
    if request is not None:
        window.go(request)
    elif picture is not None:
        QTimer.singleShot(0, window.settled.emit)
    else:
        window.restore_session()
    QTimer.singleShot(0, window.node_pane.pictures.load)
    _leave_on_signals(application, window)
    # Objects created so far live until the end: the collector need not scan them each time a large group has loaded.
    gc.freeze()
    window.node_pane.pictures.finished.connect(gc.freeze)
    collect_in_this_thread(application)
    status = int(application.exec())
    return _leave(window, status)


def _leave_on_signals(application: QApplication, window: MainWindow) -> None:
    # A window that is closed before the event loop runs would not end it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QTimer.singleShot(0, window, lambda: window.close()))
    # Python runs signal handlers only between its own instructions: run some regularly.
    tick = QTimer(application, interval=_SIGNAL_MS)
    tick.timeout.connect(lambda: None)
    tick.start()


def empty_own_clipboard() -> None:
    """Empty a clipboard that no other program sees: Qt destroys its content after Python's end, and crashes if Python made it."""
    if QGuiApplication.platformName() in _WITHOUT_CLIPBOARD:
        QGuiApplication.clipboard().clear()


def _leave(window: MainWindow, status: int) -> int:
    empty_own_clipboard()
    if window.workers.shut_down(0.0):
        return status
    # A thread is waiting for a store that hangs. Nothing is being written, so the program need not wait for the timeout.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
