"""Navigation to an address, to a path, back and forward."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.session.history import Visit
from zarrbrowser.session.sources import Source, SourceRequest, place_of
from zarrbrowser.session.state import Session
from zarrbrowser.window.node_pane import NodePane
from zarrbrowser.window.reveal import Revealer


class Navigator(QObject):
    """Goes from node to node, and keeps the history.

    Args:
        open_source: opens a source that is not open yet.

    Signals:
        moved: going back or forward may have become possible or impossible.
    """

    moved = Signal()

    def __init__(
        self,
        session: Session,
        model: TreeModel,
        revealer: Revealer,
        node_pane: NodePane,
        open_source: Callable[[SourceRequest], None],
    ) -> None:
        super().__init__(node_pane)
        self._session, self._model, self._revealer = session, model, revealer
        self._node_pane, self._open_source = node_pane, open_source
        self._wanted: Visit | None = None
        self._view_state: Mapping[str, Any] = {}
        node_pane.tabs.currentChanged.connect(lambda _tab: self.note())
        node_pane.panes.view_changed.connect(self._session.history.keep_view_state)
        node_pane.panes.shown.connect(self._restore_view)

    def go(self, request: SourceRequest) -> None:
        """Go to a node of a source; open the source if necessary."""
        request = self._session.recent.known(request)
        index = self._model.find(request)
        item = self._model.item(index)
        if item is not None and item.source is not None:
            self._revealer.reveal(item.source, index, request.path)
        elif request.address:
            self._open_source(request)

    def go_within(self, path: str) -> None:
        """Go to another node of the current source."""
        source = self._session.source
        if source is not None:
            self._revealer.reveal(source, self._model.find(source.request), path)

    def plot_together(self, source: Source, arrays: Sequence[ArrayLike]) -> None:
        """Show some arrays of a group as a table, and draw them in one plot, over their coordinate if they have one."""
        names = [one.name for one in arrays]
        along = {tuple(one.dimension_names or (None,)) for one in arrays}
        x = next(iter(along))[0] if len(along) == 1 else None
        plot = {"x": x, "y": [name for name in names if name != x], "log": [False, False]}
        group, request = arrays[0].path.rpartition("/")[0] or "/", source.request
        self._session.choose_columns(source, group, tuple(names))
        state = {"columns_of": names, "plot": plot}
        self.travel(Visit(request.place, request.address, group, "Table", state))

    def go_up(self) -> None:
        """Go to the parent of the current node."""
        node = self._session.node
        if node is not None and node.path != "/":
            self.go_within(node.path.rpartition("/")[0] or "/")

    @property
    def can_go_back(self) -> bool:
        """Whether there is a visit to go back to."""
        history = self._session.history
        return history.can_go_back or (self._session.node is None and history.here is not None)

    def back(self) -> None:
        """Go to the visit before, or to the last node if none is shown now."""
        history = self._session.history
        self._travel(history.here if self._session.node is None else history.back())

    def forward(self) -> None:
        """Go to the next visit."""
        self._travel(self._session.history.forward())

    def arrived(self) -> None:
        """Record that a node is shown; on the way back or forward, restore its tab."""
        wanted, self._wanted = self._wanted, None
        here = self._here()
        if wanted is not None and here is not None and self._is_at(wanted):
            self._node_pane.show_tab(wanted.tab)
            self._view_state = wanted.view_state
        else:
            self._view_state = {}
        self.note()
        self._restore_view()

    def leave(self) -> None:
        """Record that no node is shown, so that commands do not act on a node that the user does not see."""
        self._node_pane.leave()
        self.moved.emit()

    def travel(self, visit: Visit, request: SourceRequest | None = None) -> None:
        """Go to the node of a visit and restore its view.

        Args:
            request: how to open its source, if not as before.
        """
        self._wanted = visit
        self.go(request or SourceRequest(visit.address, visit.path))
        self.moved.emit()

    def expect(self, visit: Visit) -> None:
        """Restore the view of a visit if its node is the next one that is shown."""
        self._wanted = visit

    def here(self) -> Visit | None:
        """The present node and its view; None without a node."""
        here = self._here()
        return None if here is None else replace(here, view_state=self._node_pane.view_state())

    @property
    def awaited(self) -> Mapping[str, Any]:
        """The settings that will be restored once the tab shows the node; empty without any."""
        return self._view_state

    def note(self) -> None:
        """Record the present node and view."""
        here = self._here()
        if here is not None:
            self._session.history.visit(here)
        self.moved.emit()

    def _here(self) -> Visit | None:
        source, node = self._session.source, self._session.node
        if source is None or node is None:
            return None
        request = source.request
        return Visit(request.place, request.address, node.path, self._node_pane.current_tab())

    def _is_at(self, visit: Visit) -> bool:
        source, node = self._session.source, self._session.node
        if source is None or node is None:
            return False
        # The address that was typed may have credentials, which saved ones do not have.
        places = (source.request.place, place_of(source.hierarchy.url))
        return visit.path == node.path and visit.place in places

    def _travel(self, visit: Visit | None) -> None:
        if visit is not None:
            self.travel(visit)

    def _restore_view(self) -> None:
        view_state, self._view_state = (
            self._view_state,
            {},
        )  # restoring may show the view immediately, and call this method again
        if view_state and not self._node_pane.restore_view(view_state):
            self._view_state = view_state
