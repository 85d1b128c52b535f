"""Trees without a kernel: a remote store that records its requests, and helpers for entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zarrcore as zc
from zarrcore.errors import ListingUnsupportedError
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import Directory, Entry, File
from zarrfs.trees.freshness import Freshness


class Clock:
    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


class Remote(ReadableStore, ListableStore):
    """A store in memory that is marked as remote, and records its requests."""

    is_remote = True
    requests_in_flight = 8

    def __init__(self, values: dict[str, bytes], listable: bool = True, sizes: bool = True) -> None:
        self.url = "test://far"
        self.values = values
        self.listable = listable
        self.sizes = sizes
        self.asked: list[tuple[str, str]] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.asked.append(("get", key))
        value = self.values.get(key)
        if value is None or byte_range is None:
            return value
        start, stop = byte_range.resolve(len(value))
        return value[start:stop]

    def stat(self, key: str) -> StoreStat | None:
        self.asked.append(("stat", key))
        value = self.values.get(key)
        return None if value is None else StoreStat(len(value), 5.0, str(hash(value)))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        self.asked.append(("list", prefix))
        if not self.listable:
            raise ListingUnsupportedError("cannot list")
        for key in self.below(prefix):
            yield StoreEntry(key, len(self.values[key]) if self.sizes else None, 5.0)

    def below(self, prefix: str) -> Iterator[str]:
        """The keys that begin with a prefix."""
        return (key for key in self.values if key.startswith(prefix))


def names(directory: Directory) -> list[str]:
    return [name for name, _ in directory.entries()]


def walk(directory: Directory, *parts: str, wait: bool = True) -> Any:
    entry: Entry | None = directory
    for part in parts:
        assert isinstance(entry, Directory)
        entry = entry.lookup(part, wait)
    return entry


def content(entry: Any) -> bytes:
    assert isinstance(entry, File)
    return bytes(entry.open(True).read(0, entry.size, True))


def fresh(ttl_s: float = 60.0, clock: Clock | None = None) -> Freshness:
    return Freshness(ttl_s, clock or Clock())


def arrays(path: Path, **options: Any) -> Directory:
    return ArraysTree(lambda: zc.open_hierarchy(path), fresh(), **options).root(True)
