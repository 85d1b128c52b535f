"""The grid of a table: which cells are in view, which are chosen, and a window that moves along with the scroll bar."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QFontDatabase, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from zarrbrowser.models.grid_model import WINDOW_COLUMNS, WINDOW_ROWS, GridModel
from zarrbrowser.session.grid import BLOCK_COLUMNS, BLOCK_ROWS

_NARROWEST, _WIDEST, _PADDING = 56, 340, 18
_MEASURED = 40
"""Rows whose texts make the width of the columns."""


class TableView(QTableView):
    """Shows a `GridModel`.

    Signals:
        looked_elsewhere: other cells are in view.
    """

    looked_elsewhere = Signal()

    def __init__(self, model: GridModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid_model = model
        self.setModel(model)
        self.setAccessibleName("elements of the array")
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 8)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        columns.setDefaultSectionSize(_NARROWEST + 24)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        columns.setHighlightSections(False)
        rows.setHighlightSections(False)
        self._fitted = self._moving = False
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.valueChanged.connect(lambda _value: self._scrolled())
        model.modelReset.connect(self._model_reset)

    def in_view(self) -> tuple[slice, slice]:
        """The rows and columns of the grid that are seen."""
        model, port = self.grid_model, self.viewport()
        top, left = max(0, self.rowAt(0)), max(0, self.columnAt(0))
        bottom, right = self.rowAt(port.height() - 1), self.columnAt(port.width() - 1)
        bottom = model.rowCount() - 1 if bottom < 0 else bottom
        right = model.columnCount() - 1 if right < 0 else right
        return (
            slice(model.first_row + top, model.first_row + bottom + 1),
            slice(model.first_column + left, model.first_column + right + 1),
        )

    def chosen(self) -> tuple[slice, slice] | None:
        """The rows and columns of the grid that are selected; all in view where nothing is."""
        model, ranges = self.grid_model, self.selectionModel().selection()
        if model.grid is None:
            return None
        if ranges.isEmpty():
            return self.in_view()
        first = ranges.first()
        return (
            slice(model.first_row + first.top(), model.first_row + first.bottom() + 1),
            slice(model.first_column + first.left(), model.first_column + first.right() + 1),
        )

    def go(self, row: int, column: int) -> None:
        """Bring a cell of the grid into view and select it."""
        model = self.grid_model
        inside = (
            0 <= row - model.first_row < model.rowCount()
            and 0 <= column - model.first_column < model.columnCount()
        )
        if not inside:
            self._move(row - WINDOW_ROWS // 2, column - WINDOW_COLUMNS // 2)
        index = model.index(row - model.first_row, column - model.first_column)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.looked_elsewhere.emit()

    def refit_columns(self) -> None:
        """Other texts stand in the cells: make the columns as wide as these need, once they have come."""
        self._fitted = False

    def fit_columns(self, *, again: bool = False) -> None:
        """Make the columns as wide as what was read needs, until all in view was; then no more for this array."""
        if (self._fitted and not again) or self.grid_model.grid is None:
            return
        metrics, model = self.fontMetrics(), self.grid_model
        rows, columns = self.in_view()
        corners = [
            (row, column)
            for row in (rows.start, rows.stop - 1)
            for column in (columns.start, columns.stop - 1)
        ]
        known = [model.value(*corner)[0] for corner in corners]
        if not any(known):
            return
        self._fitted = all(known)
        per_column = bool(model.grid.fields) if model.grid else False
        widest = 0
        for column in range(columns.start, columns.stop):
            texts = [
                model.index(row - model.first_row, column - model.first_column).data() or ""
                for row in range(rows.start, min(rows.stop, rows.start + _MEASURED))
            ]
            header = model.headerData(
                column - model.first_column, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole
            )
            texts += str(header).split("\n")
            width = max((metrics.horizontalAdvance(text) for text in texts), default=0) + _PADDING
            widest = max(widest, width)
            if per_column:
                self.setColumnWidth(column - model.first_column, min(max(width, _NARROWEST), _WIDEST))
        if not per_column:
            self.horizontalHeader().setDefaultSectionSize(min(max(widest, _NARROWEST), _WIDEST))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self.looked_elsewhere.emit()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        self.looked_elsewhere.emit()

    def _model_reset(self) -> None:
        if not self._moving:  # another array, or other axes
            self._fitted = False
            self.scrollToTop()
            self.horizontalScrollBar().setValue(0)
        self.looked_elsewhere.emit()

    def _scrolled(self) -> None:
        if not self._moving:
            self._shift()
            self.looked_elsewhere.emit()

    def _shift(self) -> None:
        """Move the window when its edge is reached and the array goes on."""
        model, grid = self.grid_model, self.grid_model.grid
        if grid is None:
            return
        down, right = self.verticalScrollBar(), self.horizontalScrollBar()
        row = _shifted(model.first_row, down.value(), down.maximum(), WINDOW_ROWS, grid.rows, BLOCK_ROWS)
        column = _shifted(
            model.first_column, right.value(), right.maximum(), WINDOW_COLUMNS, grid.columns, BLOCK_COLUMNS
        )
        if (row, column) == (model.first_row, model.first_column):
            return
        rows, columns = self.in_view()
        self._move(row, column)
        self._moving = True  # the bars begin anew, which is nobody's scrolling
        down.setValue(rows.start - model.first_row)
        right.setValue(columns.start - model.first_column)
        self._moving = False

    def _move(self, row: int, column: int) -> None:
        self._moving = True
        self.grid_model.move(row, column)
        self.updateGeometries()
        self._moving = False


def _shifted(first: int, value: int, maximum: int, window: int, length: int, block: int) -> int:
    """Where a window should begin, given the scroll bar.

    >>> _shifted(0, 900, 900, 1000, 10**6, 100), _shifted(0, 5, 900, 1000, 10**6, 100)
    (500, 0)
    >>> _shifted(500, 0, 900, 1000, 10**6, 100), _shifted(0, 0, 900, 1000, 500, 100)
    (0, 0)
    """
    if length <= window:
        return first
    half = window // 2 // block * block
    if maximum > 0 and value >= maximum and first + window < length:
        return first + half
    return max(0, first - half) if value <= 0 and first > 0 else first
