"""References in HDF5 files are links: in tables, in values and in attributes."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tests.browser.window.editing.windows import go
from zarrbrowser.panes.attributes_pane import AttributesPane
from zarrbrowser.panes.overview_pane import OverviewPane
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.panes.value_pane import ValuePane
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow

COUNTS = "/entry/data/counts"


@pytest.fixture(params=["", "/a.h5"])
def above(request: pytest.FixtureRequest) -> str:
    """The path of the file in what is opened: itself, or its folder."""
    return str(request.param)


@pytest.fixture
def opened(above: str, tmp_path: Path, window: MainWindow, qtbot: QtBot) -> MainWindow:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset(COUNTS, data=np.arange(12).reshape(3, 4))
        file["entry/objects"] = np.array([data.ref, h5py.Reference()], h5py.ref_dtype)
        regions = file.create_dataset("entry/regions", (2, 2), h5py.regionref_dtype)
        regions[1, 1] = data.regionref[0:2, 1:3]
        kind = np.dtype([("n", "i4"), ("to", h5py.ref_dtype), ("note", h5py.string_dtype())])
        file["entry/records"] = np.array([(1, None, ""), (2, data.ref, COUNTS)], kind)
        file["entry/one"] = np.array(data.ref, h5py.ref_dtype)
        file["entry"].attrs["several"] = np.array([data.ref, data.ref], h5py.ref_dtype)
        data.attrs["text"], data.attrs["up"] = COUNTS, file["entry"].ref
    window.open(SourceRequest(str(tmp_path / "a.h5" if not above else tmp_path)))
    qtbot.waitUntil(lambda: window.session.node is not None and not window.workers.active)
    return window


def table_at(window: MainWindow, qtbot: QtBot, path: str) -> TablePane:
    go(window, qtbot, path)
    assert window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    qtbot.waitUntil(lambda: not window.workers.active and pane.model.value(0, 0)[0])
    return pane


def at(window: MainWindow) -> str:
    return "" if window.session.node is None else window.session.node.path


def double_click(pane: TablePane, row: int, column: int) -> None:
    place = pane.table.visualRect(pane.model.index(row, column)).center()
    QTest.mouseClick(pane.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(pane.table.viewport(), Qt.MouseButton.LeftButton, pos=place)


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "cell"), [("objects", (0, 0)), ("regions", (1, 1)), ("records", (1, 1))])
@pytest.mark.parametrize("way", ["double click", "Enter", "menu"])
def test_a_cell_leads_to_the_object(
    name: str, cell: tuple[int, int], way: str, above: str, opened: MainWindow, qtbot: QtBot
) -> None:
    pane = table_at(opened, qtbot, f"{above}/entry/{name}")
    if way == "double click":
        double_click(pane, *cell)
    elif way == "Enter":
        pane.go(*cell)
        QTest.keyClick(pane.table, Qt.Key.Key_Return)
    else:
        pane.go(*cell)
        menu = pane.table.menu_for(pane.table.current_index())
        entry = next(one for one in menu.actions() if COUNTS in one.text())
        entry.trigger()
    qtbot.waitUntil(lambda: at(opened) == above + COUNTS)


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "cell"), [("objects", (1, 0)), ("records", (1, 2)), ("records", (1, 0))])
def test_other_cells_lead_nowhere(
    name: str, cell: tuple[int, int], above: str, opened: MainWindow, qtbot: QtBot
) -> None:
    """Null references, and texts that only look like paths."""
    pane = table_at(opened, qtbot, f"{above}/entry/{name}")
    double_click(pane, *cell)
    QTest.keyClick(pane.table, Qt.Key.Key_Return)
    menu = pane.table.menu_for(pane.table.current_index())
    assert not [one.text() for one in menu.actions() if one.text().startswith("Go to")]
    qtbot.waitUntil(lambda: not opened.workers.active)
    assert at(opened) == f"{above}/entry/{name}"


def test_a_column_of_a_group_leads_to_the_object(
    above: str, tmp_path: Path, opened: MainWindow, qtbot: QtBot
) -> None:
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["other"] = [1.5]
        file["columns/a"] = [1, 2]
        file["columns/to"] = np.array([file["other"].ref] * 2, h5py.ref_dtype)
    opened.open(SourceRequest(str(tmp_path / "b.h5")))
    qtbot.waitUntil(lambda: at(opened) == "/" and not opened.workers.active)
    pane = table_at(opened, qtbot, "/columns")
    double_click(pane, 1, 1)
    qtbot.waitUntil(lambda: at(opened) == "/other")


def member(tree: OverviewPane | AttributesPane, name: str, *more: int) -> QModelIndex:
    model = tree.attributes.tree.model()
    rows = (model.index(row, 0) for row in range(model.rowCount()))
    found = next(one for one in rows if one.data() == name)
    for row in more:
        found = model.index(row, 0, found)
    return found.siblingAtColumn(1)


@pytest.mark.sampled
@pytest.mark.parametrize("way", ["double click", "Enter", "menu"])
def test_an_attribute_leads_to_the_object(way: str, above: str, opened: MainWindow, qtbot: QtBot) -> None:
    go(opened, qtbot, f"{above}/entry")
    opened.node_pane.show_tab("Overview")
    pane = opened.node_pane.pane("Overview")
    assert isinstance(pane, OverviewPane)
    qtbot.waitUntil(lambda: not opened.workers.active)
    follow(pane, member(pane, "several", 1), way)
    qtbot.waitUntil(lambda: at(opened) == above + COUNTS)
    opened.node_pane.show_tab("Attributes")
    array = opened.node_pane.pane("Attributes")
    assert isinstance(array, AttributesPane)
    qtbot.waitUntil(lambda: not opened.workers.active)
    follow(array, member(array, "text"), "double click")
    qtbot.waitUntil(lambda: not opened.workers.active)
    assert at(opened) == above + COUNTS
    follow(array, member(array, "up"), way)
    qtbot.waitUntil(lambda: at(opened) == f"{above}/entry")


def follow(pane: OverviewPane | AttributesPane, index: QModelIndex, way: str) -> None:
    tree = pane.attributes.tree
    tree.setCurrentIndex(index)
    if way == "Enter":
        QTest.keyClick(tree, Qt.Key.Key_Return)
    elif way == "double click":
        place = tree.visualRect(index).center()
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
        QTest.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    else:
        menu: QMenu = pane.attributes.menu_for(index)
        next(one for one in menu.actions() if one.text().startswith("Go to")).trigger()


def test_a_scalar_leads_to_the_object(above: str, opened: MainWindow, qtbot: QtBot) -> None:
    go(opened, qtbot, f"{above}/entry/one")
    pane = opened.node_pane.pane("Value")
    assert isinstance(pane, ValuePane)
    qtbot.waitUntil(lambda: pane.follow_button.isVisible())
    pane.follow_button.click()
    qtbot.waitUntil(lambda: at(opened) == above + COUNTS)
