"""Names that are only in the mount: directories without keys, and files that are still being written.

A store has no directories: one exists if a key begins with its name. Programs make directories before they fill them, and
expect that they stay when their last file is removed.
"""

from __future__ import annotations

from threading import Lock
from typing import Final

from zarrfs.trees.entry import File

_MAX: Final = 100_000
"""The largest number of names; each takes about 200 bytes."""


class Unstored:
    """Names by prefix, ``a/b/`` or empty. Thread-safe."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, File | None]] = {}
        self._count = 0
        self._lock = Lock()

    def find(self, key: str) -> tuple[File | None] | None:
        """The entry of a name, in a tuple: a file, or None for a directory; None if there is no such name."""
        prefix, name = _split(key)
        names = self._names.get(prefix)
        return None if names is None or name not in names else (names[name],)

    def listed(self, prefix: str) -> dict[str, File | None]:
        """Names after a prefix, with their files; None for a directory."""
        with self._lock:
            return {**self._names.get(prefix, {})}

    def add(self, key: str, file: File | None = None) -> bool:
        """Add a file, or a directory, and the directories above it; False if the limit of names is reached.

        The store implies the directories above now, and no longer does so if another program erases its keys.
        """
        with self._lock:
            if not self._add(key, file):
                return False
            while (key := key.rpartition("/")[0]) and not self._has(key):
                self._add(key, None)
            return True

    def _has(self, key: str) -> bool:
        prefix, name = _split(key)
        return name in self._names.get(prefix, {})

    def _add(self, key: str, file: File | None) -> bool:
        prefix, name = _split(key)
        if not self._has(key):
            if self._count >= _MAX:
                return False
            self._count += 1
        self._names.setdefault(prefix, {})[name] = file
        return True

    def remove(self, key: str) -> None:
        """Remove a name, if it exists."""
        with self._lock:
            self._remove(key)

    def _remove(self, key: str) -> None:
        prefix, name = _split(key)
        names = self._names.get(prefix)
        if names is None or name not in names:
            return
        del names[name]
        self._count -= 1
        if not names:
            del self._names[prefix]

    def stored(self, key: str) -> None:
        """Note that a key is in the store, which implies the directories above it; those with other names here stay."""
        with self._lock:
            self._remove(key)
            while (key := key.rpartition("/")[0]) and f"{key}/" not in self._names:
                self._remove(key)

    def erased(self, key: str) -> None:
        """Keep the directories above a key that is removed; as many as there is room for."""
        above = key.rpartition("/")[0]
        if above:
            self.add(above)


def _split(key: str) -> tuple[str, str]:
    prefix, slash, name = key.rpartition("/")
    return prefix + slash, name
