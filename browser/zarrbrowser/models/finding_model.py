"""The findings of a check as a table, all of them or those of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from zarrbrowser.session.checking import MOST, Kind, kind_of
from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.tooltip import tooltip
from zarrcore.printable import printable

if TYPE_CHECKING:
    from zarrcore.operations.check import Finding

Index = QModelIndex | QPersistentModelIndex
TITLES = ("Severity", "Where", "What")
_WHERE = 1


class FindingModel(QAbstractTableModel):
    """Findings, at most `MOST` of each kind; grows while a check is running."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._of_kind: dict[Kind, list[Finding]] = {kind: [] for kind in Kind}
        self._all: list[Finding] = []
        self._shown = self._all

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        return 0 if parent.isValid() else len(TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:  # noqa: N802 - Qt's
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        finding = self.finding(index)
        if finding is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            texts = (finding.severity, finding.key or finding.path, finding.sentence)
            return printable(texts[index.column()])
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(printable(f"{finding.key or finding.path}\n{finding.sentence}"))
        if role == Qt.ItemDataRole.ForegroundRole and index.column() != _WHERE:
            colours = current_colours()
            is_grave = index.column() == 0 and finding.severity in ("error", "warning")
            return QColor(colours.warning if is_grave else colours.muted)
        return None

    def finding(self, index: Index) -> Finding | None:
        """The finding of a row."""
        return self._shown[index.row()] if index.isValid() and index.row() < len(self._shown) else None

    def show_kind(self, kind: Kind | None) -> None:
        """Show the findings of one kind, or all."""
        self.beginResetModel()
        self._shown = self._all if kind is None else self._of_kind[kind]
        self.endResetModel()

    def clear(self) -> None:
        """Start another check."""
        self.beginResetModel()
        self._all.clear()
        for found in self._of_kind.values():
            found.clear()
        self.endResetModel()

    def add(self, findings: Sequence[Finding]) -> None:
        """Add findings; those beyond `MOST` of a kind are dropped."""
        added: list[Finding] = []
        of_kind: dict[Kind, list[Finding]] = {kind: [] for kind in Kind}
        for finding in findings:
            kind = kind_of(finding)
            if len(self._of_kind[kind]) + len(of_kind[kind]) < MOST:
                of_kind[kind].append(finding)
                added.append(finding)
        for rows, more in ((self._all, added), *((self._of_kind[kind], of_kind[kind]) for kind in Kind)):
            if more and rows is self._shown:
                self.beginInsertRows(QModelIndex(), len(rows), len(rows) + len(more) - 1)
                rows.extend(more)
                self.endInsertRows()
            else:
                rows.extend(more)
