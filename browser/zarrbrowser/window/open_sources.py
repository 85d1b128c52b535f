"""The sources in the tree: what follows when one was opened or closed, and opening one again."""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QObject, QSignalBlocker, QTimer, Signal

from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.session.request_lines import to_line
from zarrbrowser.session.state import Session
from zarrbrowser.settings import Settings
from zarrbrowser.window.editing.editor import Editor
from zarrbrowser.window.navigation import Navigator
from zarrbrowser.window.node_pane import NodePane
from zarrbrowser.window.side.side_pane import SidePane

_COLLECT_MS = 1000


class OpenSources(QObject):
    """Lets the session, the side and the panes know which sources are open.

    Signals:
        opened: the index of a source that is open now.
        emptied: the last row of the tree is gone.
    """

    opened = Signal(QModelIndex)
    emptied = Signal()

    def __init__(
        self,
        session: Session,
        settings: Settings,
        model: TreeModel,
        side: SidePane,
        node_pane: NodePane,
        navigator: Navigator,
        editor: Editor,
    ) -> None:
        super().__init__(model)
        self._session, self._settings, self._model, self._tree = session, settings, model, side.tree
        self._side, self._node_pane, self._navigator, self._editor = side, node_pane, navigator, editor
        # A hierarchy and its nodes refer to each other: without a collection, closed stores keep files and connections open.
        self._collecting = QTimer(self, singleShot=True, interval=_COLLECT_MS)
        self._collecting.timeout.connect(gc.collect)
        side.tree.reload_asked.connect(self.reload)
        model.source_opened.connect(self._add)
        model.source_failed.connect(lambda _index: self._inform_panes())
        model.rowsRemoved.connect(self._rows_removed)

    def close_current(self) -> None:
        """Close the source of the current row."""
        self._model.close(_source_of(self._tree.currentIndex()))

    def reload_current(self) -> None:
        """Read the source of the current row again."""
        self.reload(self._tree.currentIndex())

    def reload(self, index: QModelIndex) -> None:
        """Read the source of a row again; the current node stays the same."""
        item = self._model.item(_source_of(index))
        if item is not None and item.source is not None and item.source.may_change:
            here = self._navigator.here() if self._session.source is item.source else None
            if here is not None:
                self._navigator.expect(here)
            self._editor.reread(item.source, "/" if here is None else here.path)
            return
        self.renew(index, self._model.reload)

    def allow(self, prefix: str) -> None:
        """Open the current source again, and let its data name what is below a folder or URL."""
        index = _source_of(self._tree.currentIndex())
        item = self._model.item(index)
        if item is not None and item.request is not None:
            item.request = item.request.allowing(prefix)
            self.renew(index, self._model.reload)

    def renew(self, index: QModelIndex, renew: Callable[[QModelIndex], None]) -> None:
        """Replace the source of a row by another opening of it; the current node stays the same."""
        index = _source_of(index)
        # A view does not lay out rows inserted in place of removed rows that were expanded.
        self._tree.collapse(index)
        if index != _source_of(self._tree.currentIndex()):
            renew(index)
            return
        here = self._navigator.here()
        with QSignalBlocker(self._tree):  # the node's row is removed, but the user did not choose another
            self._tree.setCurrentIndex(index)
            renew(index)
        if here is not None:
            self._navigator.travel(here)

    def is_current(self, source: QModelIndex) -> bool:
        """Whether the row of a source is the current one."""
        current = self._tree.currentIndex()
        return current.row() == source.row() and not current.parent().isValid()

    def _add(self, index: QModelIndex) -> None:
        item = self._model.item(index)
        if item is None or item.source is None or item.request is None:
            return
        self._forget_closed()  # reloading replaces the old source by a new one
        self._session.add(item.source)
        self._inform_panes()
        self._side.sources_changed()
        self._settings.keep("recent", [*map(to_line, self._session.recent.requests)])
        self._tree.expand(index)
        self._model.fetchMore(index)  # a row that is already expanded does not fetch
        self.opened.emit(index)

    def _rows_removed(self, parent: QModelIndex, first: int, _last: int) -> None:
        self._forget_closed()
        if not parent.isValid():
            self._inform_panes()  # also without one that could not be opened
        rows = self._model.rowCount()
        if not parent.isValid() and rows and not self._tree.currentIndex().isValid():
            # Qt selects another row when the current one is removed, but not when its parent is.
            self._tree.choose(self._model.index(min(first, rows - 1), 0))

    def _forget_closed(self) -> None:
        sources = [self._model.item(self._model.index(row, 0)) for row in range(self._model.rowCount())]
        kept = [item.source for item in sources if item is not None]
        if self._session.source is not None and self._session.source not in kept:
            self._navigator.leave()
        closed = [source for source in self._session.sources if source not in kept]
        for source in closed:
            self._session.remove(source)
            self._editor.closed(source)
        if closed:
            self._node_pane.panes.forget_tiles()
            self._inform_panes()
            self._collecting.start()
        self._side.sources_changed()
        if not sources:
            self.emptied.emit()

    def _inform_panes(self) -> None:
        """Let the panes know that sources were opened or closed, or could not be opened."""
        self._node_pane.panes.sources_changed(self._model.places())


def _source_of(index: QModelIndex) -> QModelIndex:
    """The source's row above a row."""
    while index.parent().isValid():
        index = index.parent()
    return index.siblingAtColumn(0)
