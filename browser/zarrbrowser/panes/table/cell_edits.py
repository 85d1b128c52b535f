"""Changing the cells of a table: the current one in place, the selected ones by a dialog."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from zarrbrowser.editing.cells import editable_text, is_still, target_of, why_not_changed
from zarrbrowser.editing.element_text import ElementTextError
from zarrbrowser.editing.elements import write_elements
from zarrbrowser.panes.table.cell_editor import CellEditor
from zarrbrowser.panes.table.table_view import TableView
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.table.grid import Grid
from zarrbrowser.table.row_order import OrderedGrid


@dataclass(frozen=True, slots=True)
class _Edited:
    """The cell under the line."""

    source: Source
    grid: Grid
    row: int
    column: int
    shown: Any


class CellEdits(QObject):
    """Shows a line over the current cell, and asks for the change when the user presses Enter.

    Attributes:
        source: the source of the table; None without a table.

    Signals:
        change_asked: a `Change` of one element.
        fill_asked: a `Target`, the elements for which the user wants to type a value.
        said: why the typed text is not a value; empty when that is settled.
        refused: why cells cannot be changed.
    """

    change_asked = Signal(object)
    fill_asked = Signal(object)
    said = Signal(str)
    refused = Signal(str)

    def __init__(self, table: TableView) -> None:
        super().__init__(table)
        self._table = table
        self.source: Source | None = None
        self._edited: _Edited | None = None
        self.line = CellEditor(table.viewport())
        self.line.setFont(table.font())
        self.line.entered.connect(self._enter)
        self.line.left.connect(self._leave)
        table.edit_asked.connect(self._edit)
        table.grid_model.modelReset.connect(self.line.leave)
        for bar in (table.verticalScrollBar(), table.horizontalScrollBar()):
            bar.valueChanged.connect(lambda _value: self.line.leave())

    def ask_to_fill(self) -> None:
        """Ask for a value for the selected cells, or for those in view."""
        grid, chosen = self._table.grid_model.grid, self._table.chosen()
        if isinstance(grid, OrderedGrid):
            self.refused.emit("The rows are sorted or filtered: show all rows in their own order first")
        elif self.source is None or not isinstance(grid, Grid) or chosen is None:
            self.refused.emit("Show an array in the Table tab first")
        elif grid.fields and chosen[1].stop - chosen[1].start > 1:
            self.refused.emit("Select cells of one field")
        else:
            title = "The selected cells" if self._table.has_selection else "The cells in view"
            self.fill_asked.emit(target_of(self.source, grid, *chosen, title))

    def _edit(self) -> None:
        if self.source is not None and self._table.grid_model.grid is not None:
            why = self._start_editing(self.source)
            if why:
                self.refused.emit(why)

    def _start_editing(self, source: Source) -> str:
        """Show the line over the current cell. Returns why it cannot be changed, or an empty text."""
        table, model = self._table, self._table.grid_model
        grid, cell = model.grid, table.current_cell
        if grid is None or cell is None:
            return "Choose a cell first"
        if not source.may_change:
            return f"{source.title} is open for reading only: allow changes first (Ctrl+Shift+A)"
        why = why_not_changed(grid, cell[1])
        if why or not isinstance(grid, Grid):
            return f"This cell cannot be changed: {why}"
        known, value = model.value(*cell)
        index = table.current_index()
        if not known or not index.isValid():
            return "This cell is not loaded yet"
        try:
            text = editable_text(value)
        except ElementTextError as error:
            return f"This cell cannot be changed: {error}"
        if not self.line.can_hold(text):
            return "This cell cannot be changed: its text is too long or has line breaks"
        self._edited = _Edited(source, grid, *cell, value)
        self.line.start(table.visualRect(index), text)
        return ""

    def _enter(self, text: str) -> None:
        edited = self._edited
        if edited is None or not self.line.is_changed:
            self.line.leave()
            return
        rows, columns = slice(edited.row, edited.row + 1), slice(edited.column, edited.column + 1)
        target = target_of(edited.source, edited.grid, rows, columns, "")
        try:
            element = target.element(text)
        except ElementTextError as error:
            self.said.emit(sentence(error))
            return
        still = partial(is_still, edited.grid, edited.row, edited.column, edited.shown)
        change = write_elements(edited.source, target.array, target.selection, element, target.field, still)
        self.line.leave()
        self.change_asked.emit(change)

    def _leave(self, had_focus: bool) -> None:
        self._edited = None
        self.said.emit("")
        if had_focus:  # otherwise the user went elsewhere
            self._table.setFocus()
