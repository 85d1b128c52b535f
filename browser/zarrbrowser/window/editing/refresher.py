"""Shows what a change has changed, in the tree, in the tabs and in the search."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QSignalBlocker, QTimer, Signal

from zarrbrowser.editing.changes import Effect, Outcome
from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.window.node_pane import NodePane
from zarrbrowser.window.reveal import Revealer
from zarrbrowser.window.side.side_pane import SidePane


class Refresher(QObject):
    """Reads again what a change may have changed, and goes to it if the user has stayed where it was asked for.

    Signals:
        reported: what was done, once the node is shown that was changed: showing a node clears the status bar.
    """

    reported = Signal(str)

    def __init__(
        self,
        session: Session,
        model: TreeModel,
        side: SidePane,
        node_pane: NodePane,
        revealer: Revealer,
    ) -> None:
        super().__init__(node_pane)
        self._session, self._model, self._side = session, model, side
        self._node_pane, self._revealer = node_pane, revealer
        self._text = ""
        self._target = ""
        """The path to which the window went last because of a change."""
        side.tree.node_chosen.connect(lambda _index: QTimer.singleShot(0, self._report))

    def show(self, source: Source, outcome: Outcome, asked_at: tuple[int, str] | None = None) -> None:
        """Show what came of a change.

        Args:
            asked_at: the node that was shown when the user asked for it: see `Session.place`. If another one is shown
                now, the window stays there.
        """
        root = self._model.row_of(source)
        if outcome.effect is Effect.NOTHING or not root.isValid():
            return
        changed = [source]
        for other in self._session.sources:
            if other is not source and _overlap(other, source):
                other.hierarchy.refresh()
                changed.append(other)
        if outcome.effect is Effect.ELEMENTS and self._session.source in changed:
            self._node_pane.reread()
            return
        if outcome.effect is Effect.NODES:
            self._side.forget(source)
            # Another node may now have the path of an earlier one.
            self._session.forget_views(source, outcome.group)
            self._list_again(source, root, outcome, is_left=self._session.place != asked_at)
        elif outcome.effect is Effect.ATTRIBUTES:
            self._session.forget_views(source, outcome.path)
            self._show_attributes(source, root, outcome)
        else:
            self._node_pane.panes.forget_tiles()
        self._node_pane.panes.reread_beside(changed)

    def _show_attributes(self, source: Source, root: QModelIndex, outcome: Outcome) -> None:
        node = outcome.node
        row = self._row(root, outcome.path)
        if node is None:
            return
        if row is not None:
            self._model.renew(row, node)
        if self._is_shown(source, node):
            self._node_pane.show_again(source, node)
        elif self._session.source is source:
            self._node_pane.reread()  # an array whose coordinates have other units, for instance

    def _list_again(self, source: Source, root: QModelIndex, outcome: Outcome, *, is_left: bool) -> None:
        """List the children of a group again, and go to the node that was changed, or stay at the present one."""
        tree = self._side.tree
        here = self._session.source is source
        row = root
        for name in [name for name in outcome.group.split("/") if name]:
            below = self._model.child_named(row, name)
            if not below.isValid():
                break
            row = below
        if outcome.node is not None and self._model.path_of(row) == outcome.node.path:
            self._model.renew(row, outcome.node)
        tree.collapse(
            row
        )  # a view does not lay out rows inserted in place of removed rows that were expanded
        with QSignalBlocker(tree):
            if here:
                tree.setCurrentIndex(row)
            self._model.list_again(row)
        tree.expand(row)
        self._model.fetchMore(row)
        if not here or self._revealer.awaited not in ("", self._target):
            return  # the user is at another source, or on the way to another node
        if is_left:
            self._stay(source, root, outcome)
        else:
            self._go(source, root, outcome.path, outcome.text)

    def _go(self, source: Source, root: QModelIndex, path: str, text: str) -> None:
        self._text, self._target = text, path
        self._revealer.reveal(source, root, path)

    def _stay(self, source: Source, root: QModelIndex, outcome: Outcome) -> None:
        """Show the present node as it is now, in the same view; if it was moved or deleted, go where it is."""
        shown = self._session.place[1]
        path = outcome.now_at(shown)
        if path != shown:
            self._go(source, root, path, outcome.text)
        else:
            self._target = path
            self._revealer.reveal(
                source, root, path, lambda node: self._node_pane.show_again(source, node or source.root)
            )

    def _report(self) -> None:
        text, self._text = self._text, ""
        if text:
            self.reported.emit(text)

    def _row(self, root: QModelIndex, path: str) -> QModelIndex | None:
        """The row of a node, if it is listed."""
        row = root
        for name in [name for name in path.split("/") if name]:
            row = self._model.child_named(row, name)
            if not row.isValid():
                return None
        return row

    def _is_shown(self, source: Source, node: NodeLike) -> bool:
        shown = self._session.node
        return self._session.source is source and shown is not None and shown.path == node.path


def _overlap(one: Source, other: Source) -> bool:
    """Whether one of two sources may contain the other."""
    first, second = (source.hierarchy.url.rstrip("/") + "/" for source in (one, other))
    return first.startswith(second) or second.startswith(first)
