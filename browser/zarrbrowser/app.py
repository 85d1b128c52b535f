"""The program: an application, a window, and leaving it."""

from __future__ import annotations

import gc
import os
import signal
import sys

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QApplication

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance, apply_theme, icon
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.screenshot import Screenshot

_SIGNAL_MS = 200


def run(
    request: SourceRequest | None,
    *,
    fresh: bool = False,
    appearance: Appearance | None = None,
    screenshot: str | None = None,
) -> int:
    """Show the window until it is closed; returns the exit status.

    Args:
        appearance: overrides the remembered one, for this run.
        screenshot: a PNG file to write once something is on the screen; then the program ends.
    """
    QCoreApplication.setOrganizationName("zarrscope")
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
        application.styleHints().colorSchemeChanged.connect(lambda _scheme: window.follow_system())
    picture = Screenshot(window, screenshot) if screenshot is not None else None
    if request is not None:
        window.navigator.go(request)
    elif picture is not None:
        QTimer.singleShot(0, window.settled.emit)
    else:
        window.restore_session()
    QTimer.singleShot(0, window.node_pane.load_pictures)
    _leave_on_signals(application, window)
    # What stands now stands to the end: the collector need not walk it whenever a large group has come.
    gc.freeze()
    status = int(application.exec())
    return _leave(window, status)


def _leave_on_signals(application: QApplication, window: MainWindow) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: window.close())
    # Python runs signal handlers only between its own instructions: give it some now and then.
    tick = QTimer(application, interval=_SIGNAL_MS)
    tick.timeout.connect(lambda: None)
    tick.start()


def _leave(window: MainWindow, status: int) -> int:
    if window.workers.shut_down(0.0):
        return status
    # A thread waits for a store that hangs. Nothing is being written, so the program need not wait for its timeout.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
