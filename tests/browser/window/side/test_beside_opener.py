"""The commands that show a second image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QDrag
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.beside.pictures import area_of
from tests.browser.panes.image.pictures import VOLUME, pane_of
from zarrbrowser.models.row_mime import row_in
from zarrbrowser.window.main_window import MainWindow


def root() -> FakeGroup:
    return FakeGroup(
        {
            "array": FakeArray(VOLUME, ("z", "y", "x")),
            "other": FakeArray(VOLUME[0], ("y", "x")),
            "line": FakeArray(np.arange(4.0)),
        }
    )


def entry(window: MainWindow, path: str) -> QAction | None:
    """The entry of the context menu of a row."""
    model, source = window.model, window.model.index(0, 0)
    rows: list[Any] = [model.index(row, 0, source) for row in range(model.rowCount(source))]
    index = next(row for row in rows if model.path_of(row) == path)
    item = model.item(index)
    assert item is not None
    menu = window.tree.menu_for(index, item)
    return next((one for one in menu.actions() if one.text() == "Show beside"), None)


def test_the_context_menu_shows_a_row_beside(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(root(), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert entry(window, "/line") is None
    action = entry(window, "/other")
    assert action is not None
    action.trigger()
    area = area_of(pane)
    qtbot.waitUntil(lambda: area.pane.view.is_complete)
    assert area.path == "/other"
    assert window.session.node is not None
    assert window.session.node.path == "/array"


def test_commands_keep_the_current_image_and_close_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(root(), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window.node_pane.show_tab("Metadata")
    window.beside.show_current()
    assert window.node_pane.current_tab() == "Image"
    area = area_of(pane)
    window.open_text("fake.zarr#/other")
    qtbot.waitUntil(lambda: pane.model.state is not None and pane.model.state.image.path == "/other")
    assert area_of(pane) is area
    assert area.path == "/array"
    window.beside.close()
    assert pane.beside.area is None


def test_without_an_image_the_status_bar_says_so(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(root(), "/line")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/line")
    with qtbot.waitSignal(window.beside.reported) as heard:
        window.beside.show_current()
    assert heard.args[0].startswith("No image is shown")
    window.beside.close()
    window.node_pane.leave()
    with qtbot.waitSignal(window.beside.reported):
        window.beside.show_current()


def test_a_pressed_row_is_chosen_when_the_button_is_released(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(root(), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    tree, source = window.tree, window.model.index(0, 0)
    index = next(
        window.model.index(row, 0, source)
        for row in range(window.model.rowCount(source))
        if window.model.path_of(window.model.index(row, 0, source)) == "/other"
    )
    at = tree.visualRect(index).center()
    qtbot.mousePress(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert window.session.node is not None
    assert window.session.node.path == "/array"  # a drag may begin here
    qtbot.mouseRelease(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert window.session.node.path == "/other"


def test_the_right_button_keeps_the_present_node(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(root(), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    tree, source = window.tree, window.model.index(0, 0)
    other = tree.visualRect(window.model.index(2, 0, source)).center()
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        qtbot.mouseClick(tree.viewport(), button, pos=other)
        assert window.session.node is not None
        assert window.session.node.path == "/array"  # "Show beside" shows the row beside this
        assert window.model.path_of(tree.currentIndex()) == "/array"


def test_a_dragged_row_does_not_become_the_current_one(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(root(), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    tree, source = window.tree, window.model.index(0, 0)
    before = tree.currentIndex()
    index = next(
        window.model.index(row, 0, source)
        for row in range(window.model.rowCount(source))
        if window.model.path_of(window.model.index(row, 0, source)) == "/other"
    )
    dragged: list[Any] = []

    def run(drag: QDrag, _action: Qt.DropAction) -> Qt.DropAction:
        dragged.append(row_in(drag.mimeData()))
        return Qt.DropAction.CopyAction

    monkeypatch.setattr(QDrag, "exec", run)  # the platform of the tests has no drags
    qtbot.mousePress(tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualRect(index).center())
    tree.startDrag(Qt.DropAction.CopyAction)
    assert dragged == [("fake.zarr", "/other")]
    assert tree.currentIndex() == before
    assert window.session.node is not None
    assert window.session.node.path == "/array"
    tree.setCurrentIndex(index)  # by a key, for example
    assert window.session.node.path == "/other"
