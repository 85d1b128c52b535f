"""The cells of a table, and the only element of a scalar, as elements to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrbrowser.editing.element_text import ElementTextError, element_of, why_not_typed
from zarrbrowser.editing.elements import are_equal
from zarrbrowser.editing.packed_text import stored_number
from zarrbrowser.export.viewed_array import Selection
from zarrbrowser.session.sources import Source
from zarrbrowser.table.columns import ColumnGrid
from zarrbrowser.table.grid import Grid, plain_text
from zarrbrowser.table.row_order import OrderedGrid
from zarrcore.conventions.cf import Packing


@dataclass(frozen=True, slots=True)
class Target:
    """Elements of one array, of which the user wants to change some."""

    source: Source
    array: Any
    selection: Selection
    """The elements to suggest."""
    title: str
    """What they are, for the user."""
    field: str | None = None
    """The field of structured elements."""
    unpacking: Packing | None = None
    """How the window shows stored numbers; None if it shows them as they are."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The data type of a value."""
        whole: np.dtype[Any] = self.array.dtype
        return whole if self.field is None else whole[self.field]

    def element(self, text: str) -> Any:
        """The element for a text: values that are shown unpacked are packed again.

        Raises:
            ElementTextError: it is not one.
        """
        if self.unpacking is not None:
            return stored_number(text, self.dtype, self.unpacking)
        return element_of(text, self.dtype)


def why_not_changed(grid: Grid | ColumnGrid | OrderedGrid, column: int) -> str:
    """Why the cells of a column cannot be changed here, as a clause; empty if they can."""
    if isinstance(grid, OrderedGrid):
        return "the rows are sorted or filtered: show all rows in their own order first"
    if isinstance(grid, ColumnGrid):
        path = grid.table[column].array.path
        return f"this table joins several arrays: change {path} in its own Table tab"
    if grid.axes is not None and grid.axes.channel is not None:
        return "a cell shows all channels of a pixel: choose other axes"
    whole = grid.array.dtype
    return why_not_typed(whole[grid.fields[column]] if grid.fields else whole)


def target_of(source: Source, grid: Grid, rows: slice, columns: slice, title: str) -> Target:
    """The elements of a rectangle of cells; of structured elements, the field of its first column."""
    field = grid.fields[columns.start] if grid.fields else None
    return Target(source, grid.array, grid.selection(rows, columns), title, field, grid.unpacking)


def editable_text(value: Any) -> str:
    """A cell's value as text to edit: exact, texts with their spaces.

    Raises:
        ElementTextError: no text stands for it.

    >>> editable_text(np.float64(0.1)), editable_text(np.int32(12345))
    ('0.1', '12345')
    """
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise ElementTextError("its bytes are not UTF-8 text") from error
    return str(value) if isinstance(value, str) else plain_text(value)


def is_still(grid: Grid, row: int, column: int, shown: Any) -> bool:
    """Whether a cell still has the value that the user saw; reads the store."""
    now = grid.read(slice(row, row + 1), slice(column, column + 1))[0][0]
    one, other = np.asarray(now), np.asarray(shown)
    return one.dtype == other.dtype and one.shape == other.shape and bool(are_equal(one, other).all())
