"""A change as a value: what it does, what came of it, and how it is undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from zarrbrowser.editing.progress import Progress
from zarrbrowser.nodes.protocols import NodeLike

_T = TypeVar("_T")


class Effect(Enum):
    """What a window must show anew after a change."""

    NOTHING = "nothing"
    ELEMENTS = "elements"
    ATTRIBUTES = "attributes"
    NODES = "nodes"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a change."""

    text: str
    """One sentence for the user: what was done, or what was not, and what is left."""
    effect: Effect = Effect.NOTHING
    path: str = "/"
    """The node to show afterwards."""
    node: NodeLike | None = None
    """That node as it is now, if it still exists at its path."""
    group: str = "/"
    """The group below which nodes came or went."""
    gone: str = ""
    """The path of a node that was moved or deleted; empty if none was."""
    is_moved: bool = False
    """Whether that node is now at ``path``, with everything below it."""
    undo: Undo | None = None
    """How the change is undone; None if it cannot be."""
    is_complete: bool = True
    """Whether all was done that the user asked for."""
    ends_undo: bool = False
    """Whether earlier changes cannot be undone any more."""
    rest: Change | None = None
    """What completes a change that was stopped or failed."""
    found: Mapping[str, Any] | None = None
    """The attributes that the store has now, if another program changed them."""

    def now_at(self, path: str) -> str:
        """The path after the change of what was at a path before; that of the group above it if it was deleted.

        >>> Outcome("", path="/new", gone="/old", is_moved=True).now_at("/old/a")
        '/new/a'
        >>> Outcome("", path="/", gone="/old").now_at("/old/a"), Outcome("", gone="/old").now_at("/older")
        ('/', '/older')
        """
        if not self.gone or not (path + "/").startswith(self.gone + "/"):
            return path
        return self.path + path[len(self.gone) :] if self.is_moved else self.path


@dataclass(frozen=True, slots=True)
class Change:
    """A change that the user asked for."""

    what: str
    """What it does, for the status bar: ``Deleting /a``."""
    run: Callable[[Progress], Outcome]
    """Does it; blocks, so it runs in a worker. Raises only if nothing was changed."""
    ended: Callable[[Outcome | Exception], object] = lambda _outcome: None
    """Called in the window's thread with what came of it."""
    asked_at: tuple[int, str] | None = None
    """The node that the window showed when the user asked for it: see `Session.place`."""


@dataclass(frozen=True, slots=True)
class Undo:
    """The way back from a change."""

    what: str
    """The change: ``the attributes of /a``."""
    run: Callable[[Progress], Outcome]
    """Undoes the change, or refuses if another program has changed the same data since; blocks."""
    nbytes: int = 0
    """The memory that it keeps."""


class CannotChangeError(Exception):
    """The window refuses a change; the text says why, and what to do."""


class CannotUndoError(Exception):
    """A change cannot be undone, because another program has changed the same data since. The text says what."""


def with_consolidated(hierarchy: Any, change: Callable[[], _T]) -> tuple[_T, str]:
    """Make a change and write consolidated metadata again, if there are some.

    Returns:
        The result of ``change``, and a clause about consolidated metadata that could not be written again, or "".

    Raises:
        Whatever ``change`` raises.
    """
    from zarrcore.errors import ZarrError  # late: for a fast start
    from zarrcore.hierarchy import kept_consolidated

    done: list[_T] = []
    try:
        with kept_consolidated(hierarchy):
            done.append(change())
    except ZarrError as error:
        if not done:
            raise
        return done[0], f"; its consolidated metadata were removed and could not be written again: {error}"
    return done[0], ""
