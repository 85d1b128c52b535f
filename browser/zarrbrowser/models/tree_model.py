"""The tree of all open sources, fetched page by page.

A group's children arrive in pages through workers; until the last page a note at the end says that more follow.
``canFetchMore`` is False while a page is being fetched.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QMimeData, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor

from zarrbrowser.models.row_mime import MIME_TYPE, mime_of
from zarrbrowser.models.row_model import Index, RowModel
from zarrbrowser.models.tree_columns import COLUMNS, icon_name, is_changing, tool_tip
from zarrbrowser.models.tree_item import (
    LISTING_S,
    PAGE_SIZE,
    Fetching,
    NameList,
    TreeItem,
    natural_key,
    next_page,
    nodes_named,
)
from zarrbrowser.nodes.protocols import NodeLike, is_broken, is_group
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.error_text import remedy, sentence
from zarrbrowser.session.sources import Opener, Source, SourceRequest, open_source, place_of
from zarrbrowser.theme import current_colours, icon
from zarrbrowser.values.packing import read_packing
from zarrbrowser.widgets.tooltip import tooltip
from zarrbrowser.workers import Request, Workers
from zarrbrowser.workers.workers import Stopped
from zarrcore.errors import ZarrError

_log = logging.getLogger(__name__)

_LOADING, _MORE = "Loading…", "More…"
_PATIENCE_MS = 120
# Created once: views ask for each row that they lay out.
_NOTHING = Qt.ItemFlag.NoItemFlags
_BRANCH = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_LEAF = _BRANCH | Qt.ItemFlag.ItemNeverHasChildren
_ROLES = {
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.DecorationRole,
    Qt.ItemDataRole.ForegroundRole,
    Qt.ItemDataRole.ToolTipRole,
}


@dataclass(frozen=True, slots=True)
class _Page:
    """Children of a group that have arrived."""

    nodes: list[NodeLike]
    is_last: bool
    stream: Iterator[NodeLike]
    """The further ones."""
    error: ZarrError | None = None
    """The error that ended the listing, if any."""
    names: list[str] | None = None
    """The names of all children, if they are known and more than a page."""
    listed: NameList | None = None
    """Their listing, if it takes longer."""


class TreeModel(RowModel):
    """Sources and their nodes.

    Signals:
        source_opened: index of a source that is ready.
        source_failed: index of a source that could not be opened.
        children_arrived: index of a node that has more children now.
        node_read: index of a node that was broken and has been read again.
    """

    source_opened = Signal(QModelIndex)
    source_failed = Signal(QModelIndex)
    children_arrived = Signal(QModelIndex)
    node_read = Signal(QModelIndex)

    def __init__(self, workers: Workers, opener: Opener = open_source, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workers = workers
        self._opener = opener

    # Qt's model interface

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: B008, N802 - Qt's signature
        item = self.item(parent)
        return item is not None and parent.column() <= 0 and item.may_have_children

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:  # noqa: N802 - Qt's
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section].title
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        item = self.item(index)
        if item is None or item is self._root:
            return _NOTHING
        found = _BRANCH if item.may_have_children else _LEAF
        return found | Qt.ItemFlag.ItemIsDragEnabled if item.node is not None else found

    def mimeTypes(self) -> list[str]:  # noqa: N802 - Qt's name
        return [MIME_TYPE]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:  # noqa: N802 - Qt's name
        """The node of the first of some rows, for a drag onto a picture."""
        for index in indexes:
            item = self.item(index)
            if item is not None and item.node is not None and item.source is not None:
                return mime_of(item.source.request.shown_address, item.node.path)
        return QMimeData()

    def data(self, index: Index, role: int = 0) -> Any:
        item = self.item(index) if role in _ROLES else None  # a painting asks for four others, too
        if item is None or item is self._root:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[index.column()].text(item)
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 0:
            colours = current_colours()
            name = icon_name(item)
            strong = name.startswith("array") or name in ("source", "levels")
            return icon(
                name, colours.warning if name == "broken" else colours.accent if strong else colours.muted
            )
        if role == Qt.ItemDataRole.ForegroundRole and is_changing(item):
            return QColor(current_colours().warning)
        if role == Qt.ItemDataRole.ForegroundRole and (index.column() > 0 or item.is_note):
            return QColor(current_colours().muted)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(tool_tip(item))
        return None

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802 - Qt's signature
        item = self.item(parent)
        if item is not None and item.is_range:
            return bool(item.unread) and item.fetching is Fetching.NOT_YET
        if item is None or item.node is None or not is_group(item.node):
            return False
        # A view fetches at every layout; after the first page, only scrolling to the end asks for the next.
        beginning = item.fetching is Fetching.PARTLY and item.node_count < PAGE_SIZE
        return item.fetching is Fetching.NOT_YET or beginning

    def fetchMore(self, parent: Index) -> None:  # noqa: N802 - Qt's signature
        item = self.item(parent)
        if item is not None and self.canFetchMore(parent):
            (self._fetch_range if item.is_range else self._fetch)(item)

    # The window's interface

    def fetch_on(self, parent: Index) -> None:
        """Fetch the next page of a partly fetched group; do nothing while a page is being fetched."""
        item = self.item(parent)
        if item is not None and item.fetching is Fetching.PARTLY:
            self._fetch(item)

    def open(self, request: SourceRequest) -> QModelIndex:
        """Open a source; its row is added immediately, with a note that it is loading.

        An existing row that is opening the same source, or failed to, is used again.
        """
        for item in self._root.children:
            if item.request is not None and item.source is None and item.request.place == request.place:
                other_way = request.options is not None and request.options != item.request.options
                item.request = request if other_way else replace(item.request, path=request.path)
                if other_way or item.fetching is Fetching.FAILED:
                    self._open(item)
                return self.index_of(item)
        item = TreeItem(self._root)
        item.request = request
        self._insert(self._root, len(self._root.children), [item])
        self._open(item)
        return self.index_of(item)

    def find(self, request: SourceRequest) -> QModelIndex:
        """The row of a request's source, if there is one with the same connection."""
        connection = Connection.of(request.options)
        for item in self._root.children:
            places = [item.request.place] if item.request else []
            places += [place_of(item.source.hierarchy.url)] if item.source else []
            same_way = request.options is None or (
                item.request and Connection.of(item.request.options) == connection
            )
            if request.place in places and same_way:
                return self.index_of(item)
        return QModelIndex()

    def close(self, index: Index) -> None:
        """Remove a source."""
        item = self.item(index)
        if item is not None and item.request is not None:
            self._remove(self._root, item.row, item.row + 1)

    def retry(self, index: Index) -> None:
        """Repeat what failed: opening a source, listing children; for a note, that of its parent."""
        item = self.item(index)
        if item is None or item is self._root:
            return
        item = item.parent if item.is_note and item.parent else item
        if item.request is not None and item.source is None:
            self._open(item)
        elif item.node is not None and is_broken(item.node):
            self._read_again(item)
        elif item.is_range and item.fetching is Fetching.FAILED:
            self._fetch_range(item)
        elif item.fetching in (Fetching.FAILED, Fetching.PARTLY):
            self._fetch(item)

    def reload(self, index: Index) -> None:
        """Forget a source's nodes and read it again."""
        item = self.item(index)
        while item is not None and item.request is None:
            item = item.parent
        if item is None:
            return
        if item.children:
            self._remove(item, 0, len(item.children))
        self._cancel_all(item)
        item.node = item.source = item.stream = None
        item.forget_names()
        self._open(item)

    def row_of(self, source: Source) -> QModelIndex:
        """The row of an open source; an invalid index if it was closed."""
        found = (item for item in self._root.children if item.source is source)
        return next((self.index_of(item) for item in found), QModelIndex())

    def places(self) -> dict[str, str]:
        """The `Source.places` of all sources, and for each why it could not be opened; empty while nothing is wrong."""
        found: dict[str, str] = {}
        for item in self._root.children:
            if item.source is not None:
                found |= dict.fromkeys(item.source.places - found.keys(), "")
            elif item.request is not None:
                place = place_of(item.request.shown_address)
                found[place] = item.note or found.get(place, "")
        return found

    def path_of(self, index: Index) -> str:
        """The path of a row's node; empty if it has none."""
        item = self.item(index)
        return "" if item is None or item.node is None else item.node.path

    def show_source(self, index: Index, source: Source) -> None:
        """Show the same source as it was opened again, for instance for changes."""
        item = self.item(index)
        if item is None or item.request is None:
            return
        if item.children:
            self._remove(item, 0, len(item.children))
        self._cancel_all(item)
        item.stream = None
        item.forget_names()
        self._opened(item, source)

    def renew(self, index: Index, node: NodeLike) -> None:
        """Show a node as it is now, in place of what was read of it before."""
        item = self.item(index)
        if item is not None and item.node is not None:
            item.node = node
            self._changed(item)

    def list_again(self, index: Index) -> None:
        """Forget the children of a group, so that they are listed again."""
        item = self.item(index)
        if item is None or item.node is None:
            return
        if item.children:
            self._remove(item, 0, len(item.children))
        self._cancel_all(item)
        item.stream, item.fetching = None, Fetching.NOT_YET
        item.forget_names()
        self._changed(item)

    def child_named(self, index: Index, name: str) -> QModelIndex:
        """The child with a name, if it has been fetched."""
        item = self.item(index)
        if item is None or name not in item.names:
            return QModelIndex()
        rows = [row for child in item.children for row in (child.children if child.is_range else [child])]
        found = next(row for row in rows if row.node is not None and row.node.name == name)
        return self.index_of(found)

    def typed(self, index: Index, text: str) -> str:
        """The path of the first node below or beside a row whose name begins with a text, read or not.

        It is empty for a group whose names are not all known.
        """
        item = self.item(index)
        group = item if item is None or item.listed else item.parent
        group = group.parent if group is not None and group.is_range else group
        if group is None or group.node is None:
            return ""
        start = text.casefold()
        name = next((name for name in group.listed if name.casefold().startswith(start)), "")
        return f"{group.node.path.rstrip('/')}/{name}" if name else ""

    def adopt(self, index: Index, node: NodeLike) -> QModelIndex:
        """Show a node that was requested by path before its page has arrived."""
        item = self.item(index)
        if item is None:
            return QModelIndex()
        if node.name not in item.names:
            self._insert_nodes(item, [node])
        return self.child_named(index, node.name)

    # Sources

    def _open(self, item: TreeItem) -> None:
        request = item.request
        if request is None:
            return
        self._cancel(item)
        item.fetching, item.note = Fetching.RUNNING, ""
        self._changed(item)
        item.asked = self._workers.submit(
            lambda _request: self._opener(request),
            lambda source: self._opened(item, source),
            lambda error: self._failed_to_open(item, error),
            f"Opening {request.shown_address}",
        )

    def _cancel(self, item: TreeItem) -> None:
        """Cancel the request of a row; a cancelled request is never answered."""
        if item.asked is not None:
            self._workers.cancel(item.asked)
            item.asked = None

    def _cancel_all(self, item: TreeItem) -> None:
        """Also cancel the listing of all names."""
        self._cancel(item)
        if item.listing is not None:
            self._workers.cancel(item.listing)
            item.listing = None

    def _gone(self, item: TreeItem) -> None:
        self._cancel_all(item)

    def _opened(self, item: TreeItem, source: Source) -> None:
        item.source, item.node, item.fetching, item.was_open = source, source.root, Fetching.NOT_YET, True
        self._changed(item)
        self.source_opened.emit(self.index_of(item))

    def _failed_to_open(self, item: TreeItem, error: Exception) -> None:
        if isinstance(error, Stopped) and not item.was_open:
            self._remove(self._root, item.row, item.row + 1)  # the user did not want it after all
            return
        item.fetching, item.note, item.allow = Fetching.FAILED, sentence(error), remedy(error)
        self._changed(item)
        self.source_failed.emit(self.index_of(item))

    # Children

    def _read_again(self, item: TreeItem) -> None:
        """Read a node again from the store."""
        source, node, group = item.source, item.node, item.group
        if source is None or node is None:
            return

        def work(_request: object) -> NodeLike:
            source.hierarchy.forget(node.path)
            found: NodeLike = source.hierarchy.node(node.path)
            read_packing([found], group, source.hierarchy.node)
            return found

        self._cancel(item)
        item.asked = self._workers.submit(
            work, partial(self._is_read, item), lambda _error: self._changed(item), f"Reading {node.path}"
        )

    def _is_read(self, item: TreeItem, node: NodeLike) -> None:
        item.asked, item.node, item.fetching = None, node, Fetching.NOT_YET
        self._changed(item)
        self.node_read.emit(self.index_of(item))

    def _fetch(self, item: TreeItem) -> None:
        node, source = item.node, item.source
        if node is None or not is_group(node) or source is None:
            return
        stream = item.stream if item.fetching is Fetching.PARTLY and item.stream is not None else None
        item.fetching = Fetching.RUNNING
        known = len(item.names)
        wanted = PAGE_SIZE - known % PAGE_SIZE

        def work(asked: Request) -> _Page:
            children = stream if stream is not None else iter(node.children())
            nodes, last, error = next_page(children, wanted)
            read_packing(nodes, node, source.hierarchy.node)
            if last or not known < PAGE_SIZE <= known + len(nodes):
                return _Page(nodes, last, children, error)
            listed = NameList(node)
            try:
                names = listed.all_names(time.monotonic() + LISTING_S, asked.is_cancelled)
            except ZarrError as failure:  # the pages show it, if it stays
                _log.debug("cannot list all names below %s: %s", node.path, failure)
                return _Page(nodes, last, children)
            return _Page(nodes, last, children, None, names, listed)

        self._cancel(item)
        item.asked = asked = self._workers.submit(
            work,
            lambda page: self._arrived(item, page),
            lambda error: self._failed_to_fetch(item, error),
            f"Listing {node.path}",
        )
        # Delayed, because a view may ask for children while rows are being inserted; skipped if they arrive soon.
        QTimer.singleShot(_PATIENCE_MS, self, lambda: self._say_loading(item, asked))

    def _arrived(self, item: TreeItem, page: _Page) -> None:
        self._insert_nodes(item, [node for node in page.nodes if node.name not in item.names])
        if page.error is not None:
            self._failed_to_fetch(item, page.error)
            return
        item.stream = None if page.is_last else page.stream
        self._say(item, "" if page.is_last else _MORE)
        item.fetching = Fetching.WHOLLY if page.is_last else Fetching.PARTLY
        if page.names is not None:
            self._all_listed(item, page.names)
        elif page.listed is not None:
            self._list_on(item, page.listed)
        self._changed(item)
        self.children_arrived.emit(self.index_of(item))

    def _list_on(self, item: TreeItem, listed: NameList) -> None:
        """List the names of a large group to the end, while its rows can be used."""

        def done(names: list[str] | None) -> None:
            item.listing = None
            if names is not None:
                self._all_listed(item, names)

        def failed(_error: Exception) -> None:
            item.listing = None  # further pages show why, if the error stays

        item.listing = self._workers.submit(
            lambda asked: listed.all_names(math.inf, asked.is_cancelled), done, failed
        )

    def _all_listed(self, item: TreeItem, names: list[str]) -> None:
        self._cancel(item)
        item.stream, item.listed = None, names
        self._show_names(item, names)
        self._say(item, "")
        item.fetching = Fetching.WHOLLY
        self._changed(item)

    def _fetch_range(self, item: TreeItem) -> None:
        """Read the nodes of a range whose names are known."""
        group = item.parent
        if group is None or group.node is None or item.source is None:
            return
        source, parent, names = item.source, group.node, sorted(item.unread, key=natural_key)
        item.fetching = Fetching.RUNNING
        self._cancel(item)
        item.asked = asked = self._workers.submit(
            lambda _request: nodes_named(source, parent, names),
            lambda nodes: self._range_arrived(item, group, nodes),
            lambda error: self._failed_to_fetch(item, error),
            f"Reading nodes below {parent.path}",
        )
        QTimer.singleShot(_PATIENCE_MS, self, lambda: self._say_loading(item, asked))

    def _range_arrived(self, item: TreeItem, group: TreeItem, nodes: list[NodeLike]) -> None:
        item.unread.clear()
        item.fetching = Fetching.WHOLLY
        self._say(item, "")
        self._insert_nodes(group, [node for node in nodes if node.name not in group.names])
        if not item.children:  # nothing in it is a node
            self._remove(group, item.row, item.row + 1)
            return
        self._changed(item)
        self.children_arrived.emit(self.index_of(item))

    def _failed_to_fetch(self, item: TreeItem, error: Exception) -> None:
        self._say(item, sentence(error))
        item.stream, item.fetching, item.allow = None, Fetching.FAILED, remedy(error)
        self._changed(item.children[-1])

    def _say_loading(self, item: TreeItem, asked: Request) -> None:
        if item.asked is asked and item.fetching is Fetching.RUNNING:
            self._say(item, _LOADING)
