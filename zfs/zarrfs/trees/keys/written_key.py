"""A key's value being written: a copy that atomically replaces the stored value."""

from __future__ import annotations

import errno
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING

from zarrcore.errors import ChangedError, StoreError, ZarrError
from zarrfs.trees.caching import CHANGING_KEY, UNCACHED
from zarrfs.trees.entry import BytesLike, OpenFile, WritableOpenFile
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.keys.file import OpenKey, fetched, version_of
from zarrfs.trees.writing.spool import Spool
from zarrfs.trees.writing.unfinished import UnfinishedFile, turn

if TYPE_CHECKING:  # the writer opens these files, and they report to it when they are stored or closed
    from zarrfs.trees.keys.writer import KeyWriter

_numbers = count(1)


class WrittenKey(WritableOpenFile):
    """A key's value, open for writing, shared by all its writers in this mount; readers do not see it before it is stored.

    The stored value is fetched when its first byte changes. A value that began empty replaces any stored
    value; one that was changed in place replaces only the version that it was opened with.

    Args:
        writer: notified when the value is stored or closed.
        key: its key.
        base: the stored value, open; None to begin empty.
        is_stored: whether a value is stored under the key.

    Attributes:
        key: the key to store it under; None once the name was removed, so that it will not be stored.
        is_stored: whether a value is stored under the key, which readers see.
        found_until_s: until then, the name leads here and not to the stored value. The kernel does not say what it looks a name
            up for, so a program that opens it for writing has to look it up again.
        users: the number of handles.
        is_closed: whether all handles are closed.
        mtime_s: when it was last written.
    """

    def __init__(self, writer: KeyWriter, key: str, base: OpenKey | None, *, is_stored: bool) -> None:
        self.key: str | None = key
        self.version = f"written-{next(_numbers)}"
        self.is_stored = is_stored
        self.found_until_s = 0.0 if is_stored else math.inf
        self.users = 0
        self.is_closed = False
        self.is_changed = base is None
        self.mtime_s = time.time()
        self.shown = FileBeingWritten(self)
        self.writer = writer
        self._base = base
        self._spool = Spool(writer.memory) if base is None else None
        self._replaces: str | None = None
        self.holds_changes = base is None
        self._lock = Lock()

    @property
    def size(self) -> int:  # type: ignore[override]
        """The current size, with data that is not stored yet."""
        if self._spool is not None:
            return self._spool.size
        return 0 if self._base is None else self._base.size

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        with turn(self._lock, wait):
            if self._spool is not None:
                return self._spool.read(offset, nbytes)
            return b"" if self._base is None else self._base.read(offset, nbytes, wait)

    def write(self, offset: int, data: bytes, wait: bool) -> int:
        with turn(self._lock, wait):
            self._copy(wait).write(offset, data)
            self._touch()
        return len(data)

    def resize(self, nbytes: int, wait: bool) -> None:
        with turn(self._lock, wait):
            if nbytes == self.size:
                return
            if nbytes == 0 and self._spool is None:
                self._spool = Spool(self.writer.memory)
            self._copy(wait).resize(nbytes)
            self._touch()

    def _touch(self) -> None:
        self.is_changed = self.holds_changes = self.key is not None
        self.mtime_s = time.time()

    def _copy(self, wait: bool) -> Spool:
        """The copy to write to, fetched when it is first needed."""
        if self._spool is None:
            if not wait:
                raise WouldBlockError
            assert self._base is not None  # noqa: S101 - one of them is there from the beginning
            self._replaces = self._base.known_version()
            self._spool = fetched(self._base, self.writer.memory)
        return self._spool

    def store(self, closing: bool = True) -> None:
        with turn(self._lock, wait=True):
            key, spool = self.key, self._spool
            self.is_changed = False
            if key is None or spool is None or not self.holds_changes:
                return
            store = self.writer.store
            if self._replaces is not None:
                self._check(key)
            spool.set_in(store, key)
            if self._replaces is not None and (stat := store.stat(key)) is not None:
                self._replaces = version_of(stat)
            self.holds_changes = False
            if not self.is_stored:
                self.is_stored, self.found_until_s = True, 0.0
            self.writer.stored(key)

    def _check(self, key: str) -> None:
        """Refuse to overwrite a value that another writer has stored meanwhile."""
        url = self.writer.store.url
        stat = self.writer.store.stat(key)
        if stat is None or version_of(stat) != self._replaces:
            raise ChangedError(f"{key} in {url} changed while it was written to in place", key=key, url=url)

    @contextmanager
    def moving(self, key: str | None) -> Iterator[None]:
        """Change the key, or remove it, if the block succeeds; nothing is stored meanwhile."""
        with turn(self._lock, wait=True):
            if key is None:
                # Handles keep the value although the store erases it.
                with suppress(ZarrError):
                    self._copy(wait=True)
            yield
            self.key = key
            if key is None:
                self.holds_changes = False
                return
            stat = None
            with suppress(StoreError):  # the next store is then compared with the last known version
                stat = self.writer.store.stat(key)
            if stat is None:
                return
            if self._replaces is not None:
                self._replaces = version_of(stat)
            if self._spool is None:
                self._base = OpenKey(self.writer.store, key, stat, lambda _: None)

    def refuse(self) -> None:
        if self.key is not None:
            self.writer.give_own_inodes(self.key)
        self.close()

    def close(self) -> None:
        if self.writer.closed(self) and self._spool is not None:
            self._spool.close()


def look_again(key: str | None) -> RefusedError:
    """An error that makes the kernel look a name up again: there are two values, and it found the other one."""
    return RefusedError(errno.ESTALE, f"{key} is being written", is_logged=False)


class FileBeingWritten(UnfinishedFile):
    """The file that its writers see; if nothing is stored under the name yet, all programs see it."""

    caching = CHANGING_KEY

    def __init__(self, written: WrittenKey) -> None:
        super().__init__(written)
        self._written = written

    def open(self, wait: bool) -> OpenFile:
        """Open the stored value, bypassing the pages of this file, which belong to its writers."""
        key = self._written.key
        if key is None:  # the name now leads to another file, or to none
            raise look_again(key)
        if not self._written.is_stored:
            raise RefusedError(errno.ENOENT, f"{key} is not stored yet", is_logged=False)
        file = self._written.writer.stored_value(key, wait)
        file.version, file.caching = None, UNCACHED
        return file

    def open_to_write(self, truncate: bool, wait: bool) -> WritableOpenFile:
        written = self._written
        if written.is_closed and written.key is not None:
            return written.writer.reopen(written.key, truncate, wait)
        if truncate:
            written.resize(0, wait)
        return written.writer.join(written)

    def resize(self, nbytes: int, wait: bool) -> None:
        self._written.resize(nbytes, wait)
