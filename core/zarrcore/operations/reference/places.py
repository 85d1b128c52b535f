"""Where the bytes of chunks are: in which file, from which byte on, and how many.

Chunks of zarrcore's virtual stores, stored members of zip files, and files or objects that are chunks are named by URL, offset
and length.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

import numpy as np

from zarrcore.errors import UnsupportedError
from zarrcore.stores.icechunk.store import IcechunkStore
from zarrcore.stores.icechunk.version_tree import VersionTreeStore
from zarrcore.stores.interface import BytesLike, ReadableStore
from zarrcore.stores.keys import join_url
from zarrcore.stores.virtual.inflated_file import InflatedFile
from zarrcore.stores.virtual.store import Part, VirtualStore
from zarrcore.stores.wrapper.interface import listable
from zarrcore.stores.zip.store import ZipStore

_NO_FILES: Final = ("sqlite", "lmdb", "redis", "rediss")


class Places:
    """Places of the chunks of one array, by their numbers in C order: columns, because there may be 10⁷."""

    def __init__(self) -> None:
        self._added = tuple(array("q") for _ in range(4))
        self._files: dict[tuple[ReadableStore, str], int] = {}
        self.inlined: dict[int, bytes] = {}
        """The chunks that are nowhere else, by their numbers."""

    def add(self, number: int, found: Part | bytes) -> None:
        if isinstance(found, bytes):
            self.inlined[number] = found
            file, start, nbytes = 0, 0, 0
        else:
            file = self._files.setdefault((found.store, found.key), len(self._files))
            start, nbytes = found.start, -1 if found.nbytes is None else found.nbytes
        for column, value in zip(self._added, (number, file, start, nbytes), strict=True):
            column.append(value)

    def sort(self) -> None:
        """Put the places into C order. No more can be added."""
        columns = [np.frombuffer(column, np.int64) for column in self._added]
        _, order = np.unique(columns[0], return_index=True)
        self.numbers, self.urls, self.starts, self.sizes = (column[order] for column in columns)
        self.url_names = [url_of(store, key) for store, key in self._files]

    def __len__(self) -> int:
        return len(self.numbers)


def unwrapped(store: ReadableStore, prefix: str) -> tuple[ReadableStore, str]:
    """The store below all wrappers that change no values, and the prefix there."""
    name = "zarr.json"  # wrappers translate keys
    key = prefix + name
    while (origin := store.origin(key)) != (store, key):
        store, key = origin
    return store, key[: -len(name)]


def values_below(store: ReadableStore, prefix: str) -> Iterator[tuple[str, BytesLike | Part | None]]:
    """All keys that begin with a prefix, with their values or where the bytes are; None where the store must be asked."""
    if isinstance(store, VirtualStore):
        return store.values_below(prefix)
    return ((entry.key, None) for entry in listable(store).list_prefix(prefix))


def part_of(store: ReadableStore, key: str, inline_nbytes: int = 0) -> Part | bytes | None:
    """Where the bytes of a value are; the bytes themselves if they are nowhere else, or few; None if the key is absent.

    Raises:
        UnsupportedError: the value is not a part of a file.
        StoreError: the store failed.
    """
    while (origin := store.origin(key)) != (store, key):
        store, key = origin
    found: BytesLike | Part | None = Part(store, key, 0, None)
    if isinstance(store, VirtualStore):
        found = store.find(key)
    elif isinstance(store, ZipStore):
        place = store.place(key)
        found = None if place is None else Part(store.source, store.key, *place)
    return None if found is None else inlined(store, key, found, inline_nbytes)


def inlined(
    store: ReadableStore, key: str, found: BytesLike | Part, inline_nbytes: int
) -> Part | bytes | None:
    """A value that is not all in a file, or is small, as bytes."""
    if not isinstance(found, Part):
        return bytes(found)
    is_small = bool(inline_nbytes) and (facts := store.stat(key)) is not None and facts.size <= inline_nbytes
    if not found.zeros and not is_small:
        return found
    value = store.get(key)
    return None if value is None else bytes(value)


def url_of(store: ReadableStore, key: str) -> str:
    while (origin := store.origin(key)) != (store, key):
        store, key = origin
    scheme = store.url.partition("://")[0] if "://" in store.url else ""
    if isinstance(store, InflatedFile):
        raise UnsupportedError(
            "file",
            store.url,
            "is compressed or text as a whole, so that no reference can name a part of its content",
        )
    if isinstance(store, VirtualStore | ZipStore | IcechunkStore | VersionTreeStore) or scheme in _NO_FILES:
        raise UnsupportedError(
            "store", store.url, "holds values that are not files, so that no reference can name them"
        )
    if scheme in ("http", "https"):
        return join_url(store.url, quote(key))
    return join_url(store.url if scheme else os.path.abspath(store.url), key)
