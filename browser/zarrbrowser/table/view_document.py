"""The slice that a table shows, and where it is scrolled to, as JSON: for the history of views and for saved views."""

from __future__ import annotations

from collections.abc import Mapping
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


def slice_of(document: Mapping[str, Any], axes: Axes) -> Axes:
    """The slice of a document; the present one if the document is malformed or of an array with other axes."""
    try:
        return axes_in(document, axes)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        return axes


def cell_of(document: Mapping[str, Any]) -> tuple[int, int] | None:
    """The cell in the middle of the view; None for the first rows and columns."""
    try:
        row, column = document["cell"]
        return int(row), int(column)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
