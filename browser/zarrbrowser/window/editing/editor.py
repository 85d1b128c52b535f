"""Changes of the user: allowed per source, asked for in dialogs, undone."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from zarrbrowser.editing.changes import CannotUndoError, Change, Effect, Outcome
from zarrbrowser.editing.opening import check_store
from zarrbrowser.editing.undo_stack import UndoStack
from zarrbrowser.nodes.protocols import NodeLike, is_group
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.window.editing.change_runner import ChangeRunner
from zarrbrowser.workers import Workers
from zarrbrowser.workers.workers import Stopped
from zarrcore.errors import ReadOnlyError, ZarrError

if TYPE_CHECKING:  # what only changes need is imported when they are asked for, for a fast start
    from zarrbrowser.editing.cells import Target

_log = logging.getLogger(__name__)

_KEYS = "Ctrl+Shift+A"


class Editor(QObject):
    """Changes sources for which the user allows that.

    Signals:
        opened: a source, and the same source opened for changes.
        ended: a source for which the user does not want changes any more.
        changed: a source, the `Outcome` of a change in it, and the node that was shown when the user asked for it.
        undo_changed: another change, or none, can be undone.
        reported: what was done, for the status bar.
        noticed: what was not done and why; the source and the `Outcome` of a change that was done in part, or None.
        idle: no change is running any more.
    """

    opened = Signal(object, object)
    ended = Signal(object)
    changed = Signal(object, object, object)
    undo_changed = Signal()
    reported = Signal(str)
    noticed = Signal(str, object, object)
    idle = Signal()

    def __init__(self, parent: QWidget, session: Session, workers: Workers) -> None:
        super().__init__(parent)
        self._parent, self._session, self._workers = parent, session, workers
        self._undos: dict[int, UndoStack] = {}
        self._opening: set[int] = set()
        self._closing: list[Source] = []
        """Closed sources whose files are not complete yet."""
        self._runner = ChangeRunner(workers, self)
        self._runner.ended.connect(self._change_ended)
        self._runner.stopping.connect(lambda change: self.reported.emit(f"{change.what}: stopping…"))
        self._runner.idle.connect(self._close_files)
        self._runner.idle.connect(self.idle)

    @property
    def is_busy(self) -> bool:
        """Whether a change is running."""
        return self._runner.is_busy

    # Allowing changes

    def toggle(self) -> None:
        """Allow changes of the current source, or stop them."""
        source = self._session.source
        if source is None:
            self.reported.emit("Open a source first")
        elif source.may_change:
            self.stop(source)
        else:
            self.allow(source)

    def allow(self, source: Source) -> None:
        """Open a source again for changes; if that fails, it stays as it is."""
        if source.may_change or id(source) in self._opening:
            return
        self._opening.add(id(source))

        def work(_asked: object) -> Source:
            from zarrbrowser.editing.opening import open_for_changes  # late: for a fast start

            return open_for_changes(source.request, source)

        def done(found: Source) -> None:
            self._opening.discard(id(source))
            if source in self._session.sources:
                self._undos[id(found)] = UndoStack()
                self.opened.emit(source, found)
                self.reported.emit(f"{source.title} may be changed now")

        def failed(error: Exception) -> None:
            self._opening.discard(id(source))
            if not isinstance(error, Stopped):
                self._notice(_why_not(source, error))

        self._workers.submit(work, done, failed, f"Opening {source.title} for changes")

    def stop(self, source: Source) -> None:
        """Allow no more changes of a source."""
        if self._runner.is_busy:
            self._notice("A change is still running: wait until it ends, or stop it with Esc.")
            return
        self.ended.emit(source)

    def closed(self, source: Source) -> None:
        """Complete the files of a source that was closed, once no change writes to them any more."""
        self._undos.pop(id(source), None)
        if source.may_change:
            self._closing.append(source)
            if not self._runner.is_busy:
                self._close_files()

    def _close_files(self) -> None:
        for source in self._closing:
            self._workers.submit(
                partial(_close, source),
                partial(self._files_closed, source),
                partial(self._files_closed, source),
                f"Closing {source.title}",
            )

    def _files_closed(self, source: Source, error: Exception | None) -> None:
        if source in self._closing and not isinstance(error, Stopped):
            self._closing.remove(source)
        if error is not None:
            self.reported.emit(f"{source.title} could not be closed: {sentence(error)}")

    def leave(self) -> None:
        """Complete the files of all sources when the window closes."""
        for source in [*self._session.sources, *self._closing]:
            if source.may_change:
                try:
                    _close(source)
                except Exception as error:  # noqa: BLE001 - the window closes
                    _log.warning("%s could not be closed: %s", source.title, error)

    # Changes

    def run(self, source: Source, change: Change) -> None:
        """Run a change in a worker."""
        if self._may_change(source):
            self._run(source, change)

    def _run(self, source: Source, change: Change) -> None:
        self._runner.run(source, replace(change, asked_at=self._session.place))

    def run_here(self, change: Change) -> None:
        """Run a change of the current source."""
        if self._session.source is not None:
            self.run(self._session.source, change)

    def reread(self, source: Source, path: str) -> None:
        """Read a source that may be changed again, and stay at a node of it, or at the group above if it is gone."""

        def work(_progress: object) -> Outcome:
            hierarchy: Any = source.hierarchy
            hierarchy.refresh()
            found = path
            while found != "/" and found not in hierarchy:
                found = found.rpartition("/")[0] or "/"
            also = "" if found == path else f"; {path} is not in it any more"
            node = hierarchy.node(found)
            return Outcome(f"{source.title} was read again{also}", Effect.NODES, found, node)

        self._run(source, Change(f"Reading {source.title}", work))

    def undoable(self, source: Source | None) -> str:
        """What would be undone next in a source; empty if nothing can be."""
        stack = None if source is None else self._undos.get(id(source))
        return "" if stack is None or stack.last is None else stack.last.what

    def undo(self) -> None:
        """Undo the last change of the current source, unless another program has changed the same since."""
        source = self._session.source
        if source is None or not self._may_change(source):
            return
        stack = self._undos.setdefault(id(source), UndoStack())
        last = stack.last
        if last is None:
            self.reported.emit("There is no change to undo")
            return

        def ended(outcome: Outcome | Exception) -> None:
            if isinstance(outcome, Outcome):
                stack.drop(last)

        self._run(source, Change(f"Undoing {last.what}", last.run, ended))

    # Dialogs

    def ask_group(self, place: tuple[Source, NodeLike] | None = None) -> QDialog | None:
        """Ask for the path of a new group, below the group of a node."""
        found = self._place(place)
        if found is None:
            return None
        from zarrbrowser.dialogs.path_dialog import PathDialog  # late: for a fast start
        from zarrbrowser.editing.nodes import checked_path, new_group, parent_of

        source, node = found
        group = node.path if is_group(node) else parent_of(node.path)
        dialog = PathDialog(
            "New group",
            "Make",
            f"{group.rstrip('/')}/",
            lambda text: checked_path(source, text),
            self._parent,
        )
        dialog.chosen.connect(lambda path: self.run(source, new_group(source, path)))
        return self._open(dialog)

    def ask_path(self, place: tuple[Source, NodeLike] | None = None) -> QDialog | None:
        """Ask for another path of a node."""
        found = self._place(place)
        if found is None or self._is_root(found[1], "renamed"):
            return None
        from zarrbrowser.dialogs.path_dialog import PathDialog  # late: for a fast start
        from zarrbrowser.editing.nodes import checked_path, move

        source, node = found
        dialog = PathDialog(
            "Rename or move", "Move", node.path, lambda text: checked_path(source, text), self._parent
        )
        dialog.chosen.connect(lambda path: self.run(source, move(source, node.path, path)))
        return self._open(dialog)

    def ask_erase(self, place: tuple[Source, NodeLike] | None = None) -> QDialog | None:
        """Ask before a node is deleted."""
        found = self._place(place)
        if found is None or self._is_root(found[1], "deleted"):
            return None
        from zarrbrowser.dialogs.erase_dialog import EraseDialog  # late: for a fast start
        from zarrbrowser.editing.nodes import erase

        source, node = found
        dialog = EraseDialog(source, node, self._workers, self._parent)
        dialog.confirmed.connect(lambda keys: self.run(source, erase(source, node.path, keys)))
        return self._open(dialog)

    def ask_fill(self, target: Target) -> QDialog | None:
        """Ask for a value, and the elements to write it to."""
        if not self._may_change(target.source):
            return None
        from zarrbrowser.dialogs.fill_dialog import FillDialog  # late: for a fast start

        dialog = FillDialog(target, self._parent)
        dialog.asked.connect(lambda change: self.run(target.source, change))
        return self._open(dialog)

    def _open(self, dialog: QDialog) -> QDialog:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def _place(self, place: tuple[Source, NodeLike] | None) -> tuple[Source, NodeLike] | None:
        """A source that may be changed and a node of it, by default the current ones."""
        source, node = place or (self._session.source, self._session.node)
        if source is None or node is None:
            self.reported.emit("Choose a node in the tree first")
            return None
        return (source, node) if self._may_change(source) else None

    def _is_root(self, node: NodeLike, done: str) -> bool:
        if node.path == "/":
            self._notice(
                f"The root is the source itself, and cannot be {done} here: use the program that manages its files."
            )
        return node.path == "/"

    def _may_change(self, source: Source) -> bool:
        if source.may_change:
            return True
        try:
            check_store(source)
        except ZarrError as error:
            self._notice(_why_not(source, error))  # to allow changes would fail, too
        else:
            self._notice(f"{source.title} is open for reading only: allow changes first ({_KEYS}).")
        return False

    def _change_ended(self, source: Source, change: Change, outcome: Outcome | Exception) -> None:
        if isinstance(outcome, Outcome):
            if source in self._session.sources:  # the user may have closed it meanwhile
                self._undos.setdefault(id(source), UndoStack()).note(outcome)
            change.ended(outcome)
            self.changed.emit(source, outcome, change.asked_at)
            if outcome.is_complete:
                self.reported.emit(outcome.text)
            else:
                self.noticed.emit(f"{outcome.text}.", source, outcome)
        else:
            change.ended(outcome)
            self._refused(change, outcome)
        self.undo_changed.emit()

    def _refused(self, change: Change, error: Exception) -> None:
        if isinstance(error, Stopped):
            self.reported.emit(f"{change.what}: stopped before anything was changed")
            return
        start = "This cannot be undone:" if isinstance(error, CannotUndoError) else f"{change.what} failed:"
        self._notice(f"{start} {sentence(error)}")

    def _notice(self, text: str) -> None:
        self.noticed.emit(text, None, None)


def _why_not(source: Source, error: Exception) -> str:
    """Why a source cannot be changed, in one sentence; errors of read-only sources name them."""
    text = sentence(error)
    return text if isinstance(error, ReadOnlyError) else f"{source.title} cannot be changed: {text}"


def _close(source: Source, _asked: object = None) -> None:
    hierarchy: Any = source.hierarchy
    hierarchy.close()
