"""The controls of changes in the window: the tree's menu, the chip above the tabs, and the bar that says what was not done."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QObject, QTimer

from zarrbrowser.editing.changes import Outcome
from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.values.quantities import count
from zarrbrowser.window.editing.editor import Editor
from zarrbrowser.window.node_pane import NodePane
from zarrbrowser.window.side.tree_view import TreeView
from zarrbrowser.workers import Workers

Renew = Callable[[QModelIndex, Callable[[QModelIndex], None]], None]
"""Replaces the source of a row by another opening of it, with a method of the model; the current node stays."""


class ChangeControls(QObject):
    """Connects an `Editor` with the widgets that ask it for changes and say what came of them.

    Args:
        renew: replaces a source in the tree.
    """

    def __init__(
        self,
        editor: Editor,
        session: Session,
        model: TreeModel,
        tree: TreeView,
        node_pane: NodePane,
        renew: Renew,
        workers: Workers,
    ) -> None:
        super().__init__(editor)
        self._editor, self._session, self._model = editor, session, model
        self._node_pane, self._renew, self._workers = node_pane, renew, workers
        self._leaves = False
        """Whether the window closes once a change has ended."""
        self._rest: Callable[[], None] = self._close
        self._places: set[tuple[int, str]] | None = None
        """The nodes at which the bar stays, by their source and path; None for all."""
        self._told: dict[str, str] = {}
        """The unsaved texts that kept the window open."""
        editor.opened.connect(self._opened)
        editor.ended.connect(lambda source: renew(model.row_of(source), model.reload))
        editor.noticed.connect(self._say)
        editor.changed.connect(
            lambda _source, outcome, _place: self._close() if outcome.is_complete else None
        )
        editor.undo_changed.connect(self.show_undo)
        editor.idle.connect(self._leave)
        node_pane.panes.change_asked.connect(editor.run_here)
        node_pane.panes.fill_asked.connect(editor.ask_fill)
        node_pane.header.change_chip.undo_asked.connect(editor.undo)
        node_pane.header.change_chip.stop_asked.connect(editor.toggle)
        node_pane.notice.button.clicked.connect(lambda _checked: self._rest())
        tree.changes_asked.connect(lambda index: self._ask_at(index, self._toggle))
        tree.group_asked.connect(lambda index: self._ask_at(index, editor.ask_group))
        tree.path_asked.connect(lambda index: self._ask_at(index, editor.ask_path))
        tree.erase_asked.connect(lambda index: self._ask_at(index, editor.ask_erase))

    def node_shown(self) -> None:
        """Close the bar if it is about another node, and show what can be undone in the current source."""
        if self._places is not None and self._session.place not in self._places:
            self._close()
        self.show_undo()

    def may_close(self) -> bool:
        """Whether the window may close.

        A change keeps it open until it ends. Texts that are not saved keep it open once, and the bar names them.
        """
        if self._editor.is_busy and not self._leaves:
            # A change ends between two keys at the latest; closing once more does not wait for a store that hangs.
            self._leaves = True
            self._workers.stop()
            return False
        unsaved = self._node_pane.panes.unsaved()
        if not unsaved or unsaved == self._told:
            return True
        self._told, self._leaves = unsaved, False
        what = (
            min(unsaved)
            if len(unsaved) == 1
            else f"{min(unsaved)} and {count(len(unsaved) - 1, 'other node')}"
        )
        self._editor.noticed.emit(
            f"The text for the attributes of {what} is not saved: save it, or close the window again to discard it.",
            None,
            None,
        )
        return False

    def _leave(self) -> None:
        """Close the window, if it only waited for a change to end."""
        if self._leaves:
            QTimer.singleShot(0, self._node_pane.window().close)

    def show_undo(self) -> None:
        """Show what can be undone in the current source."""
        self._node_pane.header.change_chip.show_undo(self._editor.undoable(self._session.source))

    def _opened(self, old: Source, new: Source) -> None:
        self._renew(self._model.row_of(old), lambda index: self._model.show_source(index, new))

    def _toggle(self, place: tuple[Source, NodeLike]) -> None:
        source = place[0]
        (self._editor.stop if source.may_change else self._editor.allow)(source)

    def _ask_at(self, index: QModelIndex, ask: Callable[[tuple[Source, NodeLike]], object]) -> None:
        """Ask for a change of the node of a row."""
        item = self._model.item(index)
        if item is not None and item.source is not None and item.node is not None:
            ask((item.source, item.node))

    def _say(self, text: str, source: Source | None, outcome: Outcome | None) -> None:
        """Say what was not done, with a button that completes a change if that is possible."""
        self._rest, title = self._close, "Close"
        rest = None if outcome is None else outcome.rest
        self._places = {self._session.place}
        if source is not None and outcome is not None:
            self._places.add((id(source), outcome.path))
        if source is not None and rest is not None:
            change = rest

            def complete() -> None:
                self._close()
                self._editor.run(source, change)

            self._rest, title, self._places = complete, "Delete the rest", None
        self._node_pane.notice.say(text, title)

    def _close(self) -> None:
        self._node_pane.notice.say("")
