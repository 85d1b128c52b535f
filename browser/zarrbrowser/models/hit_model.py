"""The results of a search, one row per node, in the order in which they were found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from zarrbrowser.models.tree_columns import COLUMNS
from zarrbrowser.session.inventory import Entry
from zarrbrowser.session.sources import Source
from zarrbrowser.theme import current_colours, icon
from zarrbrowser.widgets.tooltip import tooltip

Index = QModelIndex | QPersistentModelIndex
Hit = tuple[Source, Entry]
MOST = 10_000
"""The maximum number of rows; further results are only counted."""
PLACE_ROLE = Qt.ItemDataRole.UserRole
"""The path of the node's parent, or the address of a source."""


class HitModel(QAbstractTableModel):
    """The results; grows while a search is running.

    Attributes:
        found: the number of results, including those beyond `MOST`.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hits: list[Hit] = []
        self.found = 0

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        return 0 if parent.isValid() else len(self._hits)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:  # noqa: N802 - Qt's
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section].title
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        hit = self.hit(index)
        if hit is None:
            return None
        source, entry = hit
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[index.column()].found_text(entry)
        if role == PLACE_ROLE and index.column() == 0:
            if entry.title:
                return source.shown_address
            return entry.path[: -len(entry.name)].rstrip("/") or "/"
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(f"{entry.path}\n{source.hierarchy.url}")
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return entry.path
        if role == Qt.ItemDataRole.ForegroundRole and index.column() > 0:
            return QColor(current_colours().muted)
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 0:
            return _drawing(entry)
        return None

    def hit(self, index: Index) -> Hit | None:
        """The node of a row, and its source."""
        return self._hits[index.row()] if index.isValid() and index.row() < len(self._hits) else None

    def clear(self) -> None:
        """Start another search."""
        self.beginResetModel()
        self._hits, self.found = [], 0
        self.endResetModel()

    def add(self, source: Source, entries: Sequence[Entry]) -> None:
        """Add results."""
        self.found += len(entries)
        rows = [(source, entry) for entry in entries[: MOST - len(self._hits)]]
        if rows:
            self.beginInsertRows(QModelIndex(), len(self._hits), len(self._hits) + len(rows) - 1)
            self._hits.extend(rows)
            self.endInsertRows()


def _drawing(entry: Entry) -> Any:
    colours = current_colours()
    if entry.shape is not None:
        return icon(f"array{min(len(entry.shape), 3)}", colours.accent)
    if entry.kind == "broken":
        return icon("broken", colours.warning)
    return icon("source" if entry.title or entry.kind == "collection" else "group", colours.muted)
