"""Shards: files of many chunks, which are found through two levels of indexes.

Specification: Neuroglancer, "Precomputed format", "Sharded format". The index of a shard says where the indexes of its
minishards are; one of those says where the chunks with some identifiers are. Indexes are read once and kept, those of
neighbouring minishards together.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores.interface import READ_ANEW, ByteRange, ReadableStore
from zarrcore.stores.precomputed.gzip_stream import unpacked
from zarrcore.stores.precomputed.info import Sharding
from zarrcore.stores.precomputed.murmurhash import murmurhash3_x86_128

MAX_INDEX_NBYTES: Final = 64 << 20
"""The largest index of a minishard, decoded."""
_WHOLE_NBYTES: Final = 1 << 20
"""The largest index of a shard that is read as a whole."""
_TOGETHER_NBYTES: Final = 1 << 20
_MAX_GAP_NBYTES: Final = 64 << 10
_KEPT_NBYTES: Final = 64 << 20
_ENTRY_NBYTES: Final = 16
_LOCKS: Final = 16


class Place(NamedTuple):
    """Where the bytes of a chunk are."""

    key: str
    start: int
    nbytes: int
    version: str | None
    """Of the file whose index states it."""


class _Minishard(NamedTuple):
    """The chunks of a minishard, by their identifiers in ascending order."""

    identifiers: NDArray[np.uint64]
    starts: NDArray[np.uint64]
    sizes: NDArray[np.uint64]


class _Kept:
    """Indexes that were read, by shard and minishard; the oldest are dropped. Thread-safe."""

    def __init__(self) -> None:
        self._found: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self._nbytes = 0
        self._lock = threading.Lock()

    def get(self, name: Any) -> Any:
        with self._lock:
            if name not in self._found:
                return None
            self._found.move_to_end(name)
            return self._found[name][0]

    def put(self, name: Any, value: Any, nbytes: int) -> None:
        with self._lock:
            self._drop(name)
            self._found[name] = value, nbytes + 200
            self._nbytes += nbytes + 200
            while self._nbytes > _KEPT_NBYTES and len(self._found) > 1:
                self._drop(next(iter(self._found)))

    def forget(self, shard: int) -> None:
        with self._lock:
            for name in [name for name in self._found if name[0] == shard]:
                self._drop(name)

    def _drop(self, name: Any) -> None:
        self._nbytes -= self._found.pop(name, (None, 0))[1]


class Shards:
    """The shards of one scale. Thread-safe.

    Args:
        source: the store of the files.
        folder: the prefix of their keys.
        sharding: how identifiers lead to them.
    """

    def __init__(self, source: ReadableStore, folder: str, sharding: Sharding) -> None:
        self._source = source
        self._folder = folder
        self._sharding = sharding
        self._index_nbytes = _ENTRY_NBYTES << sharding.minishard_bits
        self._kept = _Kept()
        self._locks = [threading.Lock() for _ in range(_LOCKS)]

    def numbers(self, identifier: int) -> tuple[int, int]:
        """The shard and the minishard of a chunk."""
        rules = self._sharding
        shifted = identifier >> rules.preshift_bits
        hashed = murmurhash3_x86_128(shifted) if rules.is_hashed else shifted
        minishard = hashed & (1 << rules.minishard_bits) - 1
        return hashed >> rules.minishard_bits & (1 << rules.shard_bits) - 1, minishard

    def key(self, shard: int) -> str:
        """The key of a shard."""
        return f"{self._folder}{shard:0{-(-self._sharding.shard_bits // 4)}x}.shard"

    def find(self, identifier: int) -> Place | None:
        """Where a chunk is; None if it is absent.

        Raises:
            BrokenReferenceError: an index is broken.
            StoreError: the store failed.
        """
        shard, number = self.numbers(identifier)
        with self._locks[shard % _LOCKS]:
            minishard, version = self._minishard(shard, number)
        if minishard is None:
            return None
        at = int(np.searchsorted(minishard.identifiers, np.uint64(identifier)))
        if at == len(minishard.identifiers) or int(minishard.identifiers[at]) != identifier:
            return None
        return self._place(shard, minishard, at, version)

    def _place(self, shard: int, minishard: _Minishard, at: int, version: str | None) -> Place:
        start = self._index_nbytes + int(minishard.starts[at])
        return Place(self.key(shard), start, int(minishard.sizes[at]), version)

    def chunks(self, shard: int) -> Iterator[tuple[int, int]]:
        """The identifiers of all chunks in a shard, and their sizes.

        Raises:
            As `find`.
        """
        with self._locks[shard % _LOCKS]:
            entries, _ = self._entries(shard, 0, 1 << self._sharding.minishard_bits)
        if entries is None:
            return
        for number in map(int, np.flatnonzero(entries[:, 0] != entries[:, 1])):
            with self._locks[shard % _LOCKS]:
                minishard, _ = self._minishard(shard, number)
            if minishard is not None:
                yield from zip(map(int, minishard.identifiers), map(int, minishard.sizes), strict=True)

    def forget(self, shard: int | None = None) -> None:
        """Read the indexes of a shard, or all, again."""
        if shard is None:
            self._kept = _Kept()
        else:
            self._kept.forget(shard)

    def _minishard(self, shard: int, number: int) -> tuple[_Minishard | None, str | None]:
        kept = self._kept.get((shard, number))
        if kept is None:
            kept = self._read_minishard(shard, number)
        found, version = kept
        if isinstance(found, bytes):
            try:
                found = _parsed(found, is_compressed=self._sharding.is_index_compressed)
            except ValueError as error:
                raise self._broken(
                    shard, f"the index of its minishard {number:,} is broken: {error}"
                ) from error
            self._kept.put((shard, number), (found, version), 24 * len(found.identifiers))
        return found, version

    def _read_minishard(
        self, shard: int, number: int, attempts: int = READ_ANEW
    ) -> tuple[bytes | None, str | None]:
        """The index of a minishard, encoded. Those near it are read, too, and kept."""
        whole = self._index_nbytes <= _WHOLE_NBYTES
        first, stop = (0, 1 << self._sharding.minishard_bits) if whole else (number, number + 1)
        entries, version = self._entries(shard, first, stop)
        if entries is None or entries[number - first, 0] == entries[number - first, 1]:
            return None, version
        start, end = (int(offset) for offset in entries[number - first])
        if end < start or end - start > MAX_INDEX_NBYTES:
            raise self._broken(
                shard, f"the index of its minishard {number:,} has the bytes {start:,} to {end:,}"
            )
        together = [number - first]
        if self._source.is_remote:
            start, end, together = _neighbours(entries, number - first)
        key = self.key(shard)
        part = ByteRange(self._index_nbytes + start, self._index_nbytes + end)
        value, facts = self._source.get_with_stat(key, part) or (b"", None)
        if len(value) != end - start or facts is None:
            raise self._broken(shard, f"it ends before the index of its minishard {number:,}")
        if facts.lasting_version != version:
            self.forget(shard)
            if attempts > 1:
                return self._read_minishard(shard, number, attempts - 1)
            raise self._broken(shard, "it changes faster than it can be read")
        view = memoryview(value)
        for each in together:
            low, high = (int(offset) - start for offset in entries[each])
            self._kept.put((shard, first + each), (bytes(view[low:high]), version), high - low)
        low, high = (int(offset) - start for offset in entries[number - first])
        return bytes(view[low:high]), version

    def _entries(self, shard: int, first: int, stop: int) -> tuple[NDArray[np.uint64] | None, str | None]:
        """Where the indexes of some minishards begin and end; None if there is no such shard."""
        name = (shard, "index", first, stop)
        kept: tuple[NDArray[np.uint64] | None, str | None] | None = self._kept.get(name)
        if kept is not None:
            return kept
        nbytes = _ENTRY_NBYTES * (stop - first)
        if nbytes > MAX_INDEX_NBYTES:
            raise self._broken(shard, f"its index of {nbytes:,} bytes is too long to be listed")
        part = ByteRange(_ENTRY_NBYTES * first, _ENTRY_NBYTES * stop)
        found = self._source.get_with_stat(self.key(shard), part, max_nbytes=nbytes)
        if found is None:
            kept = None, None
        else:
            value, facts = found
            if len(value) != nbytes:
                raise self._broken(
                    shard, f"it ends within its index, after {first * 16 + len(value):,} bytes"
                )
            kept = np.frombuffer(bytes(value), "<u8").reshape(-1, 2), facts.lasting_version
        # An absent shard is looked up again, since it may be written any time; remote ones are kept until a refresh.
        if found is not None or self._source.is_remote:
            self._kept.put(name, kept, nbytes)
        return kept

    def _broken(self, shard: int, why: str) -> BrokenReferenceError:
        key, url = self.key(shard), self._source.url
        return BrokenReferenceError(f"the shard {key} in {url} cannot be read: {why}", key=key, url=url)


def _neighbours(entries: NDArray[np.uint64], number: int) -> tuple[int, int, list[int]]:
    """The range of the index of a minishard with those near it in the file, and the numbers of all of these."""
    order = np.argsort(entries[:, 0], kind="stable")
    position = int(np.flatnonzero(order == number)[0])
    start, end = (int(offset) for offset in entries[number])
    together = [number]
    for step in (1, -1):
        at = position + step
        while 0 <= at < len(order):
            low, high = (int(offset) for offset in entries[order[at]])
            if high > low:
                new_start, new_end = min(start, low), max(end, high)
                if max(low - end, start - high) > _MAX_GAP_NBYTES or new_end - new_start > _TOGETHER_NBYTES:
                    break
                start, end = new_start, new_end
                together.append(int(order[at]))
            at += step
    return start, end, together


def _parsed(encoded: bytes, *, is_compressed: bool) -> _Minishard:
    """An index of a minishard.

    Raises:
        ValueError: it is broken.
    """
    data = unpacked(encoded, MAX_INDEX_NBYTES) if is_compressed else encoded
    if len(data) % 24 or len(data) > MAX_INDEX_NBYTES:
        raise ValueError(f"it has {len(data):,} bytes")
    rows = np.frombuffer(data, "<u8").reshape(3, -1)
    identifiers = np.cumsum(rows[0], dtype=np.uint64)
    sizes = rows[2]
    # Each start counts from the end of the chunk before.
    starts = np.cumsum(rows[1], dtype=np.uint64)
    starts[1:] += np.cumsum(sizes[:-1], dtype=np.uint64)
    if len(starts) and int(np.maximum(starts, sizes).max()) >= 1 << 62:
        raise ValueError("a chunk is beyond all limits")
    order = np.argsort(identifiers, kind="stable")
    return _Minishard(identifiers[order], starts[order], sizes[order])
