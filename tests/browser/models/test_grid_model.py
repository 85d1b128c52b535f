"""The model of a table: a window of rows over a grid of any length."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray
from tests.browser.panes.table.tables import VALUES
from zarrbrowser.models.grid_model import GridModel
from zarrbrowser.table.grid import BLOCK_COLUMNS, BLOCK_ROWS, grid_of


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
