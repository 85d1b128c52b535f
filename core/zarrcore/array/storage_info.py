"""The storage of an array: which chunks are stored, and their bytes.

Accepted specification, "Storage": a chunk whose key is absent is missing and reads as the fill value. If chunks are shards,
shards are counted: only a shard's index shows which of its inner chunks are missing.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from zarrcore.array.pools import Task, run_tasks
from zarrcore.errors import ListingUnsupportedError
from zarrcore.metadata import ArrayMetadata
from zarrcore.metadata.chunk_grid import chunk_indices
from zarrcore.stores.interface import ListableStore, ReadableStore, StoreEntry

MAX_PROBED_CHUNKS = 10_000
"""If a store cannot list, each chunk takes a request; more than this many would take too long."""


@dataclass(frozen=True, slots=True)
class StorageInfo:
    """The storage of an array.

    >>> info = StorageInfo(chunks=8, present=6, stored_nbytes=1000, nbytes=4000)
    >>> info.missing, info.ratio
    (2, 3.0)
    """

    chunks: int
    """Chunks (shards, if chunks are shards) in the grid."""
    present: int
    """How many of them are stored."""
    stored_nbytes: int
    """Bytes of the stored chunks, encoded."""
    nbytes: int | None
    """Bytes of all elements of the array, decoded; None if elements have a variable length."""
    outside: int = 0
    """Stored chunks outside the grid, left after the array was shrunk."""
    outside_nbytes: int = 0
    """Bytes of the chunks outside the grid."""

    @property
    def missing(self) -> int:
        """Chunks of the grid that are not stored; they read as the fill value."""
        return self.chunks - self.present

    @property
    def ratio(self) -> float | None:
        """Decoded bytes per stored byte, counting stored chunks only; None if unknown."""
        if self.nbytes is None or not self.stored_nbytes or not self.chunks:
            return None
        return self.nbytes * (self.present / self.chunks) / self.stored_nbytes


Seen = Callable[[tuple[int, ...], int], None]
"""Called with the index and the stored bytes of each chunk of the grid as it is found, by one thread at a time."""


def storage_info(
    store: ReadableStore, prefix: str, metadata: ArrayMetadata, seen: Seen | None = None
) -> StorageInfo:
    """The storage of the array whose chunk keys begin with ``prefix``.

    One listing, which is not kept in memory; if the store cannot list, one request per chunk.

    Raises:
        ListingUnsupportedError: the store cannot list, and there are too many chunks to check one by one.
        StoreError: the store failed.
        Any exception that ``seen`` raises, which ends the counting.
    """
    counter = _Counter(store, metadata, seen)
    try:
        counter.count_listed(prefix)
    except ListingUnsupportedError as error:
        if counter.chunks > MAX_PROBED_CHUNKS:
            raise ListingUnsupportedError(
                f"{store.url} cannot be listed, and checking {counter.chunks:,} chunks one by one would take too long "
                f"(the limit is {MAX_PROBED_CHUNKS:,})",
                url=store.url,
            ) from error
        counter.count_probed(prefix)
    return counter.info()


class _Counter:
    """Adds up chunks. Thread-safe."""

    def __init__(self, store: ReadableStore, metadata: ArrayMetadata, seen: Seen | None) -> None:
        self._store = store
        self._metadata = metadata
        self._grid_shape = metadata.chunk_grid.grid_shape(metadata.shape)
        self.chunks = math.prod(self._grid_shape)
        self._seen = seen
        self._lock = threading.Lock()
        self._inside = [0, 0]
        self._outside = [0, 0]

    def info(self) -> StorageInfo:
        kind = self._metadata.data_type
        nbytes = None if kind.is_variable_length else math.prod(self._metadata.shape) * kind.dtype.itemsize
        (present, stored_nbytes), (outside, outside_nbytes) = self._inside, self._outside
        return StorageInfo(self.chunks, present, stored_nbytes, nbytes, outside, outside_nbytes)

    def count_listed(self, prefix: str) -> None:
        if not isinstance(self._store, ListableStore):
            raise ListingUnsupportedError(f"{self._store.url} cannot be listed", url=self._store.url)
        run_tasks(self._unsized(prefix, self._store.list_prefix(prefix)), self._store)

    def _unsized(self, prefix: str, entries: Iterator[StoreEntry]) -> Iterator[Task]:
        """Count the entries with a known size; return tasks that ask for the size of the others."""
        encoding, ndim = self._metadata.chunk_key_encoding, len(self._grid_shape)
        for entry in entries:
            index = encoding.decode(entry.key[len(prefix) :], ndim)
            if index is None:
                continue
            inside = all(i < n for i, n in zip(index, self._grid_shape, strict=True))
            if entry.size is None:
                yield partial(self._probe, entry.key, index, inside)
            else:
                self._add(index, inside, entry.size)

    def count_probed(self, prefix: str) -> None:
        encode = self._metadata.chunk_key_encoding.encode
        indices = chunk_indices(self._grid_shape)
        run_tasks(
            (partial(self._probe, prefix + encode(index), index, True) for index in indices), self._store
        )

    def _probe(self, key: str, index: tuple[int, ...], inside: bool) -> None:
        stat = self._store.stat(key)
        if stat is not None:
            self._add(index, inside, stat.size)

    def _add(self, index: tuple[int, ...], inside: bool, size: int) -> None:
        with self._lock:
            counts = self._inside if inside else self._outside
            counts[0] += 1
            counts[1] += size
            if inside and self._seen is not None:
                self._seen(index, size)
