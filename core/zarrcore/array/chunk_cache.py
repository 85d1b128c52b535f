"""Decoded chunks in memory: least recently used go first, a byte budget bounds them.

Several readers that miss the same chunk at once decode it once: the first claims it, the others wait for the claim.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np

Chunk = np.ndarray[Any, Any]

# What an entry weighs beside its elements: without it a million tiny chunks would fit any budget.
_ENTRY_NBYTES = 1024

_caches: weakref.WeakSet[ChunkCache] = weakref.WeakSet()


def _memory_nbytes(chunk: Chunk) -> int:
    # A missing chunk is one element shown many times: it costs what that element costs.
    if 0 in chunk.strides:
        return int(chunk.dtype.itemsize)
    # Elements of any length lie elsewhere; how long the texts are in UTF-8 would take longer to tell than is worth it.
    if chunk.dtype.kind == "T":
        return chunk.nbytes + int(np.strings.str_len(chunk).sum())
    if chunk.dtype.kind == "O":
        return chunk.nbytes + sum(map(sys.getsizeof, chunk.flat))
    return chunk.nbytes


class AbandonedError(Exception):
    """Whoever had claimed a chunk gave up before decoding it; never leaves this package."""


@dataclass(slots=True)
class _Entry:
    chunk: Chunk
    nbytes: int
    loaded_s: float


class Claim:
    """The duty to decode one chunk, and to tell those who wait."""

    __slots__ = ("_cache", "_generation", "_key", "future")

    def __init__(self, cache: ChunkCache, key: Hashable, generation: int) -> None:
        self._cache = cache
        self._key = key
        self._generation = generation
        self.future: Future[Chunk] = Future()

    def fulfil(self, chunk: Chunk, decode_s: float | None = None) -> None:
        """Keep ``chunk`` and hand it to all who wait; ``decode_s`` is what decoding it took, if it was decoded."""
        chunk.flags.writeable = False
        if decode_s is not None:
            self._cache._count(chunk.nbytes, decode_s)  # noqa: SLF001 - see below
        self._cache._store(self._key, chunk, self._generation, self)  # noqa: SLF001 - a claim is the cache's own hand
        self.future.set_result(chunk)

    def fail(self, error: Exception) -> None:
        """Tell all who wait that the chunk cannot be had; who asks later tries again."""
        self._end(error)

    def abandon(self) -> None:
        """Give the duty back: those who wait look after the chunk themselves. Harmless after `fulfil` and `fail`."""
        self._end(AbandonedError())

    def _end(self, error: Exception) -> None:
        if not self.future.done():
            self._cache._forget_claim(self._key, self)  # noqa: SLF001 - see above
            self.future.set_exception(error)


class ChunkCache:
    """A bounded, thread-safe cache of decoded chunks, shared by as many arrays as one likes.

    Args:
        max_bytes: the budget for decoded bytes; chunks in use by a reader do not count.
        max_age_s: chunks decoded longer ago are decoded again; None keeps them for ever.

    Attributes:
        generation: another number whenever something was forgotten.
        nbytes: bytes of the chunks it holds.
        hits: how often a chunk was there.
        misses: how often one was not.
        decoded: how many chunks were decoded to be kept here.
        decoded_bytes: their size in memory, together.
        decode_s: seconds that took, summed over threads.

    >>> cache = ChunkCache(1 << 20)
    >>> cache.nbytes
    0
    """

    def __init__(self, max_bytes: int, max_age_s: float | None = None) -> None:
        self.max_bytes = max_bytes
        self.max_age_s = max_age_s
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._claims: dict[Hashable, Claim] = {}
        self._lock = threading.Lock()
        self.generation = 0
        _caches.add(self)
        self.nbytes = 0
        self.hits = 0
        self.misses = 0
        self.decoded = 0
        self.decoded_bytes = 0
        self.decode_s = 0.0

    def get(self, key: Hashable) -> Chunk | None:
        """The chunk, or None where it would have to be decoded."""
        with self._lock:
            return self._fresh(key)

    def claim(self, key: Hashable) -> Chunk | Claim | Future[Chunk]:
        """The chunk; or the duty to decode it; or the future of somebody else who does."""
        with self._lock:
            chunk = self._fresh(key)
            if chunk is not None:
                self.hits += 1
                return chunk
            self.misses += 1
            if (running := self._claims.get(key)) is not None:
                return running.future
            claim = self._claims[key] = Claim(self, key, self.generation)
            return claim

    def put(self, key: Hashable, chunk: Chunk) -> None:
        """Keep what was made without a claim: a shard's index, for instance."""
        chunk.flags.writeable = False
        self._store(key, chunk, self.generation)

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            entry = self._entries.get(key)
            return entry is not None and not self._is_stale(entry)

    def forget(self, keys: Iterable[Hashable]) -> None:
        """Forget some chunks, because they were written; what is being decoded at this moment is not kept either.

        Whatever else was derived from stored bytes is kept under the `generation` in which it was read.
        """
        with self._lock:
            self.generation += 1
            for key in keys:
                self._claims.pop(key, None)
                if (entry := self._entries.pop(key, None)) is not None:
                    self.nbytes -= entry.nbytes

    def clear(self) -> None:
        """Forget all chunks, those too that are being decoded at this moment."""
        with self._lock:
            self._entries.clear()
            self._claims.clear()
            self.generation += 1
            self.nbytes = 0

    def _start_anew(self) -> None:
        """In a forked child: whoever held the lock or a claim is not there any more."""
        self._lock = threading.Lock()
        self.clear()

    def _count(self, nbytes: int, decode_s: float) -> None:
        with self._lock:
            self.decoded += 1
            self.decoded_bytes += nbytes
            self.decode_s += decode_s

    def _fresh(self, key: Hashable) -> Chunk | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if self._is_stale(entry):
            del self._entries[key]
            self.nbytes -= entry.nbytes
            return None
        self._entries.move_to_end(key)
        return entry.chunk

    def _is_stale(self, entry: _Entry) -> bool:
        return self.max_age_s is not None and time.monotonic() - entry.loaded_s >= self.max_age_s

    def _store(self, key: Hashable, chunk: Chunk, generation: int, claim: Claim | None = None) -> None:
        nbytes = _ENTRY_NBYTES + _memory_nbytes(chunk)
        with self._lock:
            if claim is not None and self._claims.get(key) is claim:
                del self._claims[key]
            if generation != self.generation:
                return
            if nbytes > self.max_bytes:
                return
            if (old := self._entries.pop(key, None)) is not None:
                self.nbytes -= old.nbytes
            self._entries[key] = _Entry(chunk, nbytes, time.monotonic())
            self.nbytes += nbytes
            while self.nbytes > self.max_bytes:
                _, evicted = self._entries.popitem(last=False)
                self.nbytes -= evicted.nbytes

    def _forget_claim(self, key: Hashable, claim: Claim) -> None:
        with self._lock:
            if self._claims.get(key) is claim:
                del self._claims[key]


def _start_anew_after_fork() -> None:
    for cache in list(_caches):
        cache._start_anew()  # noqa: SLF001 - the module's own


os.register_at_fork(after_in_child=_start_anew_after_fork)
