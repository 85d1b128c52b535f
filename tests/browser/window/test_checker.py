"""Checks of nodes, from the menu to the place of a finding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.window.places import at
from zarrbrowser.dialogs.check_dialog import CheckDialog
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def damaged(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    root = zc.create(tmp_path / "a.zarr", format="v3")
    root.create_array("scan/raw", data=np.ones((3, 40, 60), "u2"), chunks=(1, 10, 10))
    root.create_array("line", data=np.ones(900), chunks=(100,))
    for key in ("scan/raw/c/2/1/4", "line/c/7"):
        (tmp_path / "a.zarr" / key).write_bytes(b"broken")
    window.open(SourceRequest(str(tmp_path / "a.zarr")))
    qtbot.waitUntil(lambda: window.session.node is not None)
    return window


def check(window: MainWindow, qtbot: QtBot) -> CheckDialog:
    assert window.session.source is not None
    dialog = window.checker.check(window.session.source, "/")
    qtbot.waitUntil(lambda: dialog.again_button.isVisible())
    return dialog


def is_checking(window: MainWindow) -> bool:
    return any(one.label.startswith("Checking") for one in window.workers.active)


def choose(dialog: CheckDialog, key: str) -> None:
    rows = range(dialog.model.rowCount())
    row = next(row for row in rows if dialog.model.index(row, 1).data() == key)
    dialog.list.setCurrentIndex(dialog.model.index(row, 0))


def test_a_finding_leads_to_its_place_in_the_picture(damaged: MainWindow, qtbot: QtBot) -> None:
    dialog = check(damaged, qtbot)
    assert dialog.summary.text() == "2 errors  ·  81 stored chunks of 2 arrays"
    assert dialog.kinds.tabText(1) == "Bad chunks  2"
    assert not dialog.go_button.isEnabled()
    choose(dialog, "scan/raw/c/2/1/4")
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == "scan/raw/c/2/1/4"
    QTest.keyClick(dialog.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: at(damaged, "/scan/raw", "Image"))
    qtbot.waitUntil(lambda: damaged.node_pane.view_state().get("place") is not None)
    shown = damaged.node_pane.view_state()
    assert shown["index"][0] == 2
    (top, bottom), (left, right) = shown["place"]
    assert top <= 10 < 20 <= bottom
    assert left <= 40 < 50 <= right
    assert (bottom - top, right - left) < (40, 60)


def test_a_finding_of_a_line_leads_to_its_cell(damaged: MainWindow, qtbot: QtBot) -> None:
    dialog = check(damaged, qtbot)
    choose(dialog, "line/c/7")
    dialog.go_button.click()
    qtbot.waitUntil(lambda: at(damaged, "/line", "Table"))
    qtbot.waitUntil(lambda: damaged.node_pane.view_state().get("cell") is not None)
    pane = damaged.node_pane.current_pane
    assert isinstance(pane, TablePane)
    qtbot.waitUntil(lambda: pane.table.currentIndex().row() == 700)


def test_the_menu_of_a_row_and_a_command_check_its_node(damaged: MainWindow, qtbot: QtBot) -> None:
    source = damaged.model.index(0, 0)
    qtbot.waitUntil(lambda: damaged.model.rowCount(source) == 2)
    line = damaged.model.index(0, 0, source)
    item = damaged.model.item(line)
    assert item is not None
    menu = damaged.tree.menu_for(line, item)
    next(action for action in menu.actions() if action.text() == "Check…").trigger()
    (dialog,) = damaged.findChildren(CheckDialog)
    qtbot.waitUntil(lambda: dialog.again_button.isVisible())
    assert dialog.windowTitle() == "Check of a.zarr/line"
    assert dialog.tallies.arrays == 1
    menu.close()
    damaged.checker.check_current()
    assert [one.windowTitle() for one in damaged.findChildren(CheckDialog)][1:] == ["Check of a.zarr"]


def test_stopping_keeps_what_was_found_and_closing_ends_the_check(damaged: MainWindow, qtbot: QtBot) -> None:
    assert damaged.session.source is not None
    dialog = damaged.checker.check(damaged.session.source, "/")
    assert is_checking(damaged)
    dialog.stop_button.click()
    assert dialog.state.text == "The check was stopped"
    assert not is_checking(damaged)
    dialog.again_button.click()
    qtbot.waitUntil(lambda: dialog.again_button.isVisible())
    assert dialog.tallies.arrays == 2
    dialog.again_button.click()
    dialog.close()
    assert not is_checking(damaged)


def test_without_a_node_nothing_is_checked(window: MainWindow, qtbot: QtBot) -> None:
    window.checker.check_current()
    qtbot.waitUntil(lambda: "choose a node" in window.view.status.message.text)
    assert not window.findChildren(CheckDialog)
