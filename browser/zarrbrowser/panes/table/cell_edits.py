"""Changing the current cell of a table."""

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

    Signals:
        change_asked: a `Change` of one element.
        said: why the typed text is not a value; empty when that is settled.
    """

    change_asked = Signal(object)
    said = Signal(str)

    def __init__(self, table: TableView) -> None:
        super().__init__(table)
        self._table = table
        self._edited: _Edited | None = None
        self.line = CellEditor(table.viewport())
        self.line.setFont(table.font())
        self.line.entered.connect(self._enter)
        self.line.left.connect(self._leave)
        table.grid_model.modelReset.connect(self.line.leave)
        for bar in (table.verticalScrollBar(), table.horizontalScrollBar()):
            bar.valueChanged.connect(lambda _value: self.line.leave())

    def begin(self, source: Source) -> str:
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
        self.line.begin(table.visualRect(index), text)
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
