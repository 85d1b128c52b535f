"""Changing the keys of a store, file by file: values open for writing, and names that are only in the mount."""

from __future__ import annotations

import errno
import time
from contextlib import ExitStack, nullcontext, suppress
from threading import Lock
from typing import Final

from zarrcore.errors import ChangedError, InvalidKeyError
from zarrcore.stores import LocalStore, ReadableStore, Renaming, WrapperStore
from zarrfs.trees.entry import File
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.freshness import Freshness, Remembered
from zarrfs.trees.keys.file import OpenKey, fetched
from zarrfs.trees.keys.unstored import Unstored
from zarrfs.trees.keys.watched_store import WatchedStore
from zarrfs.trees.keys.written_key import WrittenKey, look_again
from zarrfs.trees.writing.spool import SpoolMemory

_WANTED_S: Final = 1.0
"""How long each lookup of a name gets its own inode after a writer was refused because of readers."""
_WANTED_MAX: Final = 1000
_FOUND_S: Final = 0.2
"""How long a name leads to the value that is being written after another program tried to write to it."""


class KeyWriter:
    """Writes keys for all trees that show them. Thread-safe.

    Args:
        store: the store of the keys.
        memory: for values that are being written.

    Attributes:
        unstored: names that are only in the mount.
    """

    def __init__(self, store: WatchedStore, memory: SpoolMemory) -> None:
        self.store = store
        self.memory = memory
        self.unstored = Unstored()
        self._open: dict[str, WrittenKey] = {}
        self._wanted: Remembered[str, None] = Remembered(Freshness(_WANTED_S), _WANTED_MAX)
        self._lock = Lock()

    def is_writing(self, key: str) -> bool:
        """Whether a key is open for writing, or a writer was just asked to look the name up again."""
        return key in self._open or self._wanted.get(key) is not None

    def version_written(self, key: str) -> str | None:
        """The version of the value that is being written under a key; None if it is not being written."""
        written = self._open.get(key)
        return None if written is None else written.version

    def found(self, key: str) -> tuple[File | None] | None:
        """The entry of a name that is not in the store, in a tuple: a file, or None for a directory."""
        written = self._open.get(key)
        if written is not None and time.monotonic() < written.found_until_s:
            return (written.shown,)
        return self.unstored.find(key)

    def create(self, key: str) -> WrittenKey:
        """A new value, stored when it is closed."""
        if key in self._open:
            raise look_again(key)
        written = WrittenKey(self, key, None, is_stored=False)
        if not self.unstored.add(key, written.shown):
            raise RefusedError(errno.ENOSPC, "too many names are only in the mount")
        return self._opened(key, written)

    def open(self, key: str, base: OpenKey | None) -> WrittenKey:
        """Open a stored key for writing, beginning with the open value, or empty.

        Raises:
            RefusedError: it already has a writer, to which the name leads from now on.
        """
        other = self._open.get(key)
        if other is not None:
            other.found_until_s = max(other.found_until_s, time.monotonic() + _FOUND_S)
            raise look_again(key)
        return self._opened(key, WrittenKey(self, key, base, is_stored=True))

    def reopen(self, key: str, truncate: bool, wait: bool) -> WrittenKey:
        """Open a key for writing, independently of the stored value.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
            As `open`.
        """
        return self.open(key, None if truncate else self.stored_value(key, wait))

    def stored_value(self, key: str, wait: bool) -> OpenKey:
        """Open the value of a key.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
            ChangedError: it is gone.
        """
        if not wait and self.store.is_remote:
            raise WouldBlockError
        stat = self.store.stat(key)
        if stat is None:
            raise ChangedError(f"{key} in {self.store.url} is gone", key=key, url=self.store.url)
        return OpenKey(self.store, key, stat, lambda _: None)

    def _opened(self, key: str, written: WrittenKey) -> WrittenKey:
        with self._lock:
            if key in self._open:
                raise look_again(key)
            self._open[key] = written
        return self.join(written)

    def join(self, written: WrittenKey) -> WrittenKey:
        """Add a writer to a value.

        Raises:
            RefusedError: the value no longer has a writer.
        """
        with self._lock:
            if written.is_closed:
                raise look_again(written.key)
            written.users += 1
        return written

    def give_own_inodes(self, key: str) -> None:
        """Give each lookup of a name its own inode for a while: a writer could not have the one that readers have open."""
        self._wanted.put(key, None, self._wanted.freshness.now())

    def closed(self, written: WrittenKey) -> bool:
        """Remove a writer; returns whether it was the last. A name without a stored value goes with the last writer."""
        with self._lock:
            written.users -= 1
            key = written.key
            if written.users:
                return False
            written.is_closed = True
            if key is None or self._open.get(key) is not written:
                return True
            del self._open[key]
        found = self.unstored.find(key)
        if found is not None and found[0] is written.shown:
            self.unstored.remove(key)
        return True

    def stored(self, key: str) -> None:
        """Note that a value was stored under a key."""
        self._wanted.drop(key)
        self.unstored.stored(key)

    def erase(self, key: str) -> None:
        """Erase a key. Handles that still write to it keep their content, which is never stored."""
        written = self._open.get(key)
        with nullcontext() if written is None else written.moving(None):
            self.store.erase(key)
        self._gone(key)

    def _gone(self, key: str) -> None:
        with self._lock:
            self._open.pop(key, None)
        self.unstored.remove(key)
        self.unstored.erased(key)

    def rename(self, key: str, new: str, *, replace: bool) -> None:
        """Store a value under another key and erase the old key; data that is not stored yet is kept."""
        moved, overwritten = self._open.get(key), self._open.get(new)
        if moved is not None:
            moved.store()
        both = {key: (moved, new), new: (overwritten, None)}
        with ExitStack() as held:
            for _, (written, name) in sorted(
                both.items()
            ):  # always in the same order, since two renames may run at once
                if written is not None:
                    held.enter_context(written.moving(name))
            renamed = self.store.rename(key, new, if_absent=not replace)
            if renamed is Renaming.NOT_POSSIBLE:
                self.copy(key, new, replace=replace)
                self.store.erase(key)
            elif renamed:
                self.unstored.stored(new)
            else:
                raise RefusedError(errno.EEXIST, f"{new} already exists", is_logged=False)
            self._gone(key)
            with self._lock:
                self._open.pop(new, None)
                if moved is not None and not moved.is_closed:
                    self._open[new] = moved
                    moved.key = new  # before anything else, since closing looks for it there

    def copy(self, key: str, new: str, *, replace: bool) -> None:
        """Store a value under another key, too.

        Raises:
            RefusedError: the other key exists, and ``replace`` is False.
        """
        linked = Renaming.NOT_POSSIBLE if replace else self.store.link(key, new)
        is_stored = bool(linked)
        if linked is Renaming.NOT_POSSIBLE:
            spool = fetched(self.stored_value(key, wait=True), self.memory)
            try:
                is_stored = spool.set_in(self.store, new, if_absent=not replace)
            finally:
                spool.close()
        if not is_stored:
            raise RefusedError(errno.EEXIST, f"{new} already exists", is_logged=False)
        self.unstored.stored(new)

    def make_directory(self, path: str) -> None:
        """Add a directory without keys."""
        if not self.unstored.add(path):
            raise RefusedError(errno.ENOSPC, "too many directories are only in the mount")

    def remove_directory(self, path: str) -> None:
        """Remove a directory without keys."""
        self.unstored.remove(path)
        self.unstored.erased(path)
        self.store.changed(path)
        store: ReadableStore = self.store
        while isinstance(store, WrapperStore):
            store = store.store
        if isinstance(store, LocalStore):
            # Only in a local store can a directory be empty; it is removed when a key in it is erased.
            with suppress(InvalidKeyError):  # the path is too long for it, so it has no such directory
                self.store.erase(f"{path}/-")
