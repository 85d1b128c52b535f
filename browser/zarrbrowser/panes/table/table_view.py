"""The grid of a table: the cells in view, the selection, and a window that moves with the scroll bar.

The selection is a rectangle of the grid, computed here: Qt's own selection ends at the window's edge, and asks the model about
each cell.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import (
    QItemSelectionModel,
    QKeyCombination,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from zarrbrowser.models.grid_model import WINDOW_COLUMNS, WINDOW_ROWS, GridModel
from zarrbrowser.table.grid import BLOCK_COLUMNS, BLOCK_ROWS
from zarrbrowser.theme.fonts import fixed_font
from zarrbrowser.widgets.links import link_font, link_menu

_Cell = tuple[int, int]
"""Row and column of the grid."""
_STEPS: dict[int, _Cell] = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_PageUp: (-1, 0),
    Qt.Key.Key_PageDown: (1, 0),
    Qt.Key.Key_Home: (0, 0),
    Qt.Key.Key_End: (0, 1),
}
"""Steps down and to the right; Home and End go to the first and the last column."""
_SORT_KEYS = tuple(
    QKeyCombination(Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier, key)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Down)
)
_PAGES = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_NARROWEST, _WIDEST, _PADDING = 56, 340, 18
_MEASURED = 40
"""The number of rows whose text decides the width of the columns."""


class TableView(QTableView):
    """Shows a `GridModel`.

    Signals:
        looked_elsewhere: other cells are in view.
        chosen_changed: other cells are selected.
        copy_asked: the user pressed the keys that copy.
        edit_asked: the user wants to change the current cell.
        link_chosen: the path of the node that a cell leads to, where the user wants to go.
        sort_asked: the user wants the rows sorted by the current column; whether in descending order.
    """

    looked_elsewhere = Signal()
    chosen_changed = Signal()
    copy_asked = Signal()
    edit_asked = Signal()
    link_chosen = Signal(str)
    sort_asked = Signal(bool)

    def __init__(self, model: GridModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid_model = model
        self.setModel(model)
        self.setAccessibleName("elements of the array")
        self.setFont(fixed_font())
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setItemDelegate(_Delegate(self))
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leads to what is beside the table
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
        self._anchor: _Cell | None = None
        self.current_cell: _Cell | None = None
        self._chosen: tuple[range, range] | None = None
        for header, choose in ((rows, self._choose_row), (columns, self._choose_column)):
            header.sectionPressed.connect(choose)
            header.sectionEntered.connect(partial(choose, extend=True))
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.valueChanged.connect(lambda _value: self._scrolled())
        model.modelReset.connect(self._model_reset)

    def in_view(self) -> tuple[slice, slice]:
        """The visible rows and columns of the grid."""
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
        """The selected rows and columns of the grid; the visible ones without a selection."""
        if self.grid_model.grid is None:
            return None
        if self._chosen is None:
            return self.in_view()
        rows, columns = self._chosen
        return slice(rows.start, rows.stop), slice(columns.start, columns.stop)

    @property
    def has_selection(self) -> bool:
        """Whether the user has selected cells."""
        return self._chosen is not None

    def current_index(self) -> QModelIndex:
        """The model's index of the current cell; invalid if there is none, or it is far away."""
        if self.current_cell is None or not self._is_inside(self.current_cell):
            return QModelIndex()
        row, column = self.current_cell
        return self.grid_model.index(row - self.grid_model.first_row, column - self.grid_model.first_column)

    def is_chosen(self, index: QModelIndex | QPersistentModelIndex) -> bool:
        """Whether a cell of the model is selected."""
        if self._chosen is None:
            return False
        row, column = self.cell_of(index)
        return row in self._chosen[0] and column in self._chosen[1]

    def go(self, row: int, column: int) -> None:
        """Scroll to a cell of the grid and select it."""
        self._select((row, column), hint=QAbstractItemView.ScrollHint.PositionAtCenter)

    def selectAll(self) -> None:  # noqa: N802 - Qt's name
        """Select all cells of the grid."""
        grid = self.grid_model.grid
        if grid is not None and grid.rows and grid.columns:
            self._choose(range(grid.rows), range(grid.columns))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handle the keys of Qt's tables, across the whole grid."""
        modifiers = event.modifiers()
        to_end = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        cell = self._cell_after(event.key(), to_end=to_end)
        if event.matches(QKeySequence.StandardKey.SelectAll):
            self.selectAll()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif event.key() == Qt.Key.Key_F2:
            self.edit_asked.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._target:
            self.link_chosen.emit(self._target)
        elif event.keyCombination() in _SORT_KEYS:
            self.sort_asked.emit(event.key() == Qt.Key.Key_Down)
        elif cell is not None:
            self._select(cell, extend=bool(modifiers & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:  # noqa: N802 - Qt's name
        """Do not search for typed text: that would go through all rows of the window."""

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and index.isValid():
            is_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._select(self.cell_of(index), extend=is_shift)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Go to where the cell under the pointer leads, or ask to change it."""
        index = self.indexAt(event.position().toPoint())
        if event.button() is not Qt.MouseButton.LeftButton or not index.isValid():
            return
        target = self.grid_model.target(index)
        if target:
            self.link_chosen.emit(target)
        else:
            self.edit_asked.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """Show the menu of the cell under the pointer, or of the current one."""
        is_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if is_mouse else self.current_index()
        if not index.isValid():
            return
        if not self.is_chosen(index):
            self._select(self.cell_of(index))
        menu = self.menu_for(index)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        corner = self.visualRect(index).bottomLeft()
        menu.popup(self.viewport().mapToGlobal(event.pos() if is_mouse else corner))

    def menu_for(self, index: QModelIndex) -> QMenu:
        """The context menu of a cell."""
        target = self.grid_model.target(index)
        return link_menu(self, target, self.link_chosen.emit, self.copy_asked.emit)

    @property
    def _target(self) -> str:
        """The path of the node that the current cell leads to; empty if it leads nowhere."""
        return self.grid_model.target(self.current_index())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.buttons() & Qt.MouseButton.LeftButton and index.isValid() and self._anchor is not None:
            self._select(self.cell_of(index), extend=True)

    def cell_of(self, index: QModelIndex | QPersistentModelIndex) -> _Cell:
        """The row and column of a model's cell in the grid."""
        return self.grid_model.first_row + index.row(), self.grid_model.first_column + index.column()

    def _cell_after(self, key: int, *, to_end: bool) -> _Cell | None:
        """The cell that a key goes to from the current one; None for other keys."""
        grid = self.grid_model.grid
        if grid is None or key not in _STEPS:
            return None
        rows, _ = self.in_view()
        page = max(1, rows.stop - rows.start - 1)
        row, column = self.current_cell or (rows.start, self.in_view()[1].start)
        down, right = _STEPS[key]
        if key in _PAGES:
            row += down * page
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            column = right * grid.columns
            row = right * grid.rows if to_end else row
        else:
            row, column = row + down, column + right
        return min(max(row, 0), grid.rows - 1), min(max(column, 0), grid.columns - 1)

    def _select(
        self,
        cell: _Cell,
        *,
        extend: bool = False,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Make a cell the current one and scroll to it; select it, or extend the selection to it."""
        anchor = self._anchor if extend and self._anchor is not None else cell
        if not self._is_inside(cell):
            self._move(cell[0] - WINDOW_ROWS // 2, cell[1] - WINDOW_COLUMNS // 2)
        (top, bottom), (left, right) = (sorted(pair) for pair in zip(anchor, cell, strict=True))
        self._choose(range(top, bottom + 1), range(left, right + 1), anchor, cell)
        self._show_current()
        self._moving = True  # the bars move one after the other: ignore the state between
        self.scrollTo(self.currentIndex(), hint)
        self._moving = False
        self.looked_elsewhere.emit()

    def _is_inside(self, cell: _Cell) -> bool:
        """Whether the window has a cell."""
        model = self.grid_model
        row, column = cell[0] - model.first_row, cell[1] - model.first_column
        return 0 <= row < model.rowCount() and 0 <= column < model.columnCount()

    def _choose(
        self, rows: range, columns: range, anchor: _Cell | None = None, cell: _Cell | None = None
    ) -> None:
        self._chosen = rows, columns
        self._anchor, self.current_cell = anchor or (rows.start, columns.start), cell or self.current_cell
        self.viewport().update()
        self.chosen_changed.emit()

    def _choose_row(self, section: int, *, extend: bool = False) -> None:
        grid, row = self.grid_model.grid, self.grid_model.first_row + section
        if grid is not None:
            first = self._anchor[0] if self._anchor is not None and (extend or _is_shift()) else row
            rows = range(min(first, row), max(first, row) + 1)
            self._choose(rows, range(grid.columns), (first, 0), (row, 0))

    def _choose_column(self, section: int, *, extend: bool = False) -> None:
        grid, column = self.grid_model.grid, self.grid_model.first_column + section
        if grid is not None:
            first = self._anchor[1] if self._anchor is not None and (extend or _is_shift()) else column
            columns = range(min(first, column), max(first, column) + 1)
            self._choose(range(grid.rows), columns, (0, first), (0, column))

    def _show_current(self) -> None:
        """Set Qt's current cell, if the window has it."""
        model = self.grid_model
        if self.current_cell is not None and self._is_inside(self.current_cell):
            index = model.index(
                self.current_cell[0] - model.first_row, self.current_cell[1] - model.first_column
            )
            self.setAutoScroll(False)  # do not scroll back to it
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.setAutoScroll(True)

    def refit_columns(self) -> None:
        """Fit the columns to the new cells, once these are loaded."""
        self._fitted = False

    def fit_columns(self, *, again: bool = False) -> None:
        """Fit the columns to the loaded cells until all in view are loaded; then stop for this array."""
        if (self._fitted and not again) or self.grid_model.grid is None:
            return
        metrics, header_metrics = self.fontMetrics(), self.horizontalHeader().fontMetrics()
        model = self.grid_model
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
            widths = [metrics.horizontalAdvance(text) for text in texts]
            widths += [header_metrics.horizontalAdvance(text) for text in str(header).split("\n")]
            width = max(widths) + _PADDING
            widest = max(widest, width)
            if per_column:
                self.setColumnWidth(column - model.first_column, min(max(width, _NARROWEST), _WIDEST))
        if not per_column:
            header, bar = self.horizontalHeader(), self.horizontalScrollBar()
            header.setDefaultSectionSize(min(max(widest, _NARROWEST), _WIDEST))
            self.updateGeometries()
            header.setOffsetToSectionPosition(bar.value())  # Qt leaves it at the position of narrower columns

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self.looked_elsewhere.emit()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        self.looked_elsewhere.emit()

    def _model_reset(self) -> None:
        if not self._moving:  # another array, or other axes
            self._fitted = False
            self._anchor = self.current_cell = self._chosen = None
            self.scrollToTop()
            self.horizontalScrollBar().setValue(0)
        self.looked_elsewhere.emit()

    def _scrolled(self) -> None:
        if not self._moving:
            self._shift()
            self.looked_elsewhere.emit()

    def _shift(self) -> None:
        """Move the window when its edge is reached and the array continues."""
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
        self._moving = True  # resetting the scroll bars is not scrolling
        down.setValue(rows.start - model.first_row)
        right.setValue(columns.start - model.first_column)
        self._moving = False

    def _move(self, row: int, column: int) -> None:
        self._moving = True
        self.grid_model.move(row, column)
        self.updateGeometries()
        self._show_current()
        self._moving = False


class _Delegate(QStyledItemDelegate):
    """Draws the cells of the view's own selection as selected."""

    def __init__(self, view: TableView) -> None:
        super().__init__(view)
        self._view = view

    def initStyleOption(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if self._view.is_chosen(index):
            option.state |= QStyle.StateFlag.State_Selected
        if self._view.grid_model.target(index):
            option.font = link_font(option.font)


def _is_shift() -> bool:
    return bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)


def _shifted(first: int, value: int, maximum: int, window: int, length: int, block: int) -> int:
    """The start of the window for a position of the scroll bar.

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
