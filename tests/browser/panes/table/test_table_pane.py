"""The table: of any length, read on demand, and copied exactly."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from zarrbrowser.models.grid_model import WINDOW_ROWS, GridModel
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.state import Session
from zarrbrowser.table.grid import BLOCK_COLUMNS, BLOCK_ROWS, grid_of
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.workers import Workers
from zarrcore.errors import CodecError

VALUES = np.arange(3 * 1000 * 200, dtype=np.int32).reshape(3, 1000, 200)


class Endless(FakeArray):
    """Elements by arithmetic: 2 ** 40 rows do not take memory."""

    def __init__(self, length: int) -> None:
        super().__init__(np.zeros((1, 3), np.int64), chunks=(1, 3))
        self.shape = (length, 3)
        self.chunk_shape = self.inner_chunk_shape = (1000, 3)
        self.name, self.path = "endless", "/endless"

    def read(self, selection: object = ..., out: object = None, **_: object) -> np.ndarray:
        rows, columns = selection  # type: ignore[misc]
        self.selections.append(selection)
        return np.arange(rows.start, rows.stop)[:, None] * 10 + np.arange(3)[columns]


@pytest.fixture
def pane(workers: Workers, qtbot: QtBot) -> TablePane:
    made = TablePane(Session(), workers)
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    return made


def read_here(pane: TablePane, row: int, column: int) -> object:
    known, value = pane.model.value(row, column)
    return value if known else None


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


def test_selected_cells_are_copied_even_if_they_were_not_in_view(pane: TablePane, qtbot: QtBot) -> None:
    pane.show_array(FakeArray(VALUES[0], chunks=(100, 100)))
    pane.table.selectAll()
    with qtbot.waitSignal(pane.reported) as said:
        pane.copy()
    assert said.args == ["200,000 cells copied"]
    lines = QGuiApplication.clipboard().text().split("\n")
    assert np.array_equal([list(map(int, line.split("\t"))) for line in lines], VALUES[0])


def test_a_selection_too_large_for_the_clipboard_is_reported(pane: TablePane, qtbot: QtBot) -> None:
    pane.show_array(FakeArray(np.zeros((150_000, 10), np.uint8), chunks=(1000, 10)))
    pane.table.selectAll()
    with qtbot.waitSignal(pane.reported) as said:
        pane.copy()
    assert "1,500,000 cells are too many" in said.args[0]
    pane.go(5, 3)
    assert pane.table.chosen() == (slice(5, 6), slice(3, 4))


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


def test_the_model_of_a_table_is_consistent(qtmodeltester: ModelTester, qtbot: QtBot) -> None:
    model = GridModel()
    grid = grid_of(FakeArray(VALUES[0, : BLOCK_ROWS + 2]))  # two blocks down, seven to the right
    model.show(grid)
    model.put((0, 0), grid.read(slice(0, BLOCK_ROWS), slice(0, BLOCK_COLUMNS)))
    qtmodeltester.check(model)
    assert model.index(BLOCK_ROWS, 0).data() == "…"
    assert model.index(1, 1).data(Qt.ItemDataRole.ToolTipRole) == "201"
    model.show(None)
    assert model.rowCount() == 0


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


class Square(FakeArray):
    """A million rows and a million columns, by arithmetic."""

    def __init__(self, side: int) -> None:
        super().__init__(np.zeros((1, 1), np.int64), chunks=(1, 1))
        self.shape, self.side = (side, side), side
        self.chunk_shape = self.inner_chunk_shape = (100, 100)

    def read(self, selection: object = ..., out: object = None, **_: object) -> np.ndarray:
        rows, columns = selection  # type: ignore[misc]
        self.selections.append(selection)
        return np.add.outer(np.arange(rows.start, rows.stop) * 7, np.arange(columns.start, columns.stop))


def lines_copied(pane: TablePane, qtbot: QtBot) -> list[str]:
    with qtbot.waitSignal(pane.reported, timeout=20_000) as said:
        pane.copy()
    assert "copied" in said.args[0]
    return QGuiApplication.clipboard().text().split("\n")


def test_all_of_a_long_table_is_copied(pane: TablePane, qtbot: QtBot) -> None:
    pane.show_array(FakeArray(np.arange(500_000), chunks=(100_000,)))
    QTest.keySequence(pane.table, "Ctrl+A")
    lines = lines_copied(pane, qtbot)
    assert (len(lines), lines[-1]) == (500_000, "499999")
    pane.show_array(FakeArray(np.arange(900_000).reshape(300_000, 3), chunks=(100_000, 3)))
    pane.table.horizontalHeader().sectionPressed.emit(1)
    lines = lines_copied(pane, qtbot)
    assert (len(lines), lines[-1]) == (300_000, str(299_999 * 3 + 1))
    pane.table.verticalHeader().sectionPressed.emit(2)
    assert lines_copied(pane, qtbot) == ["6\t7\t8"]


def test_a_selection_too_large_to_copy_is_reported_at_once(pane: TablePane, qtbot: QtBot) -> None:
    pane.show_array(Square(10**6))
    with qtbot.waitSignal(pane.reported) as said:
        QTest.keySequence(pane.table, "Ctrl+A")
    assert said.args[0].startswith(
        "1,000,000,000,000 cells are too many for the clipboard (at most 1,000,000)"
    )
    assert pane.table.chosen() == (slice(0, 10**6), slice(0, 10**6))
    assert pane.table.selectionModel().selection().isEmpty(), "Qt would ask each cell"
    assert pane.table.is_chosen(pane.model.index(7, 7))


def test_keys_move_through_the_whole_table(pane: TablePane, qtbot: QtBot) -> None:
    last = 10**6 - 1
    pane.show_array(Square(10**6))

    def press(keys: str) -> tuple[int, int]:
        QTest.keySequence(pane.table, keys)
        rows, columns = pane.table.in_view()
        cell = pane.table.current_cell
        assert cell is not None
        assert cell[0] in range(rows.start, rows.stop), "the current cell is in view"
        assert cell[1] in range(columns.start, columns.stop)
        return cell

    pane.table.setFocus()
    assert press("Ctrl+End") == (last, last)
    qtbot.waitUntil(lambda: read_here(pane, last, last) == last * 8)
    page = last - press("PgUp")[0]
    assert 3 < page < 40
    assert press("PgDown") == (last, last)
    assert press("PgDown") == (last, last)
    assert press("Home") == (last, 0)
    assert press("Ctrl+Home") == (0, 0)
    pane.go(199_998, 0)
    assert press("Down") == (199_999, 0)
    assert press("Down") == (200_000, 0)
    assert press("PgDown") == (200_000 + page, 0)
    assert press("Shift+Right") == (200_000 + page, 1)
    assert pane.table.chosen() == (slice(200_000 + page, 200_001 + page), slice(0, 2))
    assert press("Ctrl+Shift+End") == (last, last)
    assert pane.table.chosen() == (slice(200_000 + page, last + 1), slice(0, last + 1))


def test_scrolling_keeps_the_current_cell(pane: TablePane, qtbot: QtBot) -> None:
    pane.show_array(Endless(10**6))
    pane.go(150_000, 1)
    bar = pane.table.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert pane.model.first_row > 0
    assert pane.table.in_view()[0].start > 199_000, "scrolling past it does not scroll back"
    assert pane.table.cell_of(pane.table.currentIndex()) == (150_000, 1)
    QTest.keySequence(pane.table, "Down")
    assert pane.table.cell_of(pane.table.currentIndex()) == (150_001, 1)
    assert 150_001 in range(pane.table.in_view()[0].start, pane.table.in_view()[0].stop)


def test_cells_are_selected_with_the_mouse(pane: TablePane, qtbot: QtBot) -> None:
    pane.show_array(FakeArray(VALUES[0], chunks=(100, 100)))
    table, left = pane.table, Qt.MouseButton.LeftButton

    def centre(row: int, column: int) -> object:
        return table.visualRect(pane.model.index(row, column)).center()

    QTest.mouseClick(table.viewport(), left, pos=centre(2, 1))
    assert table.chosen() == (slice(2, 3), slice(1, 2))
    QTest.mouseClick(table.viewport(), left, Qt.KeyboardModifier.ShiftModifier, pos=centre(5, 3))
    assert table.chosen() == (slice(2, 6), slice(1, 4))
    QTest.mousePress(table.viewport(), left, pos=centre(8, 4))
    qtbot.mouseMove(table.viewport(), centre(6, 2))
    QTest.mouseRelease(table.viewport(), left, pos=centre(6, 2))
    assert table.chosen() in ((slice(6, 9), slice(2, 5)), (slice(8, 9), slice(4, 5)))
