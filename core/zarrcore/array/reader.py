"""The path of every read: from a selection to chunks to bytes and back."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from itertools import islice, product, repeat
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from zarrcore.array.chunks.cache import Chunk, ChunkCache, Claim
from zarrcore.array.chunks.decode_units import Crossings, DecodeUnit, attempt, unit_of_points, unit_of_ranges
from zarrcore.array.chunks.keys import ChunkKeys
from zarrcore.array.chunks.spill import slab_nbytes
from zarrcore.array.encoding import Encoding, elements_version
from zarrcore.array.pools import Task, batch_size, decoding_permit, run_tasks
from zarrcore.array.selection.axes import Crossing
from zarrcore.array.selection.points import Points, SortedPoints
from zarrcore.array.shards.reader import ShardReader
from zarrcore.array.shards.runs import Member
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.codecs.scratch import MAX_SCRATCH_NBYTES, scratch_buffer
from zarrcore.errors import BodyTooLargeError, ChunkNotFoundError, CodecError, PlacedError, UnsupportedError
from zarrcore.metadata import ArrayMetadata
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore
from zarrcore.typing import AnyArray

if TYPE_CHECKING:
    from zarrcore.array.native.memory_reads import MemoryReads
    from zarrcore.array.native.reads import NativeReads

Missing = Literal["fill", "error"]
"""How missing chunks read: as fill values, or not at all."""

Verify = Literal["needed", "always"]
"""How much of a chunk is decoded: what is needed of it, where that is faster, or always all of it."""

DEFAULT_MAX_CHUNK_BYTES = 2 << 30
"""A unit that decodes to more is refused, so that a wrong document cannot allocate 100 GB of memory."""

_UNITS_AT_ONCE = 1 << 16
_NO_PERMIT = nullcontext()


class ChunkReader:
    """Reads regions of one array.

    Args:
        store: where the chunks are.
        keys: the keys of the array's chunks.
        metadata: the array's metadata.
        max_chunk_bytes: units that decode to more are refused.
        missing: "fill" reads missing units as fill values; "error" raises ChunkNotFoundError.
        verify: "always" decodes units as a whole, so that damage anywhere in them is found.
        confirmed: as for `Array`.

    Attributes:
        metadata: the array's metadata.
        grid: the array's units.

    Raises:
        MetadataError: the codecs do not fit the chunks.
        UnsupportedError: an unknown codec.
    """

    def __init__(
        self,
        store: ReadableStore,
        keys: ChunkKeys,
        metadata: ArrayMetadata,
        max_chunk_bytes: int,
        missing: Missing = "fill",
        verify: Verify = "needed",
        confirmed: Callable[[], None] | None = None,
    ) -> None:
        self._store = store
        self._keys = keys
        self.metadata = metadata
        self._max_chunk_bytes = max_chunk_bytes
        self._missing = missing
        self._confirmed = confirmed
        self._confirming = threading.Lock()
        self._decodes_whole = verify == "always"
        pipeline, grid = Encoding(metadata).pipeline(), metadata.chunk_grid
        self._shards = ShardReader(
            store, self._fetch, pipeline, grid, lambda: self._scope, self._finish, self._finish_run
        )
        self.grid = self._shards.grid
        self._pipeline = self._shards.unit_pipeline
        self._pipelines = {self._pipeline.spec.shape: self._pipeline}
        self._is_local = store.fills_buffers and not store.is_remote

    @cached_property
    def _native(self) -> NativeReads | None:
        """What the engine reads; None if it reads nothing of this array."""
        from zarrcore.array.native.choice import native_reads  # late: listing needs no engine

        if not self.grid.is_regular:
            return None
        fills = self._missing == "fill" and self._confirmed is None
        return native_reads(self._store, self._keys, self._pipeline, self._decodes_whole, fills)

    @cached_property
    def _native_memory(self) -> MemoryReads | None:
        """What the engine decodes of bytes in memory; None if it decodes nothing of this array."""
        from zarrcore.array.native.memory_reads import memory_reads  # late, as above

        return memory_reads(self._keys, self._pipeline, self._decodes_whole)

    @cached_property
    def _scope(self) -> Hashable:
        """The key that separates this array's cached units from others, and from its own after a rewrite in place."""
        # A cache that another hierarchy shares may have fill values for missing units.
        return self._store.identity, self._keys.prefix, elements_version(self.metadata), self._missing

    @property
    def unit_shape(self) -> tuple[int, ...]:
        """Elements per dimension of a unit of decoding."""
        return self.grid.unit_shape

    def read(
        self,
        crossed: Crossings,
        out: AnyArray | None,
        cache: ChunkCache | None,
        cancelled: Callable[[], bool] | None = None,
        keep: bool = True,
    ) -> None:
        """Read the crossed units into ``out`` (a dimension per range), or only into the cache.

        Without ``keep``, units that the cache does not have and is not waiting for are decoded directly into ``out``.

        Raises:
            CodecError: a chunk does not decode.
            ChunkNotFoundError: a chunk is missing, and that is an error.
            StoreError: the store failed.
            ReadCancelledError: ``cancelled`` returned True.
        """
        if not all(crossed):
            return
        self._check_size(self._pipeline.spec)
        if cache is None:
            self._read_in_place(crossed, out, None, cancelled)
        elif not keep and not any(map(cache.awaits, self.cache_keys(crossed))):
            started_s = time.perf_counter()
            self._read_in_place(crossed, out, cache, cancelled)
            count = math.prod(map(len, crossed))
            cache.count_decoded(count, count * self._pipeline.spec.nbytes, time.perf_counter() - started_s)
        else:
            self._read_all(self.grid.units(crossed, out), cache, cancelled)

    def read_points(
        self,
        points: Points,
        out: AnyArray,
        cache: ChunkCache | None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Read points into ``out``, which is C-contiguous.

        Raises:
            As `read`.
        """
        if points.count == 0:
            return
        self._check_size(self._pipeline.spec)
        gathered = np.empty(points.count, self.metadata.data_type.dtype)
        groups = self.grid.by_unit(points, self.metadata.shape)
        tasks = None
        if cache is None and not self._shards and self._native is not None:
            tasks = self._native.points(groups, gathered, partial(self._read_points_again, groups, gathered))
        if tasks is None:
            self._read_all((unit_of_points(group, gathered) for group in groups), cache, cancelled)
        else:
            run_tasks(tasks, self._store, 1, cancelled)
        out.reshape(-1)[groups.order] = gathered

    def cache_keys(self, crossed: Crossings) -> Iterator[Hashable]:
        """The cache keys of the crossed units, in C order."""
        return zip(repeat(self._scope), product(*([part[0] for part in parts] for parts in crossed)))

    def _read_in_place(
        self,
        crossed: Crossings,
        out: AnyArray | None,
        cache: ChunkCache | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        tasks, batch = self._tasks(crossed, out, cache)
        run_tasks(tasks, self._store, batch, cancelled)

    def forget(self, cache: ChunkCache, index: tuple[int, ...]) -> None:
        """Drop the units of the chunk at a grid index from a cache."""
        cache.forget(self._cache_key(unit) for unit in self.grid.units_of(index))

    def _cache_key(self, index: tuple[int, ...]) -> Hashable:
        return (self._scope, index)

    def _check_size(self, spec: ArraySpec) -> None:
        if spec.nbytes > self._max_chunk_bytes:
            raise UnsupportedError(
                "chunk shape",
                str(spec.shape),
                f"decodes to {spec.nbytes:,} bytes, over the limit of {self._max_chunk_bytes:,}",
            ).at(self._keys.prefix.rstrip("/"), self._store.url)

    def _tasks(
        self, crossed: Crossings, out: AnyArray | None, cache: ChunkCache | None
    ) -> tuple[Iterator[Task], int]:
        """The tasks that read the crossed units in place, and how many of them a thread should take at a time.

        The cache keeps only the indices of shards.
        """
        native = self._native if out is not None else None
        if self._shards:
            chunks = self.grid.by_chunk(crossed)
            return (partial(self._read_shard, parts, out, cache, native) for parts in chunks), 1
        if native is not None and out is not None:
            again = partial(self._read_by_python, out, None)
            if (tasks := native.chunks(crossed, out, again)) is not None:
                return tasks, 1
        size = self._batch(math.prod(map(len, crossed)))
        return (partial(self._read_chunk, None, [unit]) for unit in self.grid.units(crossed, out)), size

    def _batch(self, count: int) -> int:
        """How many of ``count`` chunks a thread should read at a time."""
        if self._store.is_remote or self._shards:
            return 1
        return batch_size(self._pipeline.spec.nbytes, count)

    def _read_all(
        self, units: Iterator[DecodeUnit], cache: ChunkCache | None, cancelled: Callable[[], bool] | None
    ) -> None:
        while some := list(islice(units, _UNITS_AT_ONCE)):
            if cache is None:
                self._read_units(some, None, cancelled)
            else:
                self._read_cached(some, cache, cancelled)

    def _read_units(
        self, units: list[DecodeUnit], cache: ChunkCache | None, cancelled: Callable[[], bool] | None
    ) -> None:
        tasks: Iterator[Task] = (
            partial(attempt, group, self._read_chunk, cache, group)
            for group in self.grid.group_by_chunk(units)
        )
        run_tasks(tasks, self._store, self._batch(len(units)), cancelled)

    def _read_cached(
        self, units: list[DecodeUnit], cache: ChunkCache, cancelled: Callable[[], bool] | None
    ) -> None:
        slab = slab_nbytes(self.metadata.shape, self.unit_shape, self.metadata.data_type.dtype.itemsize)
        while units:
            claimed: list[DecodeUnit] = []
            waiting: list[tuple[DecodeUnit, Future[Chunk]]] = []
            try:
                for unit in units:
                    found = cache.claim(self._cache_key(unit.index), slab)
                    if isinstance(found, Claim):
                        unit.claim = found
                        claimed.append(unit)
                    elif isinstance(found, Future):
                        waiting.append((unit, found))
                    else:
                        unit.take(found)
                if claimed:
                    self._read_units(claimed, cache, cancelled)
            finally:
                for unit in claimed:
                    if unit.claim is not None:
                        unit.claim.abandon()
            # Units whose decoder was cancelled are decoded here in another round.
            units = [unit for unit, future in waiting if not unit.take_from(future, cancelled)]

    def chunks_surely_decode(self, indices: Sequence[tuple[int, ...]]) -> bool:
        """Whether the engine decodes the whole chunks at some grid indices. False if it cannot, for whatever reason."""
        spec = self._pipeline.spec
        if self._native is None or self._shards or spec.nbytes > self._max_chunk_bytes:
            return False
        return self._native.decode(indices)

    def _read_shard(
        self, parts: Crossings, out: AnyArray | None, cache: ChunkCache | None, native: NativeReads | None
    ) -> Iterable[Task] | None:
        if out is None:
            return self._read_chunk(cache, [*self.grid.units(parts, out)])
        chunk = self.grid.chunk_of(tuple(crossings[0][0] for crossings in parts))
        key = self._keys.key(chunk)
        if native is not None:
            located = self._shards.located(
                cache, key, chunk, [[part[0] for part in crossings] for crossings in parts]
            )
            if located is not None:
                again = partial(self._read_by_python, out, cache)
                if (tasks := native.inner_chunks(key, *located, parts, out, again)) is not None:
                    return tasks
        if self._missing == "fill" and not self._store.is_remote and self._store.stat(key) is None:
            self.confirm()
            place: Any = [slice(crossings[0][2].start, crossings[-1][2].stop) for crossings in parts]
            out[(*place, ...)] = self.metadata.fill_value
            return None
        return self._read_chunk(cache, [*self.grid.units(parts, out)])

    def _read_by_python(
        self, out: AnyArray, cache: ChunkCache | None, several: Iterable[Sequence[Crossing]]
    ) -> list[Task] | None:
        """Read units that ranges cross; if they are inner chunks, all are of one shard."""
        units = [unit_of_ranges(parts, out) for parts in several]
        if self._shards:
            return self._read_chunk(cache, units)
        for unit in units:
            self._read_chunk(None, [unit])
        return None

    def _read_points_again(self, groups: SortedPoints, gathered: AnyArray, numbers: list[int]) -> None:
        for number in numbers:
            self._read_chunk(None, [unit_of_points(groups.of_chunk(number), gathered)])

    def _read_chunk(self, cache: ChunkCache | None, units: list[DecodeUnit]) -> list[Task] | None:
        chunk = self.grid.chunk_of(units[0].index)
        if self._shards:
            return self._shards.read(cache, self._keys.key(chunk), chunk, units)
        unit, pipeline = units[0], self._pipeline_of(units[0])
        byte_range = None
        if unit.claim is None and unit.region is not None and (span := pipeline.span(unit.region)):
            byte_range = ByteRange(*span)
        key = self._keys.likely(chunk)
        if self._read_directly(key, unit, pipeline, byte_range):
            return None
        encoded = self._fetch(key, byte_range, pipeline)
        if encoded is None and (other := self._keys.where_else(chunk, key)) is not None:
            key, encoded = other, self._fetch(other, byte_range, pipeline)
        self._finish(key, unit, encoded, byte_range is not None)
        return None

    def _read_directly(
        self, key: str, unit: DecodeUnit, pipeline: Pipeline, byte_range: ByteRange | None
    ) -> bool:
        """Read elements that are stored as in memory to their place, without another copy. False if that is impossible."""
        if not self._is_local or unit.claim is not None or unit.destination is None:
            return False
        span = None if byte_range is None or byte_range.stop is None else (byte_range.start, byte_range.stop)
        target = pipeline.stored_form(unit.destination, unit.region, span)
        if target is None:
            return False
        try:
            nbytes = self._store.get_into(key, target, byte_range)
        except BodyTooLargeError as error:
            raise _oversized(error) from error
        if nbytes is None:
            return False
        try:
            pipeline.complete(unit.destination, nbytes)
        except PlacedError as error:
            raise error.at(key, self._store.url) from error
        return True

    def _fetch(
        self, key: str, byte_range: ByteRange | None = None, pipeline: Pipeline | None = None
    ) -> BytesLike | None:
        """The bytes of a key, or a range of them. This thread's next call may overwrite the buffer."""
        if byte_range is not None:
            limit = (byte_range.stop or 0) - byte_range.start
        else:
            limit = (pipeline or self._pipeline).max_encoded_nbytes
        try:
            if not self._is_local or limit > MAX_SCRATCH_NBYTES:
                return self._store.get(key, byte_range, max_nbytes=limit)
            buffer = scratch_buffer("encoded", limit)
            nbytes = self._store.get_into(key, buffer, byte_range)
        except BodyTooLargeError as error:
            raise _oversized(error) from error
        return None if nbytes is None else buffer[:nbytes]

    def _pipeline_of(self, unit: DecodeUnit) -> Pipeline:
        if self.grid.is_regular:
            return self._pipeline
        shape = self.grid.unit_shape_at(unit.index)
        pipeline = self._pipelines.get(shape)
        if pipeline is None:
            pipeline = self._pipelines[shape] = self._pipeline.for_shape(shape)
        return pipeline

    def _finish(self, key: str, unit: DecodeUnit, encoded: BytesLike | None, is_span: bool = False) -> None:
        """Decode a unit, or the wanted span of it, to its place. No bytes mean fill values, or are an error."""
        if encoded is None and self._missing == "error":
            what = f"inner chunk {unit.index}" if self._shards else "the chunk"
            raise ChunkNotFoundError(key, self._store.url, what)
        if encoded is None:
            self.confirm()
        try:
            with self._permit():
                self._decode(unit, encoded, is_span)
        except PlacedError as error:
            raise error.at(key, self._store.url) from error

    def confirm(self) -> None:
        """Ask the store once whether the array exists, since missing chunks of a deleted array must not read as fill values.

        Raises:
            BrokenReferenceError: it is not.
            StoreError: the store failed.
        """
        if self._confirmed is None:
            return
        with self._confirming:
            if self._confirmed is not None:
                self._confirmed()
                self._confirmed = None

    def _finish_run(self, key: str, encoded: memoryview, start: int, run: list[Member]) -> None:
        """Decode inner chunks from the bytes of a shard that begin at ``start``; by Python those that the engine does not."""
        rest = run
        if len(run) > 1 and (native := self._native_memory) is not None:
            rest = native.decode(encoded, start, run, self._permit)
        for member in rest:
            part = encoded[member.start - start : member.stop - start]
            self._finish(key, member.units[0], part, member.is_span)

    def _permit(self) -> AbstractContextManager[Any]:
        """What a thread of this store holds while it decodes."""
        return decoding_permit() if self._store.is_remote else _NO_PERMIT

    def _decode(self, unit: DecodeUnit, encoded: BytesLike | None, is_span: bool) -> None:
        if unit.claim is not None:
            pipeline = self._pipeline_of(unit)
            if encoded is None:
                chunk: Chunk = np.broadcast_to(self.metadata.fill_value, pipeline.spec.shape)
                decode_s = None
            else:
                started_s = time.perf_counter()
                chunk = pipeline.decode(encoded)
                decode_s = time.perf_counter() - started_s
            unit.take(chunk)
            unit.claim.fulfil(chunk, decode_s)
        elif unit.destination is not None and encoded is None:
            unit.destination[...] = self.metadata.fill_value
        elif unit.destination is not None and encoded is not None and self._decodes_whole and not is_span:
            unit.take(self._pipeline_of(unit).decode(encoded))
        elif unit.destination is not None and encoded is not None:
            self._pipeline_of(unit).decode_into(encoded, unit.destination, unit.region, is_span)


def _oversized(error: BodyTooLargeError) -> CodecError:
    found = CodecError(f"{error.size:,} bytes are stored, but at most {error.limit:,} make sense")
    return found.at(error.key or "", error.url or "")
