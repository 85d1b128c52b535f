"""The columns of a group as one table."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky
from tests.browser.panes.table.tables import read_here
from zarrbrowser.panes.table.table_pane import TablePane


def test_a_group_of_columns_is_one_table(open_window: OpenWindow, qtbot: QtBot) -> None:
    length = 500
    children = {
        "a": FakeArray(np.arange(length), chunks=(50,)),
        "b": FakeArray(np.arange(length) * 0.5, chunks=(50,)),
        "name": FakeArray(np.array([f"row{number}" for number in range(length)]), chunks=(50,)),
    }
    window = open_window(FakeGroup({"table": FakeGroup(children)}), "/table")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Overview")
    assert window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    qtbot.waitUntil(lambda: read_here(pane, 3, 2) == "row3")
    assert [pane.model.headerData(n, Qt.Orientation.Horizontal) for n in range(3)] == [
        "a\nmm",
        "b\nmm",
        "name\nmm",
    ]
    assert read_here(pane, 400, 0) is None, "rows out of view are not read"
    pane.controls.go_to.setText("450, 1")
    pane.controls.go_to.returnPressed.emit()
    qtbot.waitUntil(lambda: read_here(pane, 450, 1) == 225.0)
    pane.table.go(1, 0)
    pane.table.selectAll()
    pane.copy()
    qtbot.waitUntil(lambda: "cells copied" in window.view.status.message.text)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert (len(lines), lines[7]) == (length, "7\t3.5\trow7")
    window.node_pane.show_tab("Metadata")
    window.node_pane.show_tab("Table")
    assert read_here(pane, 450, 1) == 225.0, "it is not opened again"


def test_a_group_that_is_no_table_says_why(open_window: OpenWindow, qtbot: QtBot) -> None:
    children = {"a": FakeArray(np.zeros(3)), "b": FakeArray(np.zeros(4))}
    window = open_window(FakeGroup({"group": FakeGroup(children), "one": FakeArray(np.zeros(9))}), "/group")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Overview")
    window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    qtbot.waitUntil(lambda: "a has 3 elements, b has 4" in pane.stack.sentence.text)
    assert not pane.stack.sentence.button.isVisible(), "reading it again would not help"
    window.open_text("fake.zarr#/one")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/one")
    window.node_pane.show_tab("Table")
    qtbot.waitUntil(lambda: read_here(pane, 8, 0) == 0)


def test_a_group_that_cannot_be_listed_can_be_tried_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    group = FakeGroup({"a": FakeArray(np.arange(3))})
    window = open_window(FakeGroup({"group": group}), "/group")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Overview")
    qtbot.waitUntil(lambda: not window.workers.active)
    flaky = Flaky()
    group.before_listing = flaky
    window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    qtbot.waitUntil(lambda: "does not answer" in pane.stack.sentence.text)
    flaky.mended = True
    pane.stack.sentence.button.click()
    qtbot.waitUntil(lambda: read_here(pane, 2, 0) == 2)
