"""Reading from shards: the location of a chunk's units in its bytes.

The index is fetched first, then byte ranges; ranges that are close to each other are fetched in one request. Shards may nest:
each level locates the next one's bytes. Specification: zarr-specs, "Sharding codec", "Binary shard format".

Another writer may replace a shard between two of these reads, and the old index does not fit the new shard's bytes. So the
version of the shard is compared after each read; if it has changed, everything is read again. A store that states the version
with each answer needs no further request for this; the others are asked, except remote stores that would need a request.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from zarrcore.ages import aged
from zarrcore.array.chunks.cache import ChunkCache
from zarrcore.array.chunks.decode_units import DecodeUnit, DecodeUnitGrid, attempt
from zarrcore.array.pools import Task
from zarrcore.array.shards.levels import Level, level_of, shard_levels
from zarrcore.array.shards.runs import Member, runs
from zarrcore.codecs import Pipeline
from zarrcore.codecs.array_to_bytes.sharding_indexed import MISSING, Index
from zarrcore.errors import ChangedError, CodecError, PlacedError
from zarrcore.metadata import ChunkGrid, RegularChunkGrid
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore
from zarrcore.typing import AnyArray

# One request should not delay the decoding of bytes that have arrived, nor fill the memory or the processor's cache.
_LOCAL_MAX_REQUEST_NBYTES = 1 << 20
_REMOTE_MAX_REQUEST_NBYTES = 8 << 20
_TRIES = 10

Fetch = Callable[[str, ByteRange], BytesLike | None]

Finish = Callable[[str, DecodeUnit, BytesLike | None, bool], None]
"""Called with a unit's bytes (or the wanted span of them) or their absence, and the key they are under."""


FinishRun = Callable[[str, memoryview, int, list[Member]], None]


class _ReplacedError(Exception):
    """The value of a key was replaced since its index was read."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The location of a shard in the value of a key."""

    start: int
    """Its first byte."""
    stop: int | None
    """The byte after its last, or None for the end of the value."""
    version: str | None
    """The version of the value that this describes; None if unknown."""
    tries: int = field(default=_TRIES, compare=False)
    """How often reading may start again."""

    def check(self, version: str | None) -> None:
        """Check that the value still had this version when bytes at a place that this gave were read.

        Raises:
            _ReplacedError: it had another one.
        """
        if version != self.version:
            raise _ReplacedError


class ShardReader:
    """Finds units in the shards of one array.

    Args:
        store: where the shards are.
        fetch: reads part of a value; the result is used before the same thread calls it again.
        pipeline: decodes a chunk, which is a shard.
        chunk_grid: the array's chunks.
        scope: separates this array's indices in the cache from those of other arrays.
        finish: called with each unit's bytes.
        finish_run: called with the bytes of a run, its first byte and its members, each of one unit.

    Attributes:
        grid: the array's units.
        unit_pipeline: decodes the innermost inner chunk; ``pipeline`` itself if chunks are not shards.

    Raises:
        MetadataError: the inner chunks do not divide the shards.
    """

    def __init__(
        self,
        store: ReadableStore,
        fetch: Fetch,
        pipeline: Pipeline,
        chunk_grid: ChunkGrid,
        scope: Callable[[], Hashable],
        finish: Finish,
        finish_run: FinishRun,
    ) -> None:
        self._store = store
        self._fetch = fetch
        self._scope = scope
        self._finish = finish
        self._finish_run = finish_run
        self._chunk_grid = chunk_grid
        self._is_stated = store.states_versions and not store.remembers
        self._max_request_nbytes = (
            _REMOTE_MAX_REQUEST_NBYTES if store.is_remote else _LOCAL_MAX_REQUEST_NBYTES
        )
        self._levels = shard_levels(pipeline, chunk_grid)
        self._outermost: dict[tuple[int, ...], Level] = {}
        self.unit_pipeline = self._levels[-1].inner if self._levels else pipeline
        self.grid = DecodeUnitGrid(chunk_grid, self.unit_pipeline.spec.shape if self._levels else None)

    def __bool__(self) -> bool:
        """Whether chunks are shards."""
        return bool(self._levels)

    def read(
        self, cache: ChunkCache | None, key: str, index: tuple[int, ...], units: list[DecodeUnit]
    ) -> list[Task] | None:
        """Finish the units that are missing in the shard ``key`` at a grid index; return tasks that fetch the others."""
        origin = self._chunk_grid.chunk_origin(index)
        if self._store.remembers:  # also the shard's identity, so that it needs no separate request
            level = self._level(0, origin)
            self._store.get(key, level.shard.index_range(level.pipeline.spec))
        return self._read(cache, key, units, 0, Bounds(0, None, self._version(cache, key)), origin)

    def located(
        self,
        cache: ChunkCache | None,
        key: str,
        index: tuple[int, ...],
        units: Sequence[Sequence[int]],
    ) -> tuple[Index, str] | None:
        """Offset and size of units in the shard ``key`` at a grid index, and the version of the shard that has them there.

        None if the shard is missing, if its inner chunks are shards, or if the store states no versions.

        Args:
            cache: may have the shard's index.
            key: the shard's.
            index: the shard's in the grid.
            units: per dimension, the indices of units. Their product is located, in C order.
        """
        origin = self._chunk_grid.chunk_origin(index)
        level, version = self._level(0, origin), self._version(cache, key)
        if len(self._levels) > 1 or self._is_stated or version is None:
            return None
        found = self._index(cache, key, level, Bounds(0, None, version))
        if found is None:
            return None
        positions = np.zeros((), np.intp)
        for numbers, first, length, count in zip(
            units, origin, level.shard.chunk_shape, level.grid_shape, strict=True
        ):
            within = np.array(numbers, np.intp) - first // length
            positions = (positions * count)[..., None] + within
        return found[0][positions.reshape(-1)], version

    def _version(self, cache: ChunkCache | None, key: str) -> str | None:
        """The current version of the value, or the last one that was seen where the store states it with each answer."""
        store = self._store
        if self._is_stated:
            seen = None if cache is None else cache.get(self._seen_key(cache, key))
            return None if seen is None else str(seen)
        stat = None if store.is_remote and not store.remembers else store.stat(key)
        return None if stat is None else stat.version

    def _seen_key(self, cache: ChunkCache, key: str) -> Hashable:
        return self._scope(), key, "version", cache.generation

    def _stated(
        self, cache: ChunkCache | None, key: str, part: ByteRange
    ) -> tuple[BytesLike | None, str | None]:
        """Bytes of the value, and the version that the store states with them."""
        requested_s = time.monotonic()
        encoded, stat = self._store.get_with_stat(key, part) or (None, None)
        version = None if stat is None else stat.lasting_version
        if cache is not None and version is not None and version != self._version(cache, key):
            cache.put(self._seen_key(cache, key), np.array(version), requested_s)
        return encoded, version

    def _task(
        self,
        cache: ChunkCache | None,
        key: str,
        units: list[DecodeUnit],
        bounds: Bounds,
        step: Callable[..., list[Task] | None],
        *arguments: Any,
    ) -> Callable[[], list[Task] | None]:
        """A step of reading ``units``. Starts again with the index if the shard was replaced since the index was read.

        Raises:
            ChangedError: the shard is replaced faster than it can be read.
        """

        def task() -> list[Task] | None:
            try:
                return step(*arguments)
            except _ReplacedError as error:
                if not bounds.tries:
                    raise ChangedError(
                        f"{key} in {self._store.url} changes faster than it can be read",
                        key=key,
                        url=self._store.url,
                    ) from error
            again = Bounds(0, None, self._version(cache, key), bounds.tries - 1)
            origin = self._chunk_grid.chunk_origin(self.grid.chunk_of(units[0].index))
            return self._read(cache, key, units, 0, again, origin)

        return partial(attempt, units, task)

    def _read(
        self,
        cache: ChunkCache | None,
        key: str,
        units: list[DecodeUnit],
        depth: int,
        bounds: Bounds,
        origin: tuple[int, ...],
    ) -> list[Task] | None:
        level = self._level(depth, origin)
        found, requested_s = aged(self._index, cache, key, level, bounds)
        for unit in units:
            if unit.claim is not None:
                unit.claim.requested_s = min(unit.claim.requested_s, requested_s)
        if found is None:
            for unit in units:
                self._finish(key, unit, None, False)
            return None
        index, bounds = found
        if depth + 1 < len(self._levels):
            return self._deeper(cache, key, level, index, units, depth, bounds, origin)
        positions = self._positions(level, units, origin)
        members = []
        for unit, position, (start, nbytes) in zip(
            units, positions.tolist(), index[positions].tolist(), strict=True
        ):
            member = self._member(key, level, [unit], position, start, nbytes, bounds)
            if member is None:
                self._finish(key, unit, None, False)
            else:
                members.append(member)
        tasks: list[Task] = []
        for run in runs(members, self._max_request_nbytes):
            inside = [unit for member in run for unit in member.units]
            tasks.append(self._task(cache, key, inside, bounds, self._read_members, cache, key, run, bounds))
        return tasks

    def _level(self, depth: int, origin: tuple[int, ...]) -> Level:
        """The level at a depth: shards of the array may differ in shape, nested shards do not."""
        if depth > 0 or isinstance(self._chunk_grid, RegularChunkGrid):
            return self._levels[depth]
        index = tuple(axis.find(first) for axis, first in zip(self._chunk_grid.axes, origin, strict=True))
        shape = self._chunk_grid.chunk_shape_at(index)
        level = self._outermost.get(shape)
        if level is None:
            first = self._levels[0]
            level = self._outermost[shape] = level_of(first.pipeline.for_shape(shape))
        return level

    def _positions(self, level: Level, units: list[DecodeUnit], origin: tuple[int, ...]) -> AnyArray:
        indices = np.array([unit.index for unit in units], np.int64).reshape(len(units), len(origin))
        return level.positions(indices * self.grid.unit_shape - origin)

    def _deeper(
        self,
        cache: ChunkCache | None,
        key: str,
        level: Level,
        index: Index,
        units: list[DecodeUnit],
        depth: int,
        bounds: Bounds,
        origin: tuple[int, ...],
    ) -> list[Task]:
        by_position: dict[int, list[DecodeUnit]] = {}
        for unit, position in zip(units, self._positions(level, units, origin).tolist(), strict=True):
            by_position.setdefault(position, []).append(unit)
        tasks: list[Task] = []
        for position, inside in by_position.items():
            start, nbytes = index[position].tolist()
            member = self._member(key, level, inside, position, start, nbytes, bounds)
            if member is None:
                for unit in inside:
                    self._finish(key, unit, None, False)
                continue
            place = np.unravel_index(position, level.grid_shape) if level.grid_shape else ()
            inner = tuple(
                first + int(i) * length
                for first, i, length in zip(origin, place, level.shard.chunk_shape, strict=True)
            )
            found = Bounds(member.start, member.stop, bounds.version, bounds.tries)
            deeper = (cache, key, inside, depth + 1, found, inner)
            tasks.append(self._task(cache, key, inside, bounds, self._read, *deeper))
        return tasks

    def _index(
        self, cache: ChunkCache | None, key: str, level: Level, bounds: Bounds
    ) -> tuple[Index, Bounds] | None:
        """The index of a shard, and ``bounds`` with the version that it belongs to; None if the shard is missing."""
        if cache is not None and (kept := cache.get(self._index_key(cache, key, bounds))) is not None:
            return kept, bounds
        wanted, requested_s = level.shard.index_range(level.pipeline.spec), time.monotonic()
        is_inner = bounds.stop is not None
        if bounds.stop is not None:
            start, stop = wanted.resolve(bounds.stop - bounds.start)
            wanted = ByteRange(bounds.start + start, bounds.start + stop)
        if self._is_stated:
            encoded, version = self._stated(cache, key, wanted)
        else:
            encoded = self._store.get(key, wanted)
            version = self._version(cache, key) if is_inner else bounds.version
        if is_inner:
            bounds.check(version)
        elif version != bounds.version:
            bounds = replace(bounds, version=version)
        if encoded is None:
            return None
        try:
            index = level.shard.parse_index(encoded, level.pipeline.spec)
        except PlacedError as error:
            raise error.at(key, self._store.url) from error
        if cache is not None:
            cache.put(self._index_key(cache, key, bounds), index, requested_s)
        return index, bounds

    def _index_key(self, cache: ChunkCache, key: str, bounds: Bounds) -> Hashable:
        # A rewritten shard has another index: the old one is not found under a later generation.
        return self._scope(), key, bounds, cache.generation

    def _member(
        self,
        key: str,
        level: Level,
        units: list[DecodeUnit],
        position: int,
        start: int,
        nbytes: int,
        bounds: Bounds,
    ) -> Member | None:
        """The location of the inner chunk that contains ``units``, or of the wanted part; None if it is missing."""
        if start == nbytes == MISSING:
            return None
        inner = level.inner
        if start + nbytes >= 2**63:
            wrong = f"is at {start:,}, {nbytes:,} bytes long"
        elif nbytes > inner.max_encoded_nbytes:
            wrong = f"has {nbytes:,} bytes, but at most {inner.max_encoded_nbytes:,} make sense"
        elif bounds.stop is not None and start + nbytes > bounds.stop - bounds.start:
            wrong = "ends outside its shard"
        else:
            start += bounds.start
            unit = units[0]
            if unit.claim is None and unit.region is not None and nbytes == inner.encoded_nbytes:
                span = inner.span(unit.region)
                if span is not None:
                    return Member(start + span[0], start + span[1], units, is_span=True)
            return Member(start, start + nbytes, units)
        raise CodecError(f"inner chunk {position} {wrong}", codec=level.shard.name).at(key, self._store.url)

    def _read_members(self, cache: ChunkCache | None, key: str, run: list[Member], bounds: Bounds) -> None:
        start, stop = run[0].start, max(member.stop for member in run)
        if self._is_stated:
            encoded, version = self._stated(cache, key, ByteRange(start, stop))
        else:
            encoded, version = self._fetch(key, ByteRange(start, stop)), self._version(cache, key)
        bounds.check(version)
        if encoded is None or len(encoded) < stop - start:
            found = 0 if encoded is None else len(encoded)
            raise CodecError(
                f"the index points to bytes {start:,} to {stop:,}, but only {found:,} of them exist",
                codec="sharding_indexed",
            ).at(key, self._store.url)
        self._finish_run(key, memoryview(encoded), start, run)
