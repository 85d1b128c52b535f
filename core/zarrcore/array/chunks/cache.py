"""An LRU cache of decoded chunks in memory, bounded by a byte budget.

If several readers miss the same chunk at once, it is decoded once: the first reader claims it, the others wait.
"""

from __future__ import annotations

import math
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from zarrcore.ages import note_age
from zarrcore.array.chunks.spill import Spill
from zarrcore.threads import after_fork
from zarrcore.typing import AnyArray

Chunk = AnyArray

# Overhead of an entry beside its elements. Without it, a million tiny chunks would fit any budget.
_ENTRY_NBYTES = 1024

_caches: weakref.WeakSet[ChunkCache] = weakref.WeakSet()


def _memory_nbytes(chunk: Chunk) -> int:
    # A missing chunk is a view that repeats one element, so it costs one element.
    if 0 in chunk.strides:
        return int(chunk.dtype.itemsize)
    # Elements of variable length are stored elsewhere. Measuring the texts in UTF-8 would cost more than it is worth.
    if chunk.dtype.kind == "T":
        return chunk.nbytes + int(np.strings.str_len(chunk).sum())
    return chunk.nbytes + _objects_nbytes(chunk)


def _objects_nbytes(chunk: Chunk) -> int:
    """What the objects of a chunk, or those in its fields, take elsewhere."""
    if chunk.dtype.kind == "O":
        return sum(map(sys.getsizeof, chunk.flat))
    return (
        sum(_objects_nbytes(chunk[name]) for name in chunk.dtype.names or ()) if chunk.dtype.hasobject else 0
    )


class AbandonedError(Exception):
    """The reader that claimed a chunk gave up before decoding it. Never leaves this package."""


@dataclass(slots=True)
class _Entry:
    chunk: Chunk
    nbytes: int
    requested_s: float


class Claim:
    """The duty to decode one chunk and to notify the readers that wait for it.

    Attributes:
        future: the chunk.
        requested_s: when the oldest bytes that the chunk is made from were requested.
    """

    __slots__ = ("_cache", "_generation", "_key", "_slab_nbytes", "future", "requested_s")

    def __init__(self, cache: ChunkCache, key: Hashable, generation: int, slab_nbytes: int) -> None:
        self._cache = cache
        self._slab_nbytes = slab_nbytes
        self._key = key
        self._generation = generation
        self.future: Future[Chunk] = Future()
        self.requested_s = time.monotonic()

    def fulfil(self, chunk: Chunk, decode_s: float | None = None) -> None:
        """Keep ``chunk`` and hand it to the waiting readers; ``decode_s`` is the decoding time, if it was decoded."""
        if decode_s is not None:
            self._cache.count_decoded(1, chunk.nbytes, decode_s)
        keep = self._cache._keep  # noqa: SLF001 - a claim is part of the cache
        chunk = keep(self._key, chunk, self._generation, self, self._slab_nbytes)
        self.future.set_result(chunk)

    def fail(self, error: Exception) -> None:
        """Fail the waiting readers, because the chunk cannot be read or decoded. Later readers try again."""
        self._end(error)

    def abandon(self) -> None:
        """Return the duty: the waiting readers decode the chunk themselves. Harmless after `fulfil` and `fail`."""
        self._end(AbandonedError())

    def _end(self, error: Exception) -> None:
        if not self.future.done():
            self._cache._forget_claim(self._key, self)  # noqa: SLF001 - see above
            self.future.set_exception(error)


class ChunkCache:
    """A bounded, thread-safe cache of decoded chunks. Any number of arrays can share it.

    Args:
        max_bytes: the budget for decoded bytes; chunks in use by a reader do not count.
        max_age_s: chunks requested longer ago are decoded again; None keeps them forever.
        spill: takes the chunks of arrays with slabs larger than ``max_bytes``, up to its own size.

    Attributes:
        generation: changes with each `forget` and `clear`.
        spilled_nbytes: bytes of chunks on disk.
        nbytes: bytes of the chunks in the cache.
        hits: how often a chunk was in the cache.
        misses: how often it was not.
        decoded: how many chunks were decoded, for the cache or directly into a reader's buffer.
        decoded_bytes: their total size in memory.
        decode_s: total decoding time in seconds, summed over threads.

    >>> cache = ChunkCache(1 << 20)
    >>> cache.nbytes
    0
    """

    def __init__(self, max_bytes: int, max_age_s: float | None = None, spill: Spill | None = None) -> None:
        self.max_bytes = max_bytes
        self.max_age_s = max_age_s
        self._spill = spill
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._spilled: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._claims: dict[Hashable, Claim] = {}
        self._lock = threading.Lock()
        self.generation = 0
        _caches.add(self)
        self.nbytes = 0
        self.hits = 0
        self.misses = 0
        self.spilled_nbytes = 0
        self.decoded = 0
        self.decoded_bytes = 0
        self.decode_s = 0.0

    def get(self, key: Hashable) -> Chunk | None:
        """The chunk, or None if it would have to be decoded."""
        with self._lock:
            return self._fresh(key)

    def ready(self, keys: Iterable[Hashable]) -> list[Chunk] | None:
        """All chunks under ``keys``; None if one of them is not in memory, though it may be on disk."""
        oldest_s = -math.inf if self.max_age_s is None else time.monotonic() - self.max_age_s
        used, chunks, first_s = [], [], math.inf
        with self._lock:
            for key in keys:
                entry = self._entries.get(key)
                if entry is None or entry.requested_s <= oldest_s:
                    return None
                if entry.requested_s < first_s:
                    first_s = entry.requested_s
                used.append(key)
                chunks.append(entry.chunk)
            for key in used:
                self._entries.move_to_end(key)
            self.hits += len(used)
        note_age(first_s)
        return chunks

    def claim(self, key: Hashable, slab_nbytes: int = 0) -> Chunk | Claim | Future[Chunk]:
        """The chunk, the duty to decode it, or the future of another reader that decodes it.

        Args:
            key: which chunk.
            slab_nbytes: see `zarrcore.array.chunks.spill.slab_nbytes`.
        """
        with self._lock:
            chunk = self._fresh(key)
            if chunk is not None:
                self.hits += 1
                return chunk
            self.misses += 1
            if (running := self._claims.get(key)) is not None:
                note_age(running.requested_s)
                return running.future
            claim = self._claims[key] = Claim(self, key, self.generation, slab_nbytes)
            return claim

    def put(self, key: Hashable, chunk: Chunk, requested_s: float) -> None:
        """Keep a value that was made without a claim, for example a shard's index, and was requested at ``requested_s``."""
        chunk.flags.writeable = False
        self._store(key, chunk, self.generation, requested_s)

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            entry = self._entries.get(key)
            return entry is not None and not self._is_stale(entry)

    def awaits(self, key: Hashable) -> bool:
        """Whether the chunk is in the cache or is being decoded for it."""
        return key in self._claims or key in self

    def forget(self, keys: Iterable[Hashable]) -> None:
        """Drop some chunks, because they were written. Chunks that are being decoded right now are not kept either.

        Other values derived from stored bytes are kept under the `generation` in which they were read.
        """
        with self._lock:
            self.generation += 1
            for key in keys:
                self._claims.pop(key, None)
                self._drop(key)

    def clear(self) -> None:
        """Drop all chunks, including those that are being decoded right now."""
        with self._lock:
            self._entries.clear()
            self._spilled.clear()
            self._claims.clear()
            self.generation += 1
            self.nbytes = self.spilled_nbytes = 0
            if self._spill is not None:
                self._spill.forget()

    def _start_anew(self) -> None:
        """In a forked child: the threads that held the lock or a claim do not exist."""
        self._lock = threading.Lock()
        if self._spill is not None:
            self._spill.start_anew()
        self.clear()

    def count_decoded(self, count: int, nbytes: int, decode_s: float) -> None:
        """Count chunks that were decoded, whether they are kept here or not."""
        with self._lock:
            self.decoded += count
            self.decoded_bytes += nbytes
            self.decode_s += decode_s

    def _fresh(self, key: Hashable) -> Chunk | None:
        entry = self._entries.get(key) or self._spilled.get(key)
        if entry is None:
            return None
        if self._is_stale(entry):
            self._drop(key)
            return None
        # Chunks on disk are dropped by age: a file is freed when its last chunk is dropped.
        if key in self._entries:
            self._entries.move_to_end(key)
        note_age(entry.requested_s)
        return entry.chunk

    def _drop(self, key: Hashable) -> None:
        if (entry := self._entries.pop(key, None)) is not None:
            self.nbytes -= entry.nbytes
        if (entry := self._spilled.pop(key, None)) is not None:
            self.spilled_nbytes -= entry.nbytes

    def _is_stale(self, entry: _Entry) -> bool:
        return self.max_age_s is not None and time.monotonic() - entry.requested_s >= self.max_age_s

    def _keep(self, key: Hashable, chunk: Chunk, generation: int, claim: Claim, slab_nbytes: int) -> Chunk:
        """Keep a decoded chunk, on disk if a reader in C order would evict it from memory before its next row."""
        spill, kept = self._spill, None
        if spill is not None and self.max_bytes < slab_nbytes <= spill.max_bytes:
            kept = spill.keep(chunk)
        chunk = chunk if kept is None else kept
        chunk.flags.writeable = False
        self._store(key, chunk, generation, claim.requested_s, claim, spilled=kept is not None)
        return chunk

    def _store(
        self,
        key: Hashable,
        chunk: Chunk,
        generation: int,
        requested_s: float,
        claim: Claim | None = None,
        spilled: bool = False,
    ) -> None:
        nbytes = chunk.nbytes if spilled else _ENTRY_NBYTES + _memory_nbytes(chunk)
        with self._lock:
            if claim is not None and self._claims.get(key) is claim:
                del self._claims[key]
            if generation != self.generation or (nbytes > self.max_bytes and not spilled):
                return
            self._drop(key)
            if spilled:
                self._spilled[key] = _Entry(chunk, nbytes, requested_s)
                self.spilled_nbytes += nbytes
            else:
                self._entries[key] = _Entry(chunk, nbytes, requested_s)
                self.nbytes += nbytes
            self._trim()

    def _trim(self) -> None:
        while self.nbytes > self.max_bytes:
            self._drop(next(iter(self._entries)))
        while self._spill is not None and self.spilled_nbytes > self._spill.max_bytes:
            self._drop(next(iter(self._spilled)))

    def _forget_claim(self, key: Hashable, claim: Claim) -> None:
        with self._lock:
            if self._claims.get(key) is claim:
                del self._claims[key]


def _start_anew_after_fork() -> None:
    for cache in list(_caches):
        cache._start_anew()  # noqa: SLF001 - the module's own


after_fork(_start_anew_after_fork)
