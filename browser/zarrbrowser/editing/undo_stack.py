"""The changes of one source that can be undone, the last first."""

from __future__ import annotations

from zarrbrowser.editing.changes import Outcome, Undo

_MOST, _MOST_BYTES = 200, 256 << 20


class UndoStack:
    """Keeps the last changes, bounded in number and memory."""

    def __init__(self) -> None:
        self._undos: list[Undo] = []

    def __len__(self) -> int:
        return len(self._undos)

    @property
    def last(self) -> Undo | None:
        """The change to undo next."""
        return self._undos[-1] if self._undos else None

    def note(self, outcome: Outcome) -> None:
        """Take in what came of a change."""
        if outcome.ends_undo:
            self._undos.clear()
        if outcome.undo is not None:
            self._undos.append(outcome.undo)
        while len(self._undos) > _MOST or sum(one.nbytes for one in self._undos) > _MOST_BYTES:
            del self._undos[0]

    def drop(self, undo: Undo) -> None:
        """Forget a change that was undone."""
        if undo in self._undos:
            self._undos.remove(undo)
