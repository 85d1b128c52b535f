"""The requests of the last minute to all sources as a table, the oldest first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from zarrbrowser.session.sources import Source
from zarrbrowser.theme import current_colours
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.widgets.tooltip import tooltip
from zarrcore.printable import printable

if TYPE_CHECKING:
    from zarrcore.stores import RequestRecord

Index = QModelIndex | QPersistentModelIndex
TITLES = ("Time", "Source", "Method", "Key", "Size", "ms", "Status", "From")
KEY, SIZE, MS = 3, 4, 5
MOST = 10_000
"""The maximum number of rows."""
MINUTE_S = 60.0
SORT_ROLE = Qt.ItemDataRole.UserRole
ADDRESS_ROLE = Qt.ItemDataRole.UserRole + 1
"""The address of a row's source, by which rows are chosen."""
_METHODS = {"get": "GET", "stat": "HEAD", "list": "LIST", "set": "PUT", "erase": "DELETE"}


@dataclass(frozen=True, slots=True)
class _Row:
    address: str
    """That of the store, without credentials."""
    title: str
    record: RequestRecord

    @property
    def url(self) -> str:
        return f"{self.address.rstrip('/')}/{self.record.key}"

    @property
    def status(self) -> str:
        record = self.record
        return f"failed: {record.error}" if record.error else "absent" if record.is_absent else "ok"


class RequestModel(QAbstractTableModel):
    """Requests, at most `MOST`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[_Row] = []

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        return 0 if parent.isValid() else len(TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:  # noqa: N802 - Qt's
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _texts(row)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(printable(f"{row.url}\n{row.status}"))
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (SIZE, MS):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ForegroundRole and (row.record.error or column != KEY):
            colours = current_colours()
            return QColor(colours.warning if row.record.error else colours.muted)
        if role == SORT_ROLE:
            record = row.record
            return {0: record.ended_s, SIZE: record.bytes, MS: record.seconds}.get(
                column, _texts(row)[column]
            )
        return row.address if role == ADDRESS_ROLE else None

    def url(self, row: int) -> str:
        """The address of what was requested."""
        return self._rows[row].url

    def add(self, source: Source, records: Sequence[RequestRecord]) -> None:
        """Add requests to a source."""
        added = [_Row(source.shown_address, source.title, record) for record in records[-MOST:]]
        self._drop(len(self._rows) + len(added) - MOST)
        if added:
            first = len(self._rows)
            self.beginInsertRows(QModelIndex(), first, first + len(added) - 1)
            self._rows.extend(added)
            self.endInsertRows()

    def forget_old(self, now_s: float) -> None:
        """Remove the requests that ended more than a minute before ``now_s``, in seconds since the epoch."""
        since_s = now_s - MINUTE_S
        young = (number for number, row in enumerate(self._rows) if row.record.ended_s >= since_s)
        self._drop(next(young, len(self._rows)))

    def clear(self) -> None:
        """Remove all requests."""
        self._drop(len(self._rows))

    def summary(self, address: str) -> str:
        """One line of text about the requests to a source, or to all of them."""
        records = [row.record for row in self._rows if not address or row.address == address]
        parts = [count(len(records), "request"), format_bytes(sum(one.bytes for one in records))]
        for number, what in (
            (sum(one.is_kept for one in records), "from the cache"),
            (sum(bool(one.error) for one in records), "failed"),
        ):
            parts += [f"{number:,} {what}"] if number else []
        return "  ·  ".join(parts)

    def _drop(self, number: int) -> None:
        if number > 0:
            self.beginRemoveRows(QModelIndex(), 0, number - 1)
            del self._rows[:number]
            self.endRemoveRows()


def _texts(row: _Row) -> tuple[str, ...]:
    record = row.record
    more = f"  and {record.keys - 1:,} more" if record.keys > 1 else ""
    return (
        time.strftime("%H:%M:%S", time.localtime(record.ended_s)),
        printable(row.title),
        _METHODS.get(record.operation, record.operation),
        printable(record.key or "/") + more,
        format_bytes(record.bytes) if record.bytes else "",
        f"{record.seconds * 1000:,.1f}",
        printable(row.status),
        "cache" if record.is_kept else "store",
    )
