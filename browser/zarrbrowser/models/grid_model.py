"""The cells of a table: the loaded blocks, and which blocks to read next.

Views keep state for every row, so a long axis is shown through a window of rows that moves along it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.table.columns import ColumnGrid
from zarrbrowser.table.grid import (
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    Grid,
    Place,
    cell_text,
    is_numeric,
    plain_text,
)
from zarrbrowser.table.row_order import OrderedGrid
from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.tooltip import tooltip

Index = QModelIndex | QPersistentModelIndex
Cells = Grid | ColumnGrid | OrderedGrid
"""The cells of a slice of an array, of a group of columns, or of some of their rows."""
WINDOW_ROWS, WINDOW_COLUMNS = 200_000, 4_000
"""Rows and columns of the window, in whole blocks."""
KEPT_BLOCKS = 256


class GridModel(QAbstractTableModel):
    """Shows a part of a `Grid` or `ColumnGrid`.

    Attributes:
        grid: what is shown.
        first_row, first_column: the start of the window.
        coordinates: the known coordinates along the axes.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.grid: Cells | None = None
        self.first_row = self.first_column = 0
        self.coordinates: Mapping[int, Coordinate] = {}
        self._blocks: OrderedDict[Place, list[list[Any]]] = OrderedDict()
        self._target: Callable[[int, Any], str] | None = None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        if self.grid is None or parent.isValid():
            return 0
        return max(0, min(WINDOW_ROWS, self.grid.rows - self.first_row))

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        if self.grid is None or parent.isValid():
            return 0
        return max(0, min(WINDOW_COLUMNS, self.grid.columns - self.first_column))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:  # noqa: N802 - Qt's
        is_across = orientation is Qt.Orientation.Horizontal
        if (
            role == Qt.ItemDataRole.TextAlignmentRole
            and is_across
            and self.grid is not None
            and self.grid.fields
        ):
            side = Qt.AlignmentFlag.AlignRight if self._is_number(section) else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if self.grid is None or role != Qt.ItemDataRole.DisplayRole:
            return None
        if is_across:
            return self.grid.column_name(self.first_column + section, self.coordinates)
        return self.grid.row_name(self.first_row + section, self.coordinates)

    def data(self, index: Index, role: int = 0) -> Any:
        if not index.isValid() or self.grid is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = (
                Qt.AlignmentFlag.AlignRight if self._is_number(index.column()) else Qt.AlignmentFlag.AlignLeft
            )
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.ToolTipRole,
            Qt.ItemDataRole.ForegroundRole,
        ):
            return None
        known, value = self.value(self.first_row + index.row(), self.first_column + index.column())
        if self._target is not None and role == Qt.ItemDataRole.ForegroundRole and self.target(index):
            return QColor(current_colours().accent)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(current_colours().muted) if not known or self.grid.is_no_value(value) else None
        if not known:
            return "…" if role == Qt.ItemDataRole.DisplayRole else None
        return cell_text(value) if role == Qt.ItemDataRole.DisplayRole else tooltip(plain_text(value)[:1000])

    def value(self, row: int, column: int) -> tuple[bool, Any]:
        """Whether a cell is loaded, and its value; positions are those in the grid."""
        block = self._blocks.get((row // BLOCK_ROWS, column // BLOCK_COLUMNS))
        return (False, None) if block is None else (True, block[row % BLOCK_ROWS][column % BLOCK_COLUMNS])

    def target(self, index: Index) -> str:
        """The path of the node that a cell of the window leads to; empty if it leads nowhere, or is not loaded."""
        if self._target is None or not index.isValid():
            return ""
        column = self.first_column + index.column()
        known, value = self.value(self.first_row + index.row(), column)
        return self._target(column, value) if known else ""

    def show_links(self, target: Callable[[int, Any], str] | None) -> None:
        """Show cells as links.

        Args:
            target: the path that a column and a value lead to, empty for none; None without links.
        """
        if target is not self._target:
            self._target = target
            self._changed(0, self.rowCount() - 1, 0, self.columnCount() - 1)

    def show(self, grid: Cells | None) -> None:
        """Show a grid. Another slice with the same cells keeps the position; any other grid starts at the first cell."""
        stays = grid is not None and self.grid is not None and _same_cells(grid, self.grid)
        if stays:
            self.grid = grid
            self._blocks.clear()
            self._changed(0, self.rowCount() - 1, 0, self.columnCount() - 1)
            return
        self.beginResetModel()
        self.grid, self.first_row, self.first_column = grid, 0, 0
        self._blocks.clear()
        self.endResetModel()

    def forget(self) -> None:
        """Forget all cells, because some have changed; the grid and the position stay."""
        self._blocks.clear()
        self._changed(0, self.rowCount() - 1, 0, self.columnCount() - 1)

    def show_coordinates(self, coordinates: Mapping[int, Coordinate]) -> None:
        """Show coordinates in the headers."""
        self.coordinates = coordinates
        for orientation, length in (
            (Qt.Orientation.Horizontal, self.columnCount()),
            (Qt.Orientation.Vertical, self.rowCount()),
        ):
            if length:
                self.headerDataChanged.emit(orientation, 0, length - 1)

    def move(self, first_row: int, first_column: int) -> None:
        """Move the window, by whole blocks."""
        self.beginResetModel()
        self.first_row = max(0, first_row // BLOCK_ROWS * BLOCK_ROWS)
        self.first_column = max(0, first_column // BLOCK_COLUMNS * BLOCK_COLUMNS)
        self.endResetModel()

    def lacks(self, place: Place) -> bool:
        """Whether a block is not loaded; a loaded one is marked as used most recently."""
        if place in self._blocks:
            self._blocks.move_to_end(place)
            return False
        return True

    def put(self, place: Place, values: list[list[Any]]) -> None:
        """Store a block that was read."""
        self._blocks[place] = values
        while len(self._blocks) > KEPT_BLOCKS:
            self._blocks.popitem(last=False)
        row, column = place[0] * BLOCK_ROWS - self.first_row, place[1] * BLOCK_COLUMNS - self.first_column
        self._changed(row, row + BLOCK_ROWS - 1, column, column + BLOCK_COLUMNS - 1)

    def _changed(self, top: int, bottom: int, left: int, right: int) -> None:
        last_row, last_column = self.rowCount() - 1, self.columnCount() - 1
        if max(top, 0) <= min(bottom, last_row) and max(left, 0) <= min(right, last_column):
            self.dataChanged.emit(
                self.index(max(top, 0), max(left, 0)),
                self.index(min(bottom, last_row), min(right, last_column)),
            )

    def _is_number(self, column: int) -> bool:
        return self.grid is not None and is_numeric(self.grid.dtype_of(self.first_column + column))


def _same_cells(one: Cells, other: Cells) -> bool:
    if not isinstance(one, Grid) or not isinstance(other, Grid):
        return False
    same_axes = one.axes is not None and other.axes is not None and one.axes.shown == other.axes.shown
    return one.array is other.array and same_axes
