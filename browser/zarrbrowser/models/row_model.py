"""Rows in a tree, found by number: an index that outlives its row finds nothing instead of freed memory."""

from __future__ import annotations

from bisect import bisect

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex

from zarrbrowser.models.tree_item import PAGE_SIZE, Fetching, TreeItem, natural_key
from zarrbrowser.session.nodes import NodeLike

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("Name", "Shape", "Type")


class RowModel(QAbstractItemModel):
    """The shape of the tree; what its rows say and where they come from is `TreeModel`'s affair."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = TreeItem(None)
        self._items: dict[int, TreeItem] = {}
        self._count = 0

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        return len(COLUMNS)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's signature
        item = self.item(parent)
        return len(item.children) if item is not None and parent.column() <= 0 else 0

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's
        item = self.item(parent)
        if item is None or not 0 <= row < len(item.children) or not 0 <= column < len(COLUMNS):
            return QModelIndex()
        return self.createIndex(row, column, item.children[row].identity)

    def parent(self, child: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override] # noqa: B008 - Qt's
        item = self.item(child)
        return QModelIndex() if item is None or item.parent is None else self.index_of(item.parent)

    def item(self, index: Index) -> TreeItem | None:
        """The row behind an index; the invisible root for an invalid one; None for one that is gone."""
        return self._items.get(index.internalId()) if index.isValid() else self._root

    def index_of(self, item: TreeItem) -> QModelIndex:
        """Where a row stands."""
        return QModelIndex() if item is self._root else self.createIndex(item.row, 0, item.identity)

    def _insert(self, parent: TreeItem, place: int, rows: list[TreeItem]) -> None:
        if not rows:
            return
        self.beginInsertRows(self.index_of(parent), place, place + len(rows) - 1)
        for row in rows:
            self._count += 1
            row.identity = self._count
            self._items[row.identity] = row
        parent.children[place:place] = rows
        _number(parent, place)
        self.endInsertRows()

    def _insert_nodes(self, item: TreeItem, nodes: list[NodeLike]) -> None:
        rows = [TreeItem(item, node) for node in nodes]
        item.names.update(node.name for node in nodes)
        end = item.node_count
        if end + len(rows) > PAGE_SIZE:
            self._insert_ranges(item, rows)
            return
        rows.sort(key=_sort_key)
        known = [_sort_key(child) for child in item.children[:end]]
        if not rows or not known or known[-1] <= _sort_key(rows[0]):
            self._insert(item, end, rows)
            return
        for row in rows:
            place = bisect(known, _sort_key(row))
            known.insert(place, _sort_key(row))
            self._insert(item, place, [row])

    def _insert_ranges(self, item: TreeItem, rows: list[TreeItem]) -> None:
        """Put rows into collapsed ranges, in the store's order: a view asks for every row it lays out."""
        while rows:
            last = item.children[item.node_count - 1] if item.node_count else None
            if last is None or not last.is_range or len(last.children) >= PAGE_SIZE:
                last = TreeItem(item)
                last.is_range, last.fetching = True, Fetching.WHOLLY
                self._insert(item, item.node_count, [last])
            room = PAGE_SIZE - len(last.children)
            for row in rows[:room]:
                row.parent = last
            self._insert(last, len(last.children), rows[:room])
            self._changed(last)
            rows = rows[room:]

    def _say(self, item: TreeItem, note: str) -> None:
        """Let the last row below ``item`` say ``note``, or be gone."""
        end = item.node_count
        has_note = end < len(item.children)
        if not note:
            if has_note:
                self._remove(item, end, end + 1)
        elif has_note:
            item.children[end].note = note
            self._changed(item.children[end])
        else:
            self._insert(item, end, [TreeItem(item, note=note)])

    def _remove(self, parent: TreeItem, start: int, stop: int) -> None:
        self.beginRemoveRows(self.index_of(parent), start, stop - 1)
        doomed = parent.children[start:stop]
        del parent.children[start:stop]
        _number(parent, start)
        while doomed:
            item = doomed.pop()
            doomed.extend(item.children)
            del self._items[item.identity]
            self._gone(item)
        self.endRemoveRows()

    def _gone(self, item: TreeItem) -> None:
        """Called for each row that was removed."""

    def _changed(self, item: TreeItem) -> None:
        first = self.index_of(item)
        self.dataChanged.emit(first, first.siblingAtColumn(len(COLUMNS) - 1))


def _number(parent: TreeItem, start: int) -> None:
    for row in range(start, len(parent.children)):
        parent.children[row].row = row


def _sort_key(item: TreeItem) -> list[tuple[int, int, str]]:
    return natural_key(item.node.name if item.node is not None else "")
