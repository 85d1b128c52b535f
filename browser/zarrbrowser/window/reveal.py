"""Go to a node by path: expand its ancestors, and show it even before its page has arrived."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSignalBlocker, Signal

from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.values.packing import read_packing
from zarrbrowser.window.side.tree_view import TreeView
from zarrbrowser.workers import Lane, Request, Workers

_log = logging.getLogger(__name__)


class Revealer(QObject):
    """Fetches the nodes along a path, then expands the tree along them.

    Signals:
        failed: the sentence that says why the path cannot be shown, and its address.
    """

    failed = Signal(str, str)

    def __init__(self, model: TreeModel, tree: TreeView, workers: Workers) -> None:
        super().__init__(tree)
        self._model, self._tree = model, tree
        self._lane = Lane(workers, in_flight=1)
        self._path = ""
        self._again: Callable[[], None] = lambda: None
        # The user may have chosen another row meanwhile, and wants to stay there.
        tree.node_chosen.connect(lambda _index: self._lane.forget())

    def again(self) -> None:
        """Try the last path that failed once more."""
        self._again()

    @property
    def awaited(self) -> str:
        """The path along which nodes are being fetched; empty if there is none."""
        return self._path if self._lane.busy else ""

    def reveal(
        self,
        source: Source,
        root: QModelIndex,
        path: str,
        stay: Callable[[NodeLike | None], object] | None = None,
    ) -> None:
        """Make the node at ``path`` the current one.

        Args:
            stay: if the window shows that node already: called with the node as it is now, None for the root, in place
                of showing it as if the user had just come.
        """
        place = QPersistentModelIndex(root)

        def work(_asked: Request) -> list[NodeLike]:
            return nodes_along(source, path)

        def failed(error: Exception) -> None:
            if stay is not None:
                _log.debug("cannot read %s again: %s", path, error)
                return
            self._again = lambda: self.reveal(source, self._model.index(place.row(), 0), path)
            self.failed.emit(sentence(error), source.address_of(path))

        self._lane.forget()
        self._path = path
        self._lane.ask(work, lambda nodes: self._walk(place, nodes, stay), failed, f"Looking for {path}")

    def _walk(
        self,
        place: QPersistentModelIndex,
        nodes: list[NodeLike],
        stay: Callable[[NodeLike | None], object] | None,
    ) -> None:
        index = self._model.index(place.row(), 0) if place.isValid() else QModelIndex()
        for node in nodes:
            if not index.isValid():
                return
            self._tree.expand(index)
            index = self._model.adopt(index, node)
        if stay is None:
            self._tree.choose(index)
            return
        with QSignalBlocker(self._tree):
            self._tree.choose(index)
        stay(nodes[-1] if nodes else None)


def nodes_along(source: Source, path: str) -> list[NodeLike]:
    """The nodes from the root's child down to ``path``; runs in a worker.

    Raises:
        NodeNotFoundError: one of them does not exist.
        StoreError: the store failed.
    """
    names = [name for name in path.split("/") if name]
    find = source.hierarchy.node
    nodes = [find("/" + "/".join(names[: depth + 1])) for depth in range(len(names))]
    for group, node in pairwise(nodes):
        read_packing([node], group, find)
    return nodes
