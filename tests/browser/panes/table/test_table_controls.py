"""The controls above a table."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.panes.table.tables import Endless, read_here
from zarrbrowser.models.grid_model import WINDOW_ROWS
from zarrbrowser.panes.table.table_pane import TablePane


def test_a_column_of_any_length_has_an_end(pane: TablePane, qtbot: QtBot) -> None:
    array, length = Endless(2**40), 2**40
    pane.contents.show_array(array)
    assert pane.model.rowCount() == WINDOW_ROWS
    pane.controls.go_to.setText(f"{length - 1} 2")
    QTest.keyClick(pane.controls.go_to, Qt.Key.Key_Return)
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


def test_what_is_no_row_is_refused_with_a_mark(pane: TablePane) -> None:
    pane.contents.show_array(Endless(100))
    line = pane.controls.go_to
    for text, is_refused in (("0,5x", True), ("7, 1", False)):
        line.setText(text)
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert bool(line.property("refused")) is is_refused
