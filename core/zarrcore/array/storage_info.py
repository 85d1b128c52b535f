"""What an array takes up in its store: which chunks are there, and how many bytes they have.

Accepted specification, "Storage": a chunk whose key is absent is missing and reads as the fill value. Where chunks are shards,
a shard is what counts: what is missing inside of one only its index tells.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

from zarrcore.array.pools import Task, run_tasks
from zarrcore.errors import ListingUnsupportedError
from zarrcore.metadata import ArrayMetadata
from zarrcore.stores.interface import ListableStore, ReadableStore, StoreEntry

MAX_PROBED_CHUNKS = 10_000
"""Of a store that cannot list, every chunk is asked for; of more than this that would take too long."""


@dataclass(frozen=True, slots=True)
class StorageInfo:
    """What an array takes up.

    >>> info = StorageInfo(chunks=8, present=6, stored_bytes=1000, nbytes=4000)
    >>> info.missing, info.ratio
    (2, 3.0)
    """

    chunks: int
    """Chunks (shards, where chunks are shards) in the grid."""
    present: int
    """How many of them are stored."""
    stored_bytes: int
    """Bytes of those that are stored, as they are stored."""
    nbytes: int | None
    """Bytes of all elements of the array, decoded; None where elements are of any length."""
    outside: int = 0
    """Chunks that are stored and lie outside the grid: what shrinking the array has left."""
    outside_bytes: int = 0
    """Bytes of those outside."""

    @property
    def missing(self) -> int:
        """Chunks of the grid that are not stored; they read as the fill value."""
        return self.chunks - self.present

    @property
    def ratio(self) -> float | None:
        """Decoded bytes for each stored byte, counting stored chunks only; None where that is not known."""
        if self.nbytes is None or not self.stored_bytes or not self.chunks:
            return None
        return self.nbytes * (self.present / self.chunks) / self.stored_bytes


Seen = Callable[[tuple[int, ...], int], None]
"""Told the index and the stored bytes of each chunk of the grid as it is found, by one thread at a time."""


def storage_info(
    store: ReadableStore, prefix: str, metadata: ArrayMetadata, seen: Seen | None = None
) -> StorageInfo:
    """What the array whose chunk keys begin with ``prefix`` takes up.

    One listing, of which nothing is kept; from a store that cannot list, a question for each chunk.

    Raises:
        ListingUnsupportedError: the store cannot list, and there are too many chunks to ask for each.
        StoreError: the store did not answer as it should.
        Whatever ``seen`` raises, which ends the counting.
    """
    counter = _Counter(store, metadata, seen)
    try:
        counter.count_listed(prefix)
    except ListingUnsupportedError as error:
        if counter.chunks > MAX_PROBED_CHUNKS:
            raise ListingUnsupportedError(
                f"{store.url} cannot be listed, and to ask for each of {counter.chunks:,} chunks would take too long "
                f"(up to {MAX_PROBED_CHUNKS:,} are asked for)",
                url=store.url,
            ) from error
        counter.count_probed(prefix)
    return counter.info()


class _Counter:
    """Adds up chunks; several threads may add."""

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
        (present, stored_bytes), (outside, outside_bytes) = self._inside, self._outside
        return StorageInfo(self.chunks, present, stored_bytes, nbytes, outside, outside_bytes)

    def count_listed(self, prefix: str) -> None:
        if not isinstance(self._store, ListableStore):
            raise ListingUnsupportedError(f"{self._store.url} cannot be listed", url=self._store.url)
        run_tasks(self._unsized(prefix, self._store.list_prefix(prefix)), self._store)

    def _unsized(self, prefix: str, entries: Iterator[StoreEntry]) -> Iterator[Task]:
        """Count the entries whose size is told; tasks that ask for the size of the others."""
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
        indices = product(*map(range, self._grid_shape))
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
