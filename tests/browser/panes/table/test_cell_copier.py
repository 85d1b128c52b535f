"""Copying the selected cells of a table."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray
from tests.browser.panes.table.tables import VALUES
from zarrbrowser.panes.table.table_pane import TablePane


def test_selected_cells_are_copied_even_if_they_were_not_in_view(pane: TablePane, qtbot: QtBot) -> None:
    pane.contents.show_array(FakeArray(VALUES[0], chunks=(100, 100)))
    pane.table.selectAll()
    with qtbot.waitSignal(pane.reported) as said:
        pane.copy()
    assert said.args == ["200,000 cells copied"]
    lines = QGuiApplication.clipboard().text().split("\n")
    assert np.array_equal([list(map(int, line.split("\t"))) for line in lines], VALUES[0])


def test_a_selection_too_large_for_the_clipboard_is_reported(pane: TablePane, qtbot: QtBot) -> None:
    pane.contents.show_array(FakeArray(np.zeros((150_000, 10), np.uint8), chunks=(1000, 10)))
    pane.table.selectAll()
    with qtbot.waitSignal(pane.reported) as said:
        pane.copy()
    assert "1,500,000 cells are too many" in said.args[0]
    pane.go(5, 3)
    assert pane.table.chosen() == (slice(5, 6), slice(3, 4))


def lines_copied(pane: TablePane, qtbot: QtBot) -> list[str]:
    with qtbot.waitSignal(pane.reported) as said:
        pane.copy()
    assert "copied" in said.args[0]
    return QGuiApplication.clipboard().text().split("\n")


def test_all_of_a_long_table_is_copied(pane: TablePane, qtbot: QtBot) -> None:
    pane.contents.show_array(FakeArray(np.arange(250_000), chunks=(50_000,)))
    QTest.keySequence(pane.table, "Ctrl+A")
    lines = lines_copied(pane, qtbot)
    assert (len(lines), lines[-1]) == (250_000, "249999")
    pane.contents.show_array(FakeArray(np.arange(450_000).reshape(150_000, 3), chunks=(50_000, 3)))
    pane.table.horizontalHeader().sectionPressed.emit(1)
    lines = lines_copied(pane, qtbot)
    assert (len(lines), lines[-1]) == (150_000, str(149_999 * 3 + 1))
    pane.table.verticalHeader().sectionPressed.emit(2)
    assert lines_copied(pane, qtbot) == ["6\t7\t8"]
