"""The references in the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.nodes.references import References, references_of
from zarrbrowser.table.columns import ArrayColumn
from zarrbrowser.table.grid import Grid
from zarrbrowser.table.row_order import RowTable

Place = tuple[ArrayLike, tuple[str, ...]]
"""The array of a column, and the field of its elements."""


class TableReferences:
    """Says where cells lead to; nothing is known before `look`.

    Args:
        table: the columns.
    """

    def __init__(self, table: RowTable) -> None:
        self._is_plane = isinstance(table, Grid) and table.axes is not None
        self._places = _places(table)
        self._known: dict[int, References] = {}

    @property
    def may_exist(self) -> bool:
        """Whether a column holds texts, as references are; reads nothing."""
        return any(_may_be_texts(array) for array, _fields in self._places)

    def has_same_columns(self, other: TableReferences) -> bool:
        """Whether another table, such as another slice of the array, has the same columns."""
        return self._is_plane == other._is_plane and [
            (id(array), fields) for array, fields in self._places
        ] == [(id(array), fields) for array, fields in other._places]

    def look(self) -> bool:
        """Find out which columns hold references, if any; blocks.

        Raises:
            StoreError: the store failed.
        """
        arrays = {id(array): array for array, _fields in self._places if _may_be_texts(array)}
        self._known = {key: references_of(array) for key, array in arrays.items()}
        return any(one.found.elements for one in self._known.values())

    def target(self, column: int, value: Any) -> str:
        """The path of the node that a cell leads to; empty if it leads nowhere."""
        array, fields = self._places[0 if self._is_plane else column]
        known = self._known.get(id(array))
        return "" if known is None else known.of_element(value, fields)


def _places(table: RowTable) -> Sequence[Place]:
    if isinstance(table, Grid):
        return [(table.array, (name,)) for name in table.fields] or [(table.array, ())]
    return [
        (one.array, () if not isinstance(one, ArrayColumn) or one.field is None else (one.field,))
        for one in table.table
    ]


def _may_be_texts(array: ArrayLike) -> bool:
    dtype = array.dtype
    return any(
        one.kind in "TO" for one in ([dtype[name] for name in dtype.names] if dtype.names else [dtype])
    )
