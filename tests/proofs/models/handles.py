"""Open files of a mount, what a model knows of them, and the errors of system calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Working:
    """A value that is open for writing, shared by all its handles.

    Args:
        path: its name; None once that is removed.
        begins: "empty" if it replaces whatever is stored, "stored" as long as it is the stored value itself, and "copied" once it
            replaces only the version that it was opened with.
        is_dirty: whether the next close stores it.
    """

    path: str | None
    begins: str
    is_dirty: bool
    users: int = 0


@dataclass
class Writer:
    """A handle in the mount, and one of the twin in the plain directory."""

    descriptor: int
    twin: int
    working: Working


@dataclass
class Reader:
    """A handle that reads what was stored when it was opened."""

    descriptor: int
    path: str
    content: bytes
    version: int


def errno_of(action: Callable[[], Any]) -> tuple[int | None, Any]:
    """The errno of a system call, and what it returned."""
    try:
        return None, action()
    except OSError as error:
        return error.errno, None
