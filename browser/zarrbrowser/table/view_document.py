"""What a table shows and where it is scrolled to, as JSON: for the history of views and for saved views.

Saved views may come from others: a filter is a text of bounded length that `clause_of` parses, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.settings_document import axes_in


def table_document(axes: Axes | None, rows: slice, columns: slice) -> dict[str, Any]:
    """A table as JSON.

    Args:
        axes: those of its slice; None if the table shows no slice of an array.
        rows: the rows in view.
        columns: the columns in view.
    """
    is_scrolled = rows.start > 0 or columns.start > 0
    cell = [(rows.start + rows.stop) // 2, (columns.start + columns.stop) // 2] if is_scrolled else None
    plane = {} if axes is None else {"rows": axes.rows, "columns": axes.columns, "index": list(axes.index)}
    return {**plane, "cell": cell}


def order_document(filter_text: str, column: str | None, *, is_descending: bool) -> dict[str, Any]:
    """How the rows of a table are chosen and sorted, as JSON; empty for all rows in their own order.

    Args:
        filter_text: the conditions as the user wrote them.
        column: the name of the column that decides the order.
    """
    document: dict[str, Any] = {"filter": filter_text} if filter_text else {}
    return document if column is None else {**document, "sort": [column, is_descending]}


def names_of(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the columns of a document; empty for all columns, or if it is malformed."""
    names = document.get("columns_of")
    return tuple(one for one in names if isinstance(one, str)) if isinstance(names, list | tuple) else ()


def filter_of(document: Mapping[str, Any]) -> str:
    """The conditions of a document, as text; empty if there are none."""
    text = document.get("filter", "")
    return text if isinstance(text, str) else ""


def sorting_of(document: Mapping[str, Any], names: Sequence[str]) -> tuple[int | None, bool]:
    """The column that decides the order, and whether it does so from the largest; None if the table does not have it."""
    try:
        name, is_descending = document["sort"]
        return names.index(name), bool(is_descending)
    except (KeyError, TypeError, ValueError):
        return None, False


def slice_of(document: Mapping[str, Any], axes: Axes) -> Axes:
    """The slice of a document; the present one if the document is malformed or of an array with other axes."""
    try:
        return axes_in(document, axes)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        return axes


def with_box(document: Mapping[str, Any], axes: Axes | None) -> Mapping[str, Any]:
    """The slice and the cell at the first element of a part of an array, if that is all that ``document`` has.

    Its ``box`` is a pair of a first and a last position for each axis.
    """
    box = document.get("box")
    try:
        if box is None or len(box) != (1 if axes is None else len(axes.shape)):
            return document
        index = [int(start) for start, _stop in box]
    except (TypeError, ValueError, OverflowError):
        return document
    if axes is None:
        return {"cell": [index[0], 0]}
    plane = {"rows": axes.rows, "columns": axes.columns, "index": index}
    return {**plane, "cell": [index[axes.rows], index[axes.columns]]}


def cell_of(document: Mapping[str, Any]) -> tuple[int, int] | None:
    """The cell in the middle of the view; None for the first rows and columns."""
    try:
        row, column = document["cell"]
        return int(row), int(column)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
