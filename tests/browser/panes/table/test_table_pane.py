"""The table: read on demand, and copied exactly."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from tests.browser.panes.table.tables import VALUES, Endless, read_here
from zarrbrowser.models.grid_model import WINDOW_ROWS
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.workers import Workers
from zarrcore.errors import CodecError


def test_only_cells_in_view_are_read(pane: TablePane, qtbot: QtBot) -> None:
    array = FakeArray(VALUES, chunks=(1, 100, 100))
    pane.show_array(array)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[1, 0, 0])
    assert pane.model.index(3, 4).data() == f"{VALUES[1, 3, 4]:,}"
    assert len(array.selections) <= 2
    pane.go(990, 190)
    qtbot.waitUntil(lambda: read_here(pane, 990, 190) == VALUES[1, 990, 190])
    assert read_here(pane, 500, 100) is None
    pane.sliders.sliders[0].setValue(2)
    qtbot.waitUntil(lambda: read_here(pane, 990, 190) == VALUES[2, 990, 190])
    pane.axes.swap.click()
    qtbot.waitUntil(lambda: read_here(pane, 5, 7) == VALUES[2, 7, 5])
    assert pane.model.headerData(7, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) == "7"


def test_columns_fit_numbers_that_load_after_coordinates(pane: TablePane, qtbot: QtBot) -> None:
    gate, array = Gate(), FakeArray(np.full((30, 40), -1234.567890123), ("y", "x"), chunks=(30, 40))
    array.before_read = gate.wait
    root = FakeGroup({"y": FakeArray(np.arange(30.0)), "x": FakeArray(np.arange(40.0)), "field": array})
    pane.show_array(array, find=root.find)
    qtbot.waitUntil(lambda: bool(pane.model.coordinates))
    gate.open()
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) is not None)
    needed = pane.table.fontMetrics().horizontalAdvance(pane.model.index(0, 0).data())
    assert pane.table.columnWidth(0) > needed
    assert pane.table.columnWidth(39) == pane.table.columnWidth(0)


def test_a_column_of_any_length_has_an_end(pane: TablePane, qtbot: QtBot) -> None:
    array, length = Endless(2**40), 2**40
    pane.show_array(array)
    assert pane.model.rowCount() == WINDOW_ROWS
    pane.go_to.setText(f"{length - 1} 2")
    QTest.keyClick(pane.go_to, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: read_here(pane, length - 1, 2) == (length - 1) * 10 + 2)
    assert pane.table.currentIndex().data() == f"{(length - 1) * 10 + 2:,}"
    pane.go(0)
    bar = pane.table.verticalScrollBar()
    for _ in range(3):  # at the end of the scroll bar there are more rows
        bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: pane.table.in_view()[0].start > 1.9 * WINDOW_ROWS)
    row = pane.table.in_view()[0].start
    qtbot.waitUntil(lambda: read_here(pane, row, 0) == row * 10)
    assert len(array.selections) < 30


def test_an_unreadable_block_is_reported_and_can_be_retried(pane: TablePane, qtbot: QtBot) -> None:
    array, problem = FakeArray(VALUES[0], chunks=(100, 100)), [True]

    def broken(selection: tuple[slice, slice]) -> None:
        if problem and selection[0].start == 0:
            raise CodecError("chunk c/0/0 is broken")

    array.before_read = broken
    pane.show_array(array)
    qtbot.waitUntil(pane.problem.isVisible)
    assert pane.problem.text == "Chunk c/0/0 is broken."
    pane.go(900)
    qtbot.waitUntil(lambda: read_here(pane, 900, 0) == VALUES[0, 900, 0])
    problem.clear()
    pane.go(0)
    pane.problem.button.click()
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == 0)
    assert not pane.problem.isVisible()


def test_blocks_out_of_view_are_not_waited_for(pane: TablePane, workers: Workers, qtbot: QtBot) -> None:
    array, gate = FakeArray(VALUES[0], chunks=(100, 100)), Gate()
    array.before_read = lambda selection: gate.wait() if selection[0].start == 0 else None
    pane.show_array(array)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    pane.go(900)
    qtbot.waitUntil(lambda: read_here(pane, 900, 0) == VALUES[0, 900, 0])
    assert not any("rows 0–" in request.label for request in workers.active)
    gate.open()
    assert read_here(pane, 0, 0) is None, "a late answer is dropped"


def test_large_reads_need_consent(pane: TablePane, qtbot: QtBot) -> None:
    array = FakeArray(VALUES[0], chunks=(100, 100))
    array.inner_chunk_shape = (20_000, 20_000)
    pane.show_array(array)
    qtbot.waitUntil(pane.stack.notice.isVisible)
    assert array.selections == []
    pane.stack.notice.button.click()
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == 0)


def test_headers_show_coordinates(open_window: OpenWindow, qtbot: QtBot) -> None:
    children = {
        "depth": FakeArray(VALUES[0, :40, :3], ("z", "x")),
        "z": FakeArray(np.arange(40) * 0.5, ("z",)),
        "x": FakeArray(np.array([1.0, 2.0, 4.0]), ("x",)),
    }
    children["z"].attributes = {"units": "m"}
    children["x"].attributes = {}
    window = open_window(FakeGroup(children), "/depth")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    model = table_of(window).model
    across, down, shown = Qt.Orientation.Horizontal, Qt.Orientation.Vertical, Qt.ItemDataRole.DisplayRole
    qtbot.waitUntil(lambda: model.headerData(3, down, shown) == "3   1.5 m")
    assert model.headerData(2, across, shown) == "2\n4"


def table_of(window: MainWindow) -> TablePane:
    assert window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    return pane


def test_the_window_survives_a_lost_connection(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, flaky = FakeArray(np.arange(40.0)), Flaky()
    window = open_window(
        FakeGroup({"line": array, "none": FakeArray(np.zeros((0, 3))), "deep": FakeArray(VALUES)}), "/line"
    )
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    array.before_read = flaky
    window.node_pane.tabs.tabBarClicked.emit(1)  # the Table tab stays selected
    pane = table_of(window)
    qtbot.waitUntil(lambda: "does not answer" in pane.problem.text)
    flaky.mended = True
    pane.problem.button.click()
    qtbot.waitUntil(lambda: read_here(pane, 39, 0) == 39.0)
    window.open_text("fake.zarr#/deep")
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[1, 0, 0])
    window.node_pane.step(1)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[2, 0, 0])
    window.open_text("fake.zarr#/none")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "none")
    table_of(window)
    assert "no elements" in pane.stack.sentence.text


def test_an_array_without_chunks_says_so(pane: TablePane, qtbot: QtBot) -> None:
    array = FakeArray(np.full((9, 9), 5))
    pane.show_array(array)
    qtbot.waitUntil(
        lambda: pane.stack.notice.text == "No chunk was written: every element is the fill value."
    )
    assert pane.stack.notice.button.isHidden()
    written = FakeArray(np.full((9, 9), 5))
    written.stored_chunks = [(0, 0)]
    pane.show_array(written)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) is not None)
    assert not pane.stack.notice.text


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
    pane.go_to.setText("450, 1")
    pane.go_to.returnPressed.emit()
    qtbot.waitUntil(lambda: read_here(pane, 450, 1) == 225.0)
    pane.table.go(1, 0)
    pane.table.selectAll()
    pane.copy()
    qtbot.waitUntil(lambda: "cells copied" in window.status.message.text)
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


def test_the_view_is_restored(pane: TablePane, qtbot: QtBot) -> None:
    assert pane.view_state() == {}
    array = FakeArray(VALUES, ("z", "y", "x"), chunks=(1, 100, 100))
    pane.show_array(array)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[1, 0, 0])
    first = pane.view_state()
    assert first == {"rows": 1, "columns": 2, "index": [1, 500, 100], "cell": None}
    assert pane.position() == "z = 1"
    pane.sliders.sliders[0].setValue(2)
    pane.axes.swap.click()
    with qtbot.waitSignal(pane.view_changed):
        pane.go(150, 700)
    qtbot.waitUntil(lambda: read_here(pane, 150, 700) == VALUES[2, 700, 150])
    seen, rows = pane.view_state(), pane.table.in_view()[0]
    pane.restore(first)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[1, 0, 0])
    pane.restore(seen)
    qtbot.waitUntil(lambda: read_here(pane, 150, 700) == VALUES[2, 700, 150])
    assert abs(pane.table.in_view()[0].start - rows.start) <= 1
    pane.restore({"cell": [10**9, -5]})
    qtbot.waitUntil(lambda: read_here(pane, 199, 0) == VALUES[2, 0, 199])
    pane.restore({"index": "nonsense", "cell": {}})
    assert pane.grid.axes.index[0] == 2
