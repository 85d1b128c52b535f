"""Moving and selecting in a table of any length, with keys and mouse."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray
from tests.browser.panes.table.tables import VALUES, Endless, read_here
from zarrbrowser.panes.table.table_pane import TablePane


class Square(FakeArray):
    """A million rows and a million columns, by arithmetic."""

    def __init__(self, side: int) -> None:
        super().__init__(np.zeros((1, 1), np.int64), chunks=(1, 1))
        self.shape, self.side = (side, side), side
        self.chunk_shape = self.inner_chunk_shape = (100, 100)

    def read(self, selection: Any = ..., out: object = None, **_: object) -> np.ndarray:
        rows, columns = selection
        self.selections.append(selection)
        return np.add.outer(np.arange(rows.start, rows.stop) * 7, np.arange(columns.start, columns.stop))


def test_a_selection_too_large_to_copy_is_reported_at_once(pane: TablePane, qtbot: QtBot) -> None:
    pane.contents.show_array(Square(10**6))
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
    pane.contents.show_array(Square(10**6))

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
    pane.contents.show_array(Endless(10**6))
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
    pane.contents.show_array(FakeArray(VALUES[0], chunks=(100, 100)))
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
