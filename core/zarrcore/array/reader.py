"""From a selection to chunks to bytes and back: the path of every read."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import nullcontext
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from zarrcore.array.chunk_cache import AbandonedError, Chunk, ChunkCache, Claim
from zarrcore.array.pools import CORES, Task, decoding_permit, run_tasks
from zarrcore.array.selection import AxisRange
from zarrcore.array.shards import ShardReader
from zarrcore.array.units import Unit, attempt
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import CodecError, ReadCancelledError, UnsupportedError
from zarrcore.metadata import ArrayMetadata
from zarrcore.metadata.json_document import format_json
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore

DEFAULT_MAX_CHUNK_BYTES = 2 << 30
"""A unit that decodes to more is refused: nobody wants 100 GB of memory taken by one stray document."""

_BATCH_NBYTES = 256 << 10
_UNITS_AT_ONCE = 1 << 16
_POLL_S = 0.05


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
        self._max_chunk_bytes = max_chunk_bytes
        # What tells cached units of this array from any other's, and from its own after a rewrite in place.
        described = {name: part for name, part in metadata.document().items() if name != "attributes"}
        self._scope = (store.identity, prefix, format_json(described))
        spec = ArraySpec(metadata.chunk_grid.chunk_shape, metadata.data_type.dtype, metadata.fill_value)
        self._shards = ShardReader(store, Pipeline(metadata.codecs, spec), self._scope, self._finish)
        self._grid = self._shards.grid
        self._pipeline = self._shards.unit_pipeline

    @property
    def unit_shape(self) -> tuple[int, ...]:
        """Elements per dimension of what is decoded as a whole."""
        return self._grid.unit_shape

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
        crossed = self._grid.crossings(ranges)
        if cache is None:
            groups = self._grid.units_by_chunk(crossed, out)
            self._read_units(groups, math.prod(map(len, crossed)), None, cancelled)
        else:
            units = self._grid.units(crossed, out)
            while some := list(islice(units, _UNITS_AT_ONCE)):
                self._read_cached(some, cache, cancelled)

    def is_cached(self, ranges: Sequence[AxisRange], cache: ChunkCache) -> bool:
        """Whether reading ``ranges`` would decode nothing."""
        units = self._grid.units(self._grid.crossings(ranges), None)
        return all(self._cache_key(unit.index) in cache for unit in units)

    def forget(self, cache: ChunkCache, index: tuple[int, ...]) -> None:
        """Have a cache forget what was decoded of the chunk at a grid index."""
        cache.forget(self._cache_key(unit) for unit in self._grid.units_of(index))

    def _cache_key(self, index: tuple[int, ...]) -> Hashable:
        return (self._scope, index)

    def _read_units(
        self,
        groups: Iterable[list[Unit]],
        count: int,
        cache: ChunkCache | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        tasks: Iterator[Task] = (partial(attempt, group, self._read_chunk, cache, group) for group in groups)
        batch = 1
        if not self._store.is_remote and not self._shards:
            batch = max(1, min(_BATCH_NBYTES // max(1, self._pipeline.spec.nbytes), count // (4 * CORES), 64))
        run_tasks(tasks, self._store, batch, cancelled)

    def _read_cached(
        self, units: list[Unit], cache: ChunkCache, cancelled: Callable[[], bool] | None
    ) -> None:
        while units:
            claimed: list[Unit] = []
            waiting: list[tuple[Unit, Future[Chunk]]] = []
            try:
                for unit in units:
                    found = cache.claim(self._cache_key(unit.index))
                    if isinstance(found, Claim):
                        unit.claim = found
                        claimed.append(unit)
                    elif isinstance(found, Future):
                        waiting.append((unit, found))
                    else:
                        unit.take(found)
                if claimed:
                    self._read_units(self._grid.group_by_chunk(claimed), len(claimed), cache, cancelled)
            finally:
                for unit in claimed:
                    if unit.claim is not None:
                        unit.claim.abandon()
            # Those whose decoder was cancelled are ours to decode in another round.
            units = [unit for unit, future in waiting if not _take_from(future, unit, cancelled)]

    def _read_chunk(self, cache: ChunkCache | None, units: list[Unit]) -> list[Task] | None:
        index = self._grid.box(units[0], self._grid.chunk_shape)
        key = self._prefix + self._metadata.chunk_key_encoding.encode(index)
        if self._shards:
            return self._shards.read(cache, key, units)
        unit = units[0]
        span = self._pipeline.span(unit.region) if unit.claim is None and unit.region is not None else None
        encoded = self._store.get(key, None if span is None else ByteRange(*span))
        self._finish(key, unit, encoded, is_span=span is not None)
        return None

    def _finish(self, key: str, unit: Unit, encoded: BytesLike | None, is_span: bool = False) -> None:
        """Decode a unit, or the span of what is wanted of it, to where it is wanted; no bytes mean fill values."""
        permit = decoding_permit() if self._store.is_remote else nullcontext()
        try:
            with permit:
                if unit.claim is not None:
                    chunk = self._decode(encoded)
                    unit.take(chunk)
                    unit.claim.fulfil(chunk)
                elif unit.destination is not None and encoded is None:
                    unit.destination[...] = self._metadata.fill_value
                elif unit.destination is not None and encoded is not None:
                    self._pipeline.decode_into(encoded, unit.destination, unit.region, is_span)
        except CodecError as error:
            raise error.at(key) from error

    def _decode(self, encoded: BytesLike | None) -> Chunk:
        if encoded is None:
            return np.broadcast_to(self._metadata.fill_value, self.unit_shape)
        return self._pipeline.decode(encoded)


def _take_from(future: Future[Chunk], unit: Unit, cancelled: Callable[[], bool] | None) -> bool:
    """Wait for a chunk that somebody else decodes; False where he gave up.

    Raises:
        ZarrError: it cannot be had.
        ReadCancelledError: ``cancelled`` said so.
    """
    while cancelled is not None and not wait((future,), _POLL_S).done:
        if cancelled():
            raise ReadCancelledError("the read was cancelled")
    try:
        unit.take(future.result())
    except AbandonedError:
        return False
    return True
