"""Rows in a tree, looked up by number, so that an index that outlives its row never refers to freed memory."""

from __future__ import annotations

from bisect import bisect, bisect_left

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex

from zarrbrowser.models.tree_columns import COLUMNS
from zarrbrowser.models.tree_item import PAGE_SIZE, Fetching, TreeItem, natural_key
from zarrbrowser.nodes.protocols import NodeLike

Index = QModelIndex | QPersistentModelIndex


class RowModel(QAbstractItemModel):
    """The structure of the tree; `TreeModel` fetches its rows and gives their text."""

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
        item = self._items.get(child.internalId()) if child.isValid() else None  # views call this most
        parent = self._root if item is None or item.parent is None else item.parent
        return QModelIndex() if parent is self._root else self.createIndex(parent.row, 0, parent.identity)

    def item(self, index: Index) -> TreeItem | None:
        """The row of an index; the invisible root for an invalid index; None if the row was removed."""
        return self._items.get(index.internalId()) if index.isValid() else self._root

    def index_of(self, item: TreeItem) -> QModelIndex:
        """The index of a row."""
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

    def _move(self, source: TreeItem, start: int, stop: int, target: TreeItem) -> None:
        """Move rows to the end of another row; views keep the current row and expanded rows."""
        end, moved = len(target.children), source.children[start:stop]
        self.beginMoveRows(self.index_of(source), start, stop - 1, self.index_of(target), end)
        target.children += moved
        del source.children[start:stop]
        for row in moved:
            row.parent = target
        _number(source, start)
        _number(target, end)
        self.endMoveRows()
        self._changed(target)

    def _insert_nodes(self, item: TreeItem, nodes: list[NodeLike]) -> None:
        rows = sorted((TreeItem(item, node) for node in nodes), key=_sort_key)
        item.names.update(node.name for node in nodes)
        end = item.node_count
        if end + len(rows) > PAGE_SIZE or (end and item.children[end - 1].is_range):
            self._insert_in_ranges(item, rows)
        else:
            self._merge(item, rows)

    def _merge(self, item: TreeItem, rows: list[TreeItem]) -> None:
        """Insert sorted rows among sorted rows."""
        known = [_sort_key(child) for child in item.children[: item.node_count]]
        together: list[tuple[int, list[TreeItem]]] = []
        for row in rows:
            row.parent = item
            place = bisect(known, _sort_key(row))
            if together and together[-1][0] == place:
                together[-1][1].append(row)
            else:
                together.append((place, [row]))
        for place, run in reversed(together):
            self._insert(item, place, run)

    def _insert_in_ranges(self, item: TreeItem, rows: list[TreeItem]) -> None:
        """Put sorted rows into collapsed ranges, because a view asks for every row that it lays out.

        Ranges are sorted and do not overlap. Rows outside ranges come first; if a new row belongs among them, they become
        a range too.
        """
        side_by_side = self._side_by_side(item)
        if rows and side_by_side and _sort_key(rows[0]) < _sort_key(item.children[side_by_side - 1]):
            self._move(item, 0, side_by_side, self._add_range(item, side_by_side, []))
        while rows:
            start = self._side_by_side(item)
            ranges = item.children[start : item.node_count]
            firsts = [_first_key(one) for one in ranges]
            place = max(0, bisect(firsts, _sort_key(rows[0])) - 1)
            if place + 1 < len(ranges):
                number = bisect_left([_sort_key(row) for row in rows], firsts[place + 1])
            elif ranges and (
                ranges[-1].span is not None or _sort_key(rows[0]) < _sort_key(ranges[-1].children[-1])
            ):
                number = len(rows)
            else:  # a store that lists in order fills one range after the other
                number = PAGE_SIZE - len(ranges[-1].children) if ranges else 0
            if number:
                self._merge(ranges[place], rows[:number])
                ranges[place].unread.difference_update(
                    row.node.name for row in rows[:number] if row.node is not None
                )
                if ranges[place].span is None:
                    self._split(item, ranges[place])
                self._changed(ranges[place])
            else:
                number = PAGE_SIZE
                self._add_range(item, item.node_count, rows[:number])
            rows = rows[number:]

    def _show_names(self, item: TreeItem, names: list[str]) -> None:
        """Put all sorted names into ranges, whose nodes are read when they are expanded; known rows move into these."""
        before = item.node_count
        known = [row for row in item.children[:before] if row.is_range]
        made: list[TreeItem] = []
        for start in range(0, len(names), PAGE_SIZE):
            part = names[start : start + PAGE_SIZE]
            one = TreeItem(item)
            one.is_range, one.span = True, (part[0], part[-1])
            one.unread = set(part) - item.names
            made.append(one)
        self._insert(item, before, made)
        firsts = [_first_key(one) for one in made]
        for container in (item, *known):
            end = self._side_by_side(item) if container is item else len(container.children)
            while end:
                row = container.children[0]
                place = max(0, bisect(firsts, _sort_key(row)) - 1)
                stop = end
                if place + 1 < len(made):
                    keys = [_sort_key(one) for one in container.children[:end]]
                    stop = bisect_left(keys, firsts[place + 1])
                self._move(container, 0, stop, made[place])
                end -= stop
        for one in known:
            self._remove(item, one.row, one.row + 1)
        for one in made:
            one.fetching = Fetching.NOT_YET if one.unread else Fetching.WHOLLY

    def _side_by_side(self, item: TreeItem) -> int:
        """The number of nodes before the first range."""
        ranges = (row for row, child in enumerate(item.children) if child.is_range)
        return next(ranges, item.node_count)

    def _add_range(self, item: TreeItem, place: int, rows: list[TreeItem]) -> TreeItem:
        made = TreeItem(item)
        made.is_range, made.fetching = True, Fetching.WHOLLY
        self._insert(item, place, [made])
        for row in rows:
            row.parent = made
        self._insert(made, 0, rows)
        self._changed(made)
        return made

    def _split(self, item: TreeItem, full: TreeItem) -> None:
        """Split a range with too many rows into halves, repeatedly."""
        while len(full.children) > PAGE_SIZE:
            half = len(full.children) // 2
            made = self._add_range(item, full.row + 1, [])
            self._move(full, half, len(full.children), made)
            self._split(item, made)

    def _say(self, item: TreeItem, note: str) -> None:
        """Set the text of the note row, the last row below ``item``, or remove it."""
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
        """Called for each removed row."""

    def _changed(self, item: TreeItem) -> None:
        first = self.index_of(item)
        self.dataChanged.emit(first, first.siblingAtColumn(len(COLUMNS) - 1))


def _number(parent: TreeItem, start: int) -> None:
    for row in range(start, len(parent.children)):
        parent.children[row].row = row


def _first_key(item: TreeItem) -> list[tuple[int, int, str]]:
    """The key of the first row of a range, read or not."""
    return _sort_key(item.children[0]) if item.span is None else natural_key(item.span[0])


def _sort_key(item: TreeItem) -> list[tuple[int, int, str]]:
    if item.sort_key is None:
        item.sort_key = natural_key(item.node.name if item.node is not None else "")
    return item.sort_key
