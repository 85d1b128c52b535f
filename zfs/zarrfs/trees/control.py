"""The hidden directory that shows a mount's statistics and refreshes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from zarrfs.trees.caching import FIXED_PATH, UNCACHED
from zarrfs.trees.entry import BytesLike, Content, Directory, Entry, File, OpenFile, WritableOpenFile


class StatsFile(File):
    """``stats.json``: the counters at the moment when the file is opened."""

    caching = UNCACHED
    mtime_s = None
    size = 4096
    """A guess: the counters change while they are read."""

    def __init__(self, read: Callable[[], dict[str, Any]]) -> None:
        self._read = read

    def open(self, wait: bool) -> OpenFile:
        return Content((json.dumps(self._read(), indent=2) + "\n").encode())


class RefreshFile(File):
    """``refresh``: writing anything to it drops what the mount remembers."""

    caching = UNCACHED
    mtime_s = None
    size = 0

    def __init__(self, refresh: Callable[[], None]) -> None:
        self._refresh = refresh

    @property
    def mode(self) -> int:
        return 0o200

    def open(self, wait: bool) -> OpenFile:
        return _OpenRefresh(self._refresh)

    def open_to_write(self, truncate: bool, wait: bool) -> WritableOpenFile:
        return _OpenRefresh(self._refresh)

    def resize(self, nbytes: int, wait: bool) -> None:
        """Do nothing: a shell's ``>`` truncates the file, which is always empty."""


class _OpenRefresh(WritableOpenFile):
    size = 0

    def __init__(self, refresh: Callable[[], None]) -> None:
        self._refresh = refresh

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        return b""

    def write(self, offset: int, data: bytes, wait: bool) -> int:
        self._refresh()
        return len(data)

    def resize(self, nbytes: int, wait: bool) -> None:
        """Do nothing: the file is always empty."""

    def store(self, closing: bool) -> None:
        """Do nothing: `write` has refreshed the mount."""


class Control(Directory):
    """``.zarrscope``.

    Args:
        stats: reads the counters.
        refresh: drops what is remembered.
        keys: the root of all keys, which shows the key if a name is both a key and a prefix.
    """

    caching = FIXED_PATH
    mtime_s = None

    def __init__(
        self, stats: Callable[[], dict[str, Any]], refresh: Callable[[], None], keys: Directory
    ) -> None:
        self._entries: dict[str, Entry] = {
            "stats.json": StatsFile(stats),
            "refresh": RefreshFile(refresh),
            "keys": keys,
        }

    def lookup(self, name: str, wait: bool) -> Entry | None:
        return self._entries.get(name)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        return iter(self._entries.items())
