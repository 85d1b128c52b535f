"""The model of a table: a window of rows over a grid of any length."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray
from tests.browser.panes.table.tables import VALUES, Endless
from zarrbrowser.models.grid_model import KEPT_BLOCKS, WINDOW_ROWS, GridModel
from zarrbrowser.table.grid import BLOCK_COLUMNS, BLOCK_ROWS, grid_of
from zarrbrowser.theme import current_colours


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


def test_the_window_of_a_long_grid_moves_by_whole_blocks(qtbot: QtBot) -> None:
    model = GridModel()
    model.show(grid_of(Endless(10**6)))
    assert model.rowCount() == WINDOW_ROWS
    with qtbot.waitSignal(model.modelReset):
        model.move(10**6 - 100, -5)
    first = (10**6 - 100) // BLOCK_ROWS * BLOCK_ROWS
    assert (model.first_row, model.first_column) == (first, 0)
    assert model.rowCount() == 10**6 - first
    assert model.headerData(0, Qt.Orientation.Vertical, Qt.ItemDataRole.DisplayRole) == f"{first:,}"


def test_only_the_loaded_part_of_the_window_changes(qtbot: QtBot) -> None:
    model = GridModel()
    grid = grid_of(Endless(10**6))
    model.show(grid)
    model.move(BLOCK_ROWS * 3, 0)
    changed: list[tuple[int, int, int, int]] = []
    model.dataChanged.connect(
        lambda first, last: changed.append((first.row(), first.column(), last.row(), last.column()))
    )
    for block in (4, 2):
        model.put((block, 0), grid.read(*grid.block((block, 0))))
    assert changed == [(BLOCK_ROWS, 0, 2 * BLOCK_ROWS - 1, 2)], "the other block is above the window"
    assert model.value(BLOCK_ROWS * 2 + 1, 2) == (True, (BLOCK_ROWS * 2 + 1) * 10 + 2)
    assert model.value(0, 0) == (False, None)


def test_the_block_that_was_not_used_for_the_longest_time_is_forgotten(qtbot: QtBot) -> None:
    model = GridModel()
    model.show(grid_of(Endless(10**6)))
    for block in range(KEPT_BLOCKS):
        model.put((block, 0), [[0] * 3] * BLOCK_ROWS)
    assert not model.lacks((0, 0))
    model.put((KEPT_BLOCKS, 0), [[0] * 3] * BLOCK_ROWS)
    assert [model.lacks((block, 0)) for block in (0, 1, 2, KEPT_BLOCKS)] == [False, True, False, False]


def test_another_slice_keeps_the_position_and_another_array_starts_at_its_first_cell(qtbot: QtBot) -> None:
    array, model = FakeArray(np.broadcast_to(np.int32(0), (3, 300_000, 4))), GridModel()
    grid = grid_of(array)
    assert grid.axes is not None
    model.show(grid)
    model.move(BLOCK_ROWS, 0)
    model.put((1, 0), [[0] * 4] * BLOCK_ROWS)
    with qtbot.waitSignal(model.dataChanged):
        model.show(grid_of(array, grid.axes.at(0, 2)))
    assert model.first_row == BLOCK_ROWS
    assert model.lacks((1, 0)), "its numbers are those of the other slice"
    with qtbot.waitSignal(model.modelReset):
        model.show(grid_of(array, grid.axes.with_rows(2)))
    assert model.first_row == 0


def test_numbers_are_on_the_right_and_missing_ones_muted(qtbot: QtBot) -> None:
    values = np.array([(b"a", 1.5), (b"b", np.nan)], [("name", "S1"), ("height", "f4")])
    model = GridModel()
    grid = grid_of(FakeArray(values))
    model.show(grid)
    muted = QColor(current_colours().muted)
    role = Qt.ItemDataRole.ForegroundRole
    assert model.index(0, 1).data(role) == muted, "not loaded yet"
    model.put((0, 0), grid.read(slice(0, 2), slice(0, 2)))
    sides = [model.index(0, column).data(Qt.ItemDataRole.TextAlignmentRole) for column in range(2)]
    assert bool(sides[1] & Qt.AlignmentFlag.AlignRight.value) > bool(
        sides[0] & Qt.AlignmentFlag.AlignRight.value
    )
    assert [model.index(row, 1).data(role) for row in range(2)] == [None, muted]
    assert [
        model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)
        for column in range(2)
    ] == ["name", "height"]
