"""The commands that show a second image."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.beside.pictures import area_of
from tests.browser.panes.image.pictures import VOLUME, pane_of
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
