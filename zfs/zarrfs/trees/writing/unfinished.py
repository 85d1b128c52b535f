"""Files whose content is only with their writers, not in the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Protocol

from zarrfs.trees.caching import CHANGING
from zarrfs.trees.entry import File
from zarrfs.trees.errors import WouldBlockError


class Writing(Protocol):
    """A file that is being written."""

    @property
    def mtime_s(self) -> float:
        """When it was last written, or opened."""

    @property
    def size(self) -> int:
        """The bytes written so far."""

    @property
    def version(self) -> str | None:
        """Like `Entry.version`."""


class UnfinishedFile(File):
    """The entry of a name while its file is written.

    Args:
        writing: the file being written.
    """

    caching = CHANGING

    def __init__(self, writing: Writing) -> None:
        self._writing = writing

    @property
    def mode(self) -> int:
        return 0o644

    @property
    def mtime_s(self) -> float:  # type: ignore[override]
        return self._writing.mtime_s

    @property
    def size(self) -> int:  # type: ignore[override]
        return self._writing.size

    @property
    def version(self) -> str | None:
        return self._writing.version


@contextmanager
def turn(lock: Lock | RLock, wait: bool) -> Iterator[None]:
    """Hold the lock of a file being written.

    Raises:
        WouldBlockError: another thread holds it, which takes long only while content is fetched or stored.
    """
    if not lock.acquire(blocking=wait):
        raise WouldBlockError
    try:
        yield
    finally:
        lock.release()
