"""The path of every write: from elements to chunks to bytes.

The unit of writing is the chunk, or the whole shard if chunks are shards. If the written region covers only part of a chunk, the
rest is read first. Accepted specification, "Storing chunks": a chunk is stored by one atomic ``set``, so a reader sees either
the old or the new chunk, and writers of different chunks do not affect each other. Within a process, writers of one chunk
take turns; between processes, the last one wins.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property, partial
from itertools import chain, islice, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.array.chunks.cache import ChunkCache
from zarrcore.array.chunks.keys import ChunkKeys
from zarrcore.array.pools import Task, decoding_permit, in_order, run_tasks
from zarrcore.array.selection.axes import Axis, Crossing, crossings
from zarrcore.array.selection.points import Points, points_by_chunk
from zarrcore.codecs import ArraySpec, Pipeline, is_fill
from zarrcore.codecs.interface import Buffer
from zarrcore.codecs.region import Region, are_points, count_of, outer_region
from zarrcore.codecs.shard_update import Apply, updated_shard
from zarrcore.errors import PlacedError, UnsupportedError
from zarrcore.metadata import ArrayMetadata, ChunkAxis, RegularChunkGrid
from zarrcore.stores.interface import BytesLike, WritableStore
from zarrcore.threads import LOOK_S, after_fork
from zarrcore.typing import AnyArray

if TYPE_CHECKING:
    from zarrcore.array.native.writes import NativeWrites
    from zarrcore.native import Job

Part = tuple[Crossing, ...]
"""Per dimension, the written part of a chunk."""


class _Turns:
    """Lets writers of the same chunks take turns, whether they write one or many."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._busy: set[Hashable] = set()

    @contextmanager
    def of(self, chunks: Collection[Hashable]) -> Iterator[None]:
        """The turn of a writer of some chunks. It must not take another one meanwhile."""
        with self._changed:
            while not self._busy.isdisjoint(chunks):
                self._changed.wait(LOOK_S)
            self._busy.update(chunks)
        try:
            yield
        finally:
            with self._changed:
                self._busy.difference_update(chunks)
                self._changed.notify_all()


_turns = _Turns()


def _start_anew_after_fork() -> None:
    """Forget all turns in a forked child, where the threads that have them do not exist."""
    global _turns
    _turns = _Turns()


after_fork(_start_anew_after_fork)


class ChunkWriter:
    """Writes regions of one array.

    Args:
        store: where to store the chunks.
        get: reads the value of one of its keys, for chunks that are written in part.
        keys: the keys of the array's chunks.
        metadata: the array's metadata.
        max_chunk_bytes: chunks that decode to more are refused.
        forget: called with the cache and the index of every chunk that was, or may have been, written.

    Raises:
        MetadataError: the codecs do not fit the chunks.
        UnsupportedError: an unknown codec.
    """

    def __init__(
        self,
        store: WritableStore,
        get: Callable[..., BytesLike | None],
        keys: ChunkKeys,
        metadata: ArrayMetadata,
        max_chunk_bytes: int,
        forget: Callable[[ChunkCache, tuple[int, ...]], None],
    ) -> None:
        self._store = store
        self._get = get
        self._keys = keys
        self._metadata = metadata
        self._max_chunk_bytes = max_chunk_bytes
        self._forget = forget
        self._identity: Hashable = store.identity
        self._pipelines: dict[tuple[int, ...], Pipeline] = {}

    def write(
        self,
        axes: Sequence[Axis],
        values: AnyArray,
        cache: ChunkCache | None,
        *,
        write_empty_chunks: bool = False,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Write ``values`` (a dimension per axis, of the array's dtype) to the elements that ``axes`` select.

        Raises:
            CodecError: a chunk that is written in part does not decode.
            StoreError: the store failed; chunks written before stay written.
            ReadCancelledError: ``cancelled`` returned True; chunks written before stay written.
        """
        if any(axis.count == 0 for axis in axes):
            return
        parts = _parts(axes, self._metadata.chunk_grid.axes)
        options = (values, cache, write_empty_chunks)
        if self._native is not None and (found := self._by_engine(self._native, axes, *options)) is not None:
            by_engine, parts = found
            run_tasks(by_engine, self._store, 1, cancelled)
        first = list(islice(parts, 2))
        # Threads share the chunks, or the inner chunks of a single shard.
        apply = in_order if len(first) == 1 else map
        tasks = (
            partial(self._write_part, part, values, cache, write_empty_chunks, apply)
            for part in chain(first, parts)
        )
        run_tasks(tasks, self._store, 1, cancelled)

    def write_points(
        self,
        points: Points,
        values: AnyArray,
        cache: ChunkCache | None,
        *,
        write_empty_chunks: bool = False,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Write ``values`` (of the points' shape, of the array's dtype) to points. Of a point's values the last one stays.

        Raises:
            As `write`.
        """
        if points.count == 0:
            return
        axes = self._metadata.chunk_grid.axes
        groups = points_by_chunk(points, axes, self._metadata.shape, keeps_order=True)
        values = values.reshape(-1)[groups.order]
        tasks: Iterator[Task] = (
            partial(
                self._write_chunk,
                group.chunk,
                group.offsets,
                values[group.place],
                cache,
                write_empty_chunks,
                map,
            )
            for group in groups
        )
        run_tasks(tasks, self._store, 1, cancelled)

    def _write_part(
        self,
        part: Part,
        values: AnyArray,
        cache: ChunkCache | None,
        write_empty_chunks: bool,
        apply: Apply,
    ) -> None:
        index = tuple(chunk for chunk, *_ in part)
        region = outer_region([inside for _, inside, *_ in part])
        place: Any = (*(outside for _, _, outside, _ in part), ...)
        self._write_chunk(index, region, values[place], cache, write_empty_chunks, apply)

    def _write_chunk(
        self,
        index: tuple[int, ...],
        region: Region,
        source: AnyArray,
        cache: ChunkCache | None,
        write_empty_chunks: bool,
        apply: Apply,
    ) -> None:
        key = self._keys.key(index)
        with _turns.of([(self._identity, key)]):
            encoded = self._encoded(key, index, region, source, write_empty_chunks, apply)
            self._store_chunk(key, index, encoded, cache)

    def _store_chunk(
        self, key: str, index: tuple[int, ...], encoded: Buffer | None, cache: ChunkCache | None
    ) -> None:
        """Store a chunk's new bytes, or erase it. The caller holds its lock."""
        try:
            if encoded is None:
                self._store.erase(key)
            else:
                self._store.set(key, memoryview(encoded))
        finally:  # a store that failed may have stored it
            if cache is not None:
                self._forget(cache, index)

    @cached_property
    def _native(self) -> NativeWrites | None:
        """What the engine writes; None if it writes nothing of this array."""
        from zarrcore.array.native.files import native_array, native_files  # late: listing needs no engine
        from zarrcore.array.native.writes import NativeWrites

        grid = self._metadata.chunk_grid
        if not isinstance(grid, RegularChunkGrid):
            return None
        pipeline = self._pipeline(grid.chunk_shape)
        pipeline.check_known()
        self._keys.settle()
        array = native_array(self._keys, pipeline)
        files = None if array is None or not array.form.can_write else native_files(self._store, array)
        return None if files is None else NativeWrites(files)

    def _by_engine(
        self,
        native: NativeWrites,
        axes: Sequence[Axis],
        values: AnyArray,
        cache: ChunkCache | None,
        write_empty_chunks: bool,
    ) -> tuple[Iterator[Task], Iterator[Part]] | None:
        """Tasks that write the chunks that are written from end to end, and the written parts of the others.

        None if the engine cannot do it.
        """
        metadata = self._metadata
        crossed = [
            list(crossings(axis, chunks)) for axis, chunks in zip(axes, metadata.chunk_grid.axes, strict=True)
        ]
        shape = metadata.chunk_grid.chunk_shape
        whole = [
            [part for part in parts if _is_whole(part, length, extent)]
            for parts, length, extent in zip(crossed, shape, metadata.shape, strict=True)
        ]
        if not all(whole):
            return None
        job = native.job(whole, values, metadata.fill_value, write_empty_chunks)
        if job is None:
            return None
        tasks = (
            partial(self._write_by_engine, native, job, numbers, whole, values, cache, write_empty_chunks)
            for numbers in native.calls(job)
        )
        if whole == crossed:
            return tasks, iter(())
        inside = [set(map(itemgetter(0), parts)) for parts in whole]
        others = (
            part
            for part in product(*crossed)
            if not all(crossing[0] in indices for crossing, indices in zip(part, inside, strict=True))
        )
        return tasks, others

    def _write_by_engine(
        self,
        native: NativeWrites,
        job: Job,
        numbers: NDArray[np.uint32],
        whole: list[list[Crossing]],
        values: AnyArray,
        cache: ChunkCache | None,
        write_empty_chunks: bool,
    ) -> None:
        parts = native.units(whole, numbers)
        indices = [tuple(crossing[0] for crossing in part) for part in parts]
        keys = [*map(self._keys.key, indices)]
        with _turns.of([(self._identity, key) for key in keys]):
            try:
                done = native.write(job, numbers, keys)
                for position in done.empty:
                    self._store.erase(keys[position])
            finally:
                if cache is not None:
                    for index in indices:
                        self._forget(cache, index)
        for position in done.failed:
            self._write_part(parts[position], values, cache, write_empty_chunks, map)

    def _encoded(
        self,
        key: str,
        index: tuple[int, ...],
        region: Region,
        source: AnyArray,
        write_empty_chunks: bool,
        apply: Apply,
    ) -> Buffer | None:
        """The chunk's new bytes; None if it contains only the fill value."""
        try:
            pipeline = self._pipeline(self._metadata.chunk_grid.chunk_shape_at(index))
            whole = self._is_all_of_it(index, pipeline.spec.shape, region)
            stored = None if whole else self._get(key, max_nbytes=pipeline.max_encoded_nbytes)
            with decoding_permit() if self._store.is_remote else nullcontext():
                if pipeline.shard is not None and not write_empty_chunks:
                    return updated_shard(pipeline, stored, region, source, apply)
                chunk = self._chunk(pipeline, stored, region, source)
                if not write_empty_chunks and is_fill(chunk, pipeline.spec.fill_value):
                    return None
                return pipeline.encode(chunk, passing=True)
        except PlacedError as error:
            raise error.at(key, self._store.url) from error

    def _chunk(
        self, pipeline: Pipeline, stored: BytesLike | None, region: Region, source: AnyArray
    ) -> AnyArray:
        """The whole new chunk; elements outside the array are the fill value."""
        spec = pipeline.spec
        if source.shape == spec.shape and not are_points(region):  # points may be in any order
            return source
        if stored is not None:
            chunk = pipeline.decode(stored)
        else:
            chunk = np.empty(spec.shape, spec.dtype)
            chunk[...] = spec.fill_value
        place: Any = (*region, ...)
        chunk[place] = source
        return chunk

    def _is_all_of_it(self, index: tuple[int, ...], shape: tuple[int, ...], region: Region) -> bool:
        """Whether the region covers the whole part of the chunk that is inside the array."""
        if are_points(region):
            return False  # without counting them
        origin = self._metadata.chunk_grid.chunk_origin(index)
        return all(
            count_of(part, length) == min(length, whole - first)
            for part, length, whole, first in zip(region, shape, self._metadata.shape, origin, strict=True)
        )

    def _pipeline(self, shape: tuple[int, ...]) -> Pipeline:
        pipeline = self._pipelines.get(shape)
        if pipeline is None:
            metadata = self._metadata
            spec = ArraySpec(shape, metadata.data_type.dtype, metadata.fill_value)
            if spec.nbytes > self._max_chunk_bytes:
                why = f"has {spec.nbytes:,} bytes, over the limit of {self._max_chunk_bytes:,}"
                found = UnsupportedError("chunk shape", str(shape), why)
                raise found.at(self._keys.prefix.rstrip("/"), self._store.url)
            pipeline = self._pipelines[shape] = Pipeline(metadata.codecs, spec)
        return pipeline


def _is_whole(crossing: Crossing, length: int, extent: int) -> bool:
    """Whether a chunk is written from its beginning to its end, or to that of the array."""
    index, part, place, _ = crossing
    count = place.stop - place.start
    return isinstance(part, slice) and not part.start and count == min(length, extent - index * length)


def _parts(axes: Sequence[Axis], chunks: Sequence[ChunkAxis]) -> Iterator[Part]:
    """The written chunks and their written parts, in C order. Lazy, because there may be millions."""
    if not axes:
        yield ()
        return
    for crossing in crossings(axes[0], chunks[0]):
        for others in _parts(axes[1:], chunks[1:]):
            yield (crossing, *others)
