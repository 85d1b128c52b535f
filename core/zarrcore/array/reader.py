"""From a selection to chunks to bytes and back: the path of every read.

A *unit* is what is decoded as a whole: a chunk, or the innermost inner chunk where chunks are shards. Units form one regular
grid over the array, whatever the nesting, so a selection is arithmetic. Units of one shard are fetched together: its index
first, then byte ranges that lie close to one another in one request.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from typing import Any

import numpy as np

from zarrcore.array.chunk_cache import AbandonedError, Chunk, ChunkCache, Claim
from zarrcore.array.pools import CORES, Task, decoding_permit, run_tasks
from zarrcore.array.selection import AxisRange, crossings
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.codecs.array_to_bytes.sharding_indexed import Index, ShardingIndexedCodec
from zarrcore.errors import CodecError, ReadCancelledError, UnsupportedError, ZarrError
from zarrcore.metadata import ArrayMetadata
from zarrcore.metadata.json_document import format_json
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore

DEFAULT_MAX_CHUNK_BYTES = 2 << 30
"""A unit that decodes to more is refused: nobody wants 100 GB of memory taken by one stray document."""

_BATCH_NBYTES = 256 << 10
_UNITS_AT_ONCE = 1 << 16
_POLL_S = 0.05
# Bytes between two ranges that are cheaper to read than to ask for separately.
_LOCAL_GAP_NBYTES = 64 << 10
_REMOTE_GAP_NBYTES = 1 << 20
# One request should neither hold back the decoding of what has come nor fill the memory.
_MAX_REQUEST_NBYTES = 8 << 20

Region = tuple[slice, ...]


@dataclass(slots=True)
class _Unit:
    """One unit that a read needs."""

    index: tuple[int, ...]
    """Its place in the grid of units."""
    region: Region | None
    """What is taken of it; None for all."""
    destination: np.ndarray[Any, Any] | None
    """Where that goes; None where decoding into the cache is all that is asked."""
    claim: Claim | None = None
    """The cache's claim, where there is a cache."""


@dataclass(frozen=True, slots=True)
class _Level:
    """A shard's way of holding what is one level further in."""

    pipeline: Pipeline
    shard: ShardingIndexedCodec
    grid_shape: tuple[int, ...]
    inner_shape: tuple[int, ...]


class ChunkReader:
    """Reads regions of one array.

    Args:
        store: where the chunks are.
        prefix: what chunk keys begin with.
        metadata: the array's.
        max_chunk_bytes: units that decode to more are refused.

    Raises:
        MetadataError: codecs that do not fit the chunks.
        UnsupportedError: a codec we do not know.
    """

    def __init__(
        self, store: ReadableStore, prefix: str, metadata: ArrayMetadata, max_chunk_bytes: int
    ) -> None:
        self._store = store
        self._prefix = prefix
        self._metadata = metadata
        spec = ArraySpec(metadata.chunk_grid.chunk_shape, metadata.data_type.dtype, metadata.fill_value)
        pipeline = Pipeline(metadata.codecs, spec)
        self._levels: list[_Level] = []
        while pipeline.shard is not None:
            shard = pipeline.shard
            self._levels.append(_Level(pipeline, shard, shard.grid_shape(pipeline.spec), shard.chunk_shape))
            pipeline = shard.inner_pipeline(pipeline.spec)
        self._pipeline = pipeline
        self._max_chunk_bytes = max_chunk_bytes
        self._gap_nbytes = _REMOTE_GAP_NBYTES if store.is_remote else _LOCAL_GAP_NBYTES
        # What tells cached units of this array from any other's, and from its own after a rewrite in place.
        described = {name: part for name, part in metadata.document().items() if name != "attributes"}
        self._scope = (store.identity, prefix, format_json(described))

    @property
    def unit_shape(self) -> tuple[int, ...]:
        """Elements per dimension of what is decoded as a whole."""
        return self._pipeline.spec.shape

    def read(
        self,
        ranges: Sequence[AxisRange],
        out: np.ndarray[Any, Any] | None,
        cache: ChunkCache | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        """Read the elements that ``ranges`` select into ``out`` (a dimension per range), or only into the cache.

        Raises:
            CodecError: a chunk does not decode.
            StoreError: the store did not answer as it should.
            ReadCancelledError: ``cancelled`` said so.
        """
        if any(axis.count == 0 for axis in ranges):
            return
        nbytes = self._pipeline.spec.nbytes
        if nbytes > self._max_chunk_bytes:
            raise UnsupportedError(
                "chunk shape",
                str(self.unit_shape),
                f"decodes to {nbytes:,} bytes, over {self._max_chunk_bytes:,}",
            )
        per_axis = [crossings(axis, length) for axis, length in zip(ranges, self.unit_shape, strict=True)]
        if cache is None:
            self._read_units(self._by_chunk(per_axis, out), math.prod(map(len, per_axis)), None, cancelled)
        else:
            units = self._units(per_axis, out)
            while some := list(islice(units, _UNITS_AT_ONCE)):
                self._read_cached(some, cache, cancelled)

    def is_cached(self, ranges: Sequence[AxisRange], cache: ChunkCache) -> bool:
        """Whether reading ``ranges`` would decode nothing."""
        per_axis = [crossings(axis, length) for axis, length in zip(ranges, self.unit_shape, strict=True)]
        return all(
            self._cache_key(tuple(index for index, _, _ in part)) in cache for part in product(*per_axis)
        )

    def _cache_key(self, index: tuple[int, ...]) -> Hashable:
        return (self._scope, index)

    # From the selection to units

    def _units(
        self, per_axis: Sequence[Sequence[tuple[int, slice, slice]]], out: np.ndarray[Any, Any] | None
    ) -> Iterator[_Unit]:
        shape = self.unit_shape
        for part in product(*per_axis):
            region = tuple(inside for _, inside, _ in part)
            whole = all(
                inside.stop - inside.start == length and inside.step in (None, 1)
                for inside, length in zip(region, shape, strict=True)
            )
            place: Any = (*(outside for _, _, outside in part), ...)
            destination = None if out is None else out[place]
            yield _Unit(tuple(index for index, _, _ in part), None if whole else region, destination)

    def _by_chunk(
        self, per_axis: Sequence[Sequence[tuple[int, slice, slice]]], out: np.ndarray[Any, Any] | None
    ) -> Iterator[list[_Unit]]:
        """The units in groups of one chunk each, without holding them all."""
        if not self._levels:
            for unit in self._units(per_axis, out):
                yield [unit]
            return
        chunk_shape = self._metadata.chunk_grid.chunk_shape
        per_chunk = []
        for axis, crossed in enumerate(per_axis):
            units_per_chunk = chunk_shape[axis] // self.unit_shape[axis]
            groups: dict[int, list[tuple[int, slice, slice]]] = {}
            for part in crossed:
                groups.setdefault(part[0] // units_per_chunk, []).append(part)
            per_chunk.append(list(groups.values()))
        for parts in product(*per_chunk):
            yield list(self._units(parts, out))

    def _read_units(
        self,
        groups: Iterable[list[_Unit]],
        count: int,
        cache: ChunkCache | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        tasks: Iterator[Task] = (
            partial(self._attempt, group, self._read_chunk, cache, group) for group in groups
        )
        batch = 1
        if not self._store.is_remote and not self._levels:
            batch = max(1, min(_BATCH_NBYTES // max(1, self._pipeline.spec.nbytes), count // (4 * CORES), 64))
        run_tasks(tasks, self._store, batch, cancelled)

    # Through the cache

    def _read_cached(
        self, units: list[_Unit], cache: ChunkCache, cancelled: Callable[[], bool] | None
    ) -> None:
        while units:
            claimed: list[_Unit] = []
            waiting: list[tuple[_Unit, Future[Chunk]]] = []
            try:
                for unit in units:
                    found = cache.claim(self._cache_key(unit.index))
                    if isinstance(found, Claim):
                        unit.claim = found
                        claimed.append(unit)
                    elif isinstance(found, Future):
                        waiting.append((unit, found))
                    else:
                        _copy(unit, found)
                if claimed:
                    self._read_units(self._group(claimed), len(claimed), cache, cancelled)
            finally:
                for unit in claimed:
                    if unit.claim is not None:
                        unit.claim.abandon()
            # Those whose decoder was cancelled are ours to decode in another round.
            units = [unit for unit, future in waiting if not _take_from(future, unit, cancelled)]

    def _group(self, units: list[_Unit]) -> Iterable[list[_Unit]]:
        if not self._levels:
            return ([unit] for unit in units)
        groups: dict[tuple[int, ...], list[_Unit]] = {}
        for unit in units:
            groups.setdefault(self._place(unit, self._metadata.chunk_grid.chunk_shape), []).append(unit)
        return groups.values()

    def _place(self, unit: _Unit, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The index of the box of ``shape`` in which a unit lies."""
        return tuple(
            index * length // box
            for index, length, box in zip(unit.index, self.unit_shape, shape, strict=True)
        )

    # From units to bytes

    def _attempt(
        self, units: list[_Unit], read: Callable[..., list[Task] | None], *arguments: Any
    ) -> list[Task] | None:
        """A task: where it fails, those who wait for its units are told."""
        try:
            return read(*arguments)
        except ZarrError as error:
            for unit in units:
                if unit.claim is not None:
                    unit.claim.fail(error)
            raise

    def _read_chunk(self, cache: ChunkCache | None, units: list[_Unit]) -> list[Task] | None:
        chunk_index = self._place(units[0], self._metadata.chunk_grid.chunk_shape)
        key = self._prefix + self._metadata.chunk_key_encoding.encode(chunk_index)
        if self._levels:
            return self._read_shard(cache, key, 0, None, units)
        self._finish(key, units[0], self._store.get(key))
        return None

    def _read_shard(
        self,
        cache: ChunkCache | None,
        key: str,
        depth: int,
        bounds: tuple[int, int] | None,
        units: list[_Unit],
    ) -> list[Task] | None:
        """Find the units' bytes in the shard that lies at ``bounds`` of ``key`` (None: all of it)."""
        level = self._levels[depth]
        index = self._index(cache, key, level, bounds)
        if index is None:
            for unit in units:
                self._finish(key, unit, None)
            return None
        members: dict[int, list[_Unit]] = {}
        for unit in units:
            place = self._place(unit, level.inner_shape)
            within = [i % n for i, n in zip(place, level.grid_shape, strict=True)]
            position = int(np.ravel_multi_index(within, level.grid_shape)) if within else 0
            members.setdefault(position, []).append(unit)
        present: list[tuple[int, int, list[_Unit]]] = []
        for position, inside in members.items():
            place_nbytes = self._member(key, level, index, position, bounds)
            if place_nbytes is None:
                for unit in inside:
                    self._finish(key, unit, None)
            else:
                present.append((*place_nbytes, inside))
        if depth + 1 < len(self._levels):
            return [
                partial(self._read_shard, cache, key, depth + 1, (a, b), inside) for a, b, inside in present
            ]
        return [partial(self._read_members, key, run) for run in self._runs(present)]

    def _index(
        self, cache: ChunkCache | None, key: str, level: _Level, bounds: tuple[int, int] | None
    ) -> Index | None:
        cache_key = (self._scope, key, bounds)
        if cache is not None and (kept := cache.get(cache_key)) is not None:
            return kept
        wanted = level.shard.index_range(level.pipeline.spec)
        if bounds is not None:
            start, stop = wanted.resolve(bounds[1] - bounds[0])
            wanted = ByteRange(bounds[0] + start, bounds[0] + stop)
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

    def _member(
        self, key: str, level: _Level, index: Index, position: int, bounds: tuple[int, int] | None
    ) -> tuple[int, int] | None:
        try:
            place = level.shard.member(index, position)
        except CodecError as error:
            raise error.at(key) from error
        if place is None:
            return None
        largest = level.shard.inner_pipeline(level.pipeline.spec).max_encoded_nbytes
        if place[1] - place[0] > largest:
            raise CodecError(
                f"inner chunk {position} has {place[1] - place[0]:,} bytes where at most {largest:,} make sense",
                codec=level.shard.name,
                key=key,
            )
        if bounds is None:
            return place
        if place[1] > bounds[1] - bounds[0]:
            raise CodecError(
                f"inner chunk {position} ends outside its shard", codec=level.shard.name, key=key
            )
        return bounds[0] + place[0], bounds[0] + place[1]

    def _runs(
        self, members: list[tuple[int, int, list[_Unit]]]
    ) -> Iterator[list[tuple[int, int, list[_Unit]]]]:
        """Members that one request fetches together."""
        run: list[tuple[int, int, list[_Unit]]] = []
        for member in sorted(members, key=lambda member: member[0]):
            if run and (
                member[0] - run[-1][1] > self._gap_nbytes or member[1] - run[0][0] > _MAX_REQUEST_NBYTES
            ):
                yield run
                run = []
            run.append(member)
        if run:
            yield run

    def _read_members(self, key: str, run: list[tuple[int, int, list[_Unit]]]) -> None:
        start, stop = run[0][0], max(member[1] for member in run)
        encoded = self._store.get(key, ByteRange(start, stop))
        if encoded is None or len(encoded) < stop - start:
            found = 0 if encoded is None else len(encoded)
            raise CodecError(
                f"the index points at bytes {start:,} to {stop:,}, of which {found:,} are there",
                codec="sharding_indexed",
                key=key,
            )
        view = memoryview(encoded)
        for first, last, units in run:
            for unit in units:
                self._finish(key, unit, view[first - start : last - start])

    # From bytes to elements

    def _finish(self, key: str, unit: _Unit, encoded: BytesLike | None) -> None:
        """Decode a unit to where it is wanted; no bytes mean that every element is the fill value."""
        permit = decoding_permit() if self._store.is_remote else nullcontext()
        try:
            with permit:
                if unit.claim is not None:
                    chunk = self._decode(encoded)
                    _copy(unit, chunk)
                    unit.claim.fulfil(chunk)
                elif unit.destination is not None and encoded is None:
                    unit.destination[...] = self._metadata.fill_value
                elif unit.destination is not None and encoded is not None:
                    self._pipeline.decode_into(encoded, unit.destination, unit.region)
        except CodecError as error:
            raise error.at(key) from error

    def _decode(self, encoded: BytesLike | None) -> Chunk:
        if encoded is None:
            return np.broadcast_to(self._metadata.fill_value, self.unit_shape)
        return self._pipeline.decode(encoded)


def _copy(unit: _Unit, chunk: Chunk) -> None:
    if unit.destination is not None:
        np.copyto(unit.destination, chunk if unit.region is None else chunk[unit.region])


def _take_from(future: Future[Chunk], unit: _Unit, cancelled: Callable[[], bool] | None) -> bool:
    """Wait for a chunk that somebody else decodes; False where he gave up.

    Raises:
        ZarrError: it cannot be had.
        ReadCancelledError: ``cancelled`` said so.
    """
    while cancelled is not None and not wait((future,), _POLL_S).done:
        if cancelled():
            raise ReadCancelledError("the read was cancelled")
    try:
        _copy(unit, future.result())
    except AbandonedError:
        return False
    return True
