"""A session in the window: open sources, copy everything that can be copied, bookmark each view, save the bookmarks, and close.

    python -m tests.proofs.security.window_session ADDRESS …

It prints what was in the clipboard, and the texts of the window.
"""

from __future__ import annotations

import os
import sys
import time

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.workers.garbage import collect_in_this_thread

_OPENS_WITHIN_S = 30.0


def bookmark(window: MainWindow, application: QApplication) -> None:
    """Bookmark the picture once it is drawn, and save all bookmarks for others."""
    deadline = time.monotonic() + _OPENS_WITHIN_S
    window.node_pane.show_tab("Image")
    while time.monotonic() < deadline:
        application.processEvents()
        pane = window.node_pane.current_pane
        if pane is not None and pane.figure() is not None:
            break
    dialog = window.saved_views.bookmarker.add()
    if dialog is not None:
        dialog.accept()
    window.saved_views.bookmarker.save(os.path.join(os.environ["HOME"], "views.zarrscope-views.json"))
    while window.workers.active:
        application.processEvents()


def main(addresses: list[str]) -> None:
    """Open the sources one after the other."""
    application = QApplication([])
    collect_in_this_thread(application)
    window = MainWindow(Settings())
    window.show()
    for number, address in enumerate(addresses):
        window.navigator.go(SourceRequest(address, "/x"))
        deadline = time.monotonic() + _OPENS_WITHIN_S
        while time.monotonic() < deadline:
            application.processEvents()
            node = window.session.node
            if window.view.sentence.button.isVisible() or (
                len(window.session.sources) > number and node and node.path == "/x"
            ):
                break
        menu = window.node_pane.header.copy_button.menu()
        menu.aboutToShow.emit()
        for action in menu.actions():
            QGuiApplication.clipboard().clear()
            action.trigger()
            print(action.text(), QGuiApplication.clipboard().text())
        if window.session.node is not None:
            bookmark(window, application)
        for label in window.findChildren(QLabel):
            print(label.text(), label.toolTip())
        print(window.windowTitle(), window.view.sentence.text)
    window.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.workers.shut_down(30)


if __name__ == "__main__":
    main(sys.argv[1:])
