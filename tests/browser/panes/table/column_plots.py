"""Plots of the columns of a table."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.panes.table.columns_plot import ColumnsPlot
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.window.main_window import MainWindow

ROWS = 300


def weather() -> FakeGroup:
    """Columns over dates; the depth has no order."""
    time = FakeArray(np.arange(ROWS), ("time",))
    time.attributes = {"units": "days since 2020-01-01"}
    rng = np.random.default_rng(1)
    children = {
        "time": time,
        "depth": FakeArray(rng.permutation(ROWS).astype("f8"), ("time",)),
        "heat": FakeArray(np.linspace(5, 20, ROWS), ("time",)),
        "name": FakeArray(np.array(["x"] * ROWS), ("time",)),
    }
    return FakeGroup({"table": FakeGroup(children), "other": FakeGroup({"a": FakeArray(np.arange(9.0))})})


def open_table(open_window: OpenWindow, qtbot: QtBot, root: FakeGroup | None = None) -> TablePane:
    window = open_window(root or weather(), "/table")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/table")
    return table_of(window, qtbot)


def table_of(window: MainWindow, qtbot: QtBot) -> TablePane:
    window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    qtbot.waitUntil(lambda: pane.grid is not None)
    return pane


def plot_of(pane: TablePane, qtbot: QtBot) -> ColumnsPlot:
    pane.controls.plot.click()
    plot = pane.plot.made
    assert plot is not None
    qtbot.waitUntil(lambda: is_drawn(plot))
    return plot


def is_drawn(plot: ColumnsPlot) -> bool:
    return plot.graph.shown is not None and plot.graph.dots.image is not None


def choose(plot: ColumnsPlot, across: int | None, *up: int) -> None:
    """Choose columns, as a user does: one after the other."""
    box, rows = plot.choice.across_box, plot.choice.up_list
    box.setCurrentIndex(box.findData(across))
    box.activated.emit(box.currentIndex())
    for row in range(rows.count()):
        item = rows.item(row)
        is_on = item.data(Qt.ItemDataRole.UserRole) in up
        item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
