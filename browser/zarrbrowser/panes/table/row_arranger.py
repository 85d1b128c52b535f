"""The controls that sort and filter the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QMenu

from zarrbrowser.models.grid_model import Cells
from zarrbrowser.session.error_text import sentence
from zarrbrowser.table.conditions import HELP, MOST_CHARACTERS, RowOrderError
from zarrbrowser.table.grid import Grid
from zarrbrowser.table.row_order import (
    ColumnCells,
    OrderedGrid,
    RowOrder,
    RowTable,
    column_name,
    order_of,
    ordered,
)
from zarrbrowser.table.view_document import filter_of, order_document, sorting_of
from zarrbrowser.values.quantities import count
from zarrbrowser.widgets.accessible_names import add_clear_button
from zarrbrowser.widgets.tooltip import tooltip
from zarrbrowser.workers import Lane, Workers


class RowArranger(QObject):
    """Sorts and filters the rows of a table, in a worker.

    Attributes:
        line: the field for conditions; hidden where rows cannot be filtered.

    Signals:
        arranged: the table to show.
        refused: why the rows cannot be sorted or filtered; empty once they can.
        menu_opened: the `QMenu` of a column and its position, to add what others can do with it.
    """

    arranged = Signal(object)
    refused = Signal(str)
    menu_opened = Signal(object, int)

    def __init__(self, workers: Workers, header: QHeaderView, parent: QObject) -> None:
        super().__init__(parent)
        self._lane = Lane(workers, in_flight=1)
        self._table: RowTable | None = None
        self._order = RowOrder()
        """The order that is shown."""
        self._wanted = RowOrder()
        """The order that was asked for last: another change starts from it, even if it is not shown yet."""
        self._refusal = ""
        """Why the order that was asked for last was refused: said again when an earlier one arrives after that."""
        self._known: Mapping[int, ColumnCells] = {}
        """The cells of the columns that decided last."""
        self.line = QLineEdit()
        self.line.setPlaceholderText("filter: column > value")
        self.line.setAccessibleName("filter the rows")
        self.line.setToolTip(tooltip(HELP))
        add_clear_button(self.line)
        self.line.setMinimumWidth(120)
        self.line.setMaximumWidth(320)
        self.line.returnPressed.connect(lambda: self.filter(self.line.text()))
        self.line.textChanged.connect(lambda text: None if text else self.filter(""))
        self._header = header
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._open_menu)

    def start_with(self, grid: Cells | None) -> None:
        """Start with another table, in its own order; None, or a plane of an array, has no rows to arrange."""
        self._lane.forget()
        is_plane = isinstance(grid, Grid) and grid.axes is not None
        self._table = None if is_plane or isinstance(grid, OrderedGrid) else grid
        self._order, self._wanted, self._known = RowOrder(), RowOrder(), {}
        self._refusal = ""
        with QSignalBlocker(self.line):
            self.line.clear()
        self.line.setVisible(self._table is not None)

    def take_cells(self, table: RowTable) -> None:
        """Arrange the same rows again, because their cells are others."""
        if self._table is not None:
            self._table, self._known = table, {}
            self._arrange(self._wanted)

    def sort(self, column: int, *, is_descending: bool) -> None:
        """Sort the rows by the cells of a column."""
        self._arrange(replace(self._wanted, column=column, is_descending=is_descending))

    def filter(self, text: str) -> None:
        """Show the rows that meet conditions: see `clause_of`."""
        if self._table is None:
            return
        try:
            wanted = self._wanted
            order = order_of(text, wanted.column, self._table, is_descending=wanted.is_descending)
        except RowOrderError as error:
            self._refuse(sentence(error))
            if error.place is not None:
                self.line.setCursorPosition(error.place)
            return
        self._arrange(order)

    def document(self) -> dict[str, Any]:
        """The order that was asked for last, as JSON."""
        wanted, table = self._wanted, self._table
        if table is None:
            return {}
        name = None if wanted.column is None else column_name(table, wanted.column)
        return order_document(wanted.filter_text, name, is_descending=wanted.is_descending)

    def restore(self, document: Mapping[str, Any]) -> bool:
        """Restore an order from `document`; without the conditions if they do not fit the table or cannot be tested.

        Returns:
            Whether rows are being arranged: `arranged` is emitted later.
        """
        table = self._table
        if table is None:
            return False
        text = filter_of(document)
        names = [column_name(table, column) for column in range(table.columns)]
        column, is_descending = sorting_of(document, names)
        why, bare = "", RowOrder(None, column, is_descending)
        try:
            order = order_of(text, column, table, is_descending=is_descending)
        except RowOrderError as error:
            why, order = sentence(error), bare
        with QSignalBlocker(self.line):
            self.line.setText(text[:MOST_CHARACTERS])
        is_other = order != self._wanted or bool(why)
        if is_other:
            self._arrange(order, bare)
        if why:
            self._refuse(why)
        return is_other and not order.is_plain

    def fill_menu(self, menu: QMenu, column: int) -> None:
        """What can be done with a column."""
        table = self._table
        if table is None:
            return
        menu.addAction("Sort ascending", lambda: self.sort(column, is_descending=False))
        menu.addAction("Sort descending", lambda: self.sort(column, is_descending=True))
        plain = menu.addAction("Original order", lambda: self._arrange(replace(self._wanted, column=None)))
        plain.setEnabled(self._wanted.column is not None)
        menu.addSeparator()
        menu.addAction("Filter by this column", lambda: self._offer(column_name(table, column)))

    def _offer(self, name: str) -> None:
        """Begin a condition on a column."""
        self.line.setText(f'"{name}" = ' if " " in name else f"{name} = ")
        self.line.setFocus()

    def _open_menu(self, where: QPoint) -> None:
        section = self._header.logicalIndexAt(where)
        menu = QMenu(self._header)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if section >= 0:
            self.fill_menu(menu, section)
            self.menu_opened.emit(menu, section)
        if menu.actions():
            menu.popup(self._header.mapToGlobal(where))

    def _arrange(self, order: RowOrder, instead: RowOrder | None = None) -> None:
        """Show the rows in another order.

        Args:
            instead: the order to show if that one fails; by default the present one stays.
        """
        table = self._table
        if table is None:
            return
        self._refuse("")
        self._wanted = order
        known = self._known
        if order.is_plain:
            self._lane.forget()
            self._order = order
            self.arranged.emit(table)
            return
        self._lane.ask(
            lambda asked: ordered(table, order, asked.is_cancelled, known),
            self._show,
            lambda error: self._fail(error, order, instead),
            f"Sorting {count(table.rows, 'row')}",
        )

    def _fail(self, error: Exception, order: RowOrder, instead: RowOrder | None) -> None:
        if instead is None or instead == order:
            self._wanted = self._order
            self._refuse(sentence(error))
            return
        self._arrange(instead)
        if instead.is_plain:
            self._refuse(sentence(error))
        else:
            self._refusal = sentence(error)  # said once the rows are there, which go to the place of the view

    def _show(self, found: OrderedGrid) -> None:
        self._order, self._known = found.order, found.cells
        self.arranged.emit(found)
        if self._refusal:
            self.refused.emit(self._refusal)

    def _refuse(self, text: str) -> None:
        self._refusal = text
        self.refused.emit(text)
