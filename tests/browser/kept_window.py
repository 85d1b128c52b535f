"""A window that one test after another uses, because a new one takes most of the time of a test of a picture.

Closing its sources clears it, as for a user. A window that then differs from a new one is not used again.
"""

from __future__ import annotations

from dataclasses import fields
from typing import ClassVar

import numpy as np
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.session.state import Session
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow

_SIZE = 1280, 800


class KeptWindow:
    """A window with an Image tab, without a source between two tests."""

    _new: ClassVar[list[object]] = []
    """What a new window shows, as the first one did."""

    def __init__(self, qtbot: QtBot) -> None:
        self._root = FakeGroup()
        self._window = MainWindow(Settings(fresh=True), self._opened)
        self._window.show()
        if not self._new:
            self._new.extend(self._state(qtbot))

    def open(self, root: FakeGroup, path: str, qtbot: QtBot) -> MainWindow:
        """Show a hierarchy."""
        self._root = root
        self._window.resize(*_SIZE)
        self._window.open(SourceRequest("fake.zarr", path))
        # Its tabs may still be those of the test before.
        qtbot.waitUntil(lambda: self._window.session.node is not None)
        return self._window

    def is_as_new(self, qtbot: QtBot) -> bool:
        """Close the sources, and say whether the window then shows another one as a new window does."""
        if self._window.isHidden():  # the test has closed it
            return False
        self._clear()
        return self._state(qtbot) == self._new

    def close(self) -> None:
        """Close the window."""
        self._window.close()
        assert self._window.workers.shut_down(30), "a thread is still working"
        self._window.deleteLater()

    def _opened(self, request: SourceRequest) -> Source:
        return Source(request, FakeHierarchy(self._root), self._root)

    def _clear(self) -> None:
        window, fresh = self._window, Session()
        while window.model.rowCount():
            window.model.close(window.model.index(0, 0))
        window.workers.stop()
        assert window.workers.wait(30), "a thread is still working"
        window.node_pane.panes.forget_tiles()
        for part in fields(Session):
            setattr(window.session, part.name, getattr(fresh, part.name))

    def _state(self, qtbot: QtBot) -> list[object]:
        """What a user sees and can set beside a certain picture."""
        self._window.setUpdatesEnabled(False)  # the check compares no pixels
        window = self.open(FakeGroup({"array": FakeArray(np.zeros((2, 3, 4)))}), "/array", qtbot)
        qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
        pane = window.node_pane.pane("Image")
        assert isinstance(pane, ImagePane)
        qtbot.waitUntil(lambda: pane.view.is_complete and not window.workers.active)
        QApplication.processEvents()
        # Parts that are made when they are first shown stay afterwards, hidden, and are filled when they are shown again.
        widgets = [one for one in window.findChildren(QWidget) if one.isVisible()]
        found = [
            pane.view_state(),
            *(type(one) for one in widgets if one.isEnabled()),
            *(one.isChecked() for one in window.findChildren(QAbstractButton)),
            *((one.currentIndex(), one.count()) for one in widgets if isinstance(one, QComboBox)),
            *(one.text() for one in widgets if isinstance(one, QLineEdit)),
            *(
                (one.isChecked(), one.isEnabled() or _opens_by_button(one), one.isVisible())
                for one in window.findChildren(QAction)
                if isinstance(one.parent(), QMenu) or one.parent() in widgets
            ),
        ]
        self._clear()
        window.setUpdatesEnabled(True)
        return found


def _opens_by_button(action: QAction) -> bool:
    """Whether it stands for the menu of a button, which stays enabled when the button is disabled again."""
    menu = action.menu()
    return isinstance(menu, QMenu) and isinstance(menu.parent(), QAbstractButton)
