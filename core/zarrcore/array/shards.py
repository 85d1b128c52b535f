"""Shards: where the units of a chunk lie in its bytes.

The index is fetched first, then byte ranges; those that lie close to one another come in one request. Shards may nest:
each level finds the next one's bytes. Specification: zarr-specs, "Sharding codec", "Binary shard format".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from zarrcore.array.chunk_cache import ChunkCache
from zarrcore.array.pools import Task
from zarrcore.array.units import Unit, UnitGrid, attempt
from zarrcore.codecs import Pipeline
from zarrcore.codecs.array_to_bytes.sharding_indexed import Index, ShardingIndexedCodec
from zarrcore.errors import CodecError
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore

# Bytes between two ranges that are cheaper to read than to ask for separately.
_LOCAL_GAP_NBYTES = 64 << 10
_REMOTE_GAP_NBYTES = 1 << 20
# One request should neither hold back the decoding of what has come nor fill the memory.
_MAX_REQUEST_NBYTES = 8 << 20

Finish = Callable[[str, Unit, BytesLike | None], None]
"""What is done with a unit's bytes, or their absence, once they are found under a key."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a shard lies in the value of a key."""

    start: int
    """Its first byte."""
    stop: int | None
    """The byte after its last, or None: the end of the value."""

    def within(self, start: int, stop: int) -> Bounds | None:
        """Bytes ``[start, stop)`` of the shard, in those of the value; None where they lie outside the shard."""
        if self.stop is not None and stop > self.stop - self.start:
            return None
        return Bounds(self.start + start, self.start + stop)


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of nesting: a shard, and the grid of what it holds."""

    pipeline: Pipeline
    shard: ShardingIndexedCodec
    grid_shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Member:
    """Bytes ``[start, stop)`` of a key, and the units that lie in them."""

    start: int
    stop: int
    units: list[Unit]


class ShardReader:
    """Finds units in the shards of one array.

    Args:
        store: where the shards are.
        pipeline: what decodes a chunk, which is a shard.
        scope: tells this array's indices in the cache from any other's.
        finish: what to do with each unit's bytes.

    Attributes:
        grid: the array's units.
        unit_pipeline: what decodes the innermost inner chunk; ``pipeline`` itself where chunks are no shards.
    """

    def __init__(self, store: ReadableStore, pipeline: Pipeline, scope: Hashable, finish: Finish) -> None:
        self._store = store
        self._scope = scope
        self._finish = finish
        self._gap_nbytes = _REMOTE_GAP_NBYTES if store.is_remote else _LOCAL_GAP_NBYTES
        self._levels: list[_Level] = []
        chunk_shape = pipeline.spec.shape
        while pipeline.shard is not None:
            shard = pipeline.shard
            shard.index_range(
                pipeline.spec
            )  # so that index codecs that make no sense are told when the array opens
            self._levels.append(_Level(pipeline, shard, shard.grid_shape(pipeline.spec)))
            pipeline = shard.inner_pipeline(pipeline.spec)
        self.unit_pipeline = pipeline
        self.grid = UnitGrid(pipeline.spec.shape, chunk_shape)

    def __bool__(self) -> bool:
        """Whether chunks are shards at all."""
        return bool(self._levels)

    def read(
        self,
        cache: ChunkCache | None,
        key: str,
        units: list[Unit],
        depth: int = 0,
        bounds: Bounds = Bounds(0, None),
    ) -> list[Task] | None:
        """Finish the units that are missing in the shard at ``bounds`` of ``key``; tasks that fetch the others."""
        level = self._levels[depth]
        index = self._index(cache, key, level, bounds)
        if index is None:
            for unit in units:
                self._finish(key, unit, None)
            return None
        present = self._present(key, level, index, bounds, units)
        if depth + 1 < len(self._levels):
            return [self._deeper(cache, key, member, depth + 1) for member in present]
        return [
            partial(attempt, [unit for member in run for unit in member.units], self._read_members, key, run)
            for run in self._runs(present)
        ]

    def _deeper(self, cache: ChunkCache | None, key: str, member: _Member, depth: int) -> Task:
        bounds = Bounds(member.start, member.stop)
        return partial(attempt, member.units, self.read, cache, key, member.units, depth, bounds)

    def _index(self, cache: ChunkCache | None, key: str, level: _Level, bounds: Bounds) -> Index | None:
        # A shard that is written anew has another index: the one read before is not found under a later generation.
        cache_key = (self._scope, key, bounds, 0 if cache is None else cache.generation)
        if cache is not None and (kept := cache.get(cache_key)) is not None:
            return kept
        wanted = level.shard.index_range(level.pipeline.spec)
        if bounds.stop is not None:
            start, stop = wanted.resolve(bounds.stop - bounds.start)
            wanted = ByteRange(bounds.start + start, bounds.start + stop)
        encoded = self._store.get(key, wanted)
        if encoded is None:
            return None
        try:
            index = level.shard.parse_index(encoded, level.pipeline.spec)
        except CodecError as error:
            raise error.at(key) from error
        if cache is not None:
            cache.put(cache_key, index)
        return index

    def _present(
        self, key: str, level: _Level, index: Index, bounds: Bounds, units: list[Unit]
    ) -> list[_Member]:
        """The members of a shard that hold units; units of missing members are finished."""
        by_position: dict[int, list[Unit]] = {}
        for unit in units:
            box = self.grid.box(unit, level.shard.chunk_shape)
            within = [i % n for i, n in zip(box, level.grid_shape, strict=True)]
            position = int(np.ravel_multi_index(within, level.grid_shape)) if within else 0
            by_position.setdefault(position, []).append(unit)
        members = []
        for position, inside in by_position.items():
            place = self._place(key, level, index, position, bounds)
            if place is None or place.stop is None:
                for unit in inside:
                    self._finish(key, unit, None)
            else:
                members.append(_Member(place.start, place.stop, inside))
        return members

    def _place(self, key: str, level: _Level, index: Index, position: int, bounds: Bounds) -> Bounds | None:
        shard = level.shard
        try:
            place = shard.member(index, position)
        except CodecError as error:
            raise error.at(key) from error
        if place is None:
            return None
        largest = shard.inner_pipeline(level.pipeline.spec).max_encoded_nbytes
        if place[1] - place[0] > largest:
            raise CodecError(
                f"inner chunk {position} has {place[1] - place[0]:,} bytes where at most {largest:,} make sense",
                codec=shard.name,
                key=key,
            )
        found = bounds.within(*place)
        if found is None:
            raise CodecError(f"inner chunk {position} ends outside its shard", codec=shard.name, key=key)
        return found

    def _runs(self, members: list[_Member]) -> Iterator[list[_Member]]:
        """Members that one request fetches together."""
        run: list[_Member] = []
        for member in sorted(members, key=lambda member: member.start):
            if run and (
                member.start - run[-1].stop > self._gap_nbytes
                or member.stop - run[0].start > _MAX_REQUEST_NBYTES
            ):
                yield run
                run = []
            run.append(member)
        if run:
            yield run

    def _read_members(self, key: str, run: list[_Member]) -> None:
        start, stop = run[0].start, max(member.stop for member in run)
        encoded = self._store.get(key, ByteRange(start, stop))
        if encoded is None or len(encoded) < stop - start:
            found = 0 if encoded is None else len(encoded)
            raise CodecError(
                f"the index points at bytes {start:,} to {stop:,}, of which {found:,} are there",
                codec="sharding_indexed",
                key=key,
            )
        view = memoryview(encoded)
        for member in run:
            for unit in member.units:
                self._finish(key, unit, view[member.start - start : member.stop - start])
