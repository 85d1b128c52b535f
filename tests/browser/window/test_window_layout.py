"""In a small window, the picture gets most of the room."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import pane_of
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


def test_without_tree_and_colours_the_picture_has_most_of_a_small_window(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(FakeGroup({"a": FakeArray(np.zeros((5, 40, 60)), ("t", "y", "x"))}), "/a")
    pane = pane_of(window, qtbot)
    window.resize(900, 600)
    window.activateWindow()
    window.tree.setFocus()
    qtbot.waitUntil(lambda: window.isActiveWindow() and pane.body.contrast.isVisible())
    for keys in ("F9", "Shift+F9"):
        QTest.keySequence(window, QKeySequence(keys))
    qtbot.waitUntil(lambda: not pane.body.contrast.isVisible() and not window.view.side.isVisible())
    canvas = pane.canvas
    qtbot.waitUntil(lambda: canvas.width() * canvas.height() > 0.5 * 900 * 600)
    QTest.keySequence(window, QKeySequence("Ctrl+F"))
    assert window.view.side.box.isVisible(), "a search needs the place that was hidden"
    pane.body.controls.colours.click()
    assert pane.body.contrast.isVisible()


@pytest.mark.usefixtures("own_settings")
def test_what_is_hidden_stays_hidden_at_the_next_start(application: QApplication, qtbot: QtBot) -> None:
    for is_shown in (True, False):
        window = MainWindow(Settings())
        qtbot.addWidget(window)
        assert window.view.top_bar.tree_button.isChecked() is is_shown
        assert window.session.shows_colours is is_shown
        window.view.top_bar.tree_button.setChecked(False)
        window.session.shows_colours = False
        window.close()
