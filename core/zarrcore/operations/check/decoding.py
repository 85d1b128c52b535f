"""Checks of chunks: whether each one decodes to an array of the right shape and type.

A chunk is fetched and decoded as a whole, even if the array ends inside it, so that a wrong size or checksum is found.
For shards, the index and all inner chunks within the array are decoded, a part of the shard at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import product
from typing import Any

from zarrcore.array.pools import CORES, decoding_permit
from zarrcore.array.reader import DEFAULT_MAX_CHUNK_BYTES
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import CodecError, PlacedError, StoreError, UnsupportedError, ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.operations.check.finding import Finding
from zarrcore.operations.check.keys import StoredChunk
from zarrcore.operations.cluster import RunWork, Witness
from zarrcore.operations.parallel import in_parallel

_BATCH_NBYTES = 1 << 20
_BATCH_CHUNKS = 64
_BUDGET_NBYTES = 256 << 20
_BOX_NBYTES = 64 << 20
_HOPELESS = 32

Batch = list[tuple[StoredChunk, tuple[slice, ...] | None]]
"""Chunks to decode one after another, each as a whole, or a selected part of a shard."""


class ChunkDecoder:
    """Decodes chunks of one array to find those that do not decode.

    Args:
        array: the array.
        run_work: decodes them somewhere other than in this process's threads.
    """

    def __init__(self, array: ArrayNode, run_work: RunWork | None = None) -> None:
        self._array = array
        self._run_work = run_work
        self._sharded = array.inner_chunk_shape != array.chunk_shape
        self._itemsize = max(1, array.itemsize)
        self._failed_in_a_row = 0
        self._chunk_nbytes = math.prod(array.chunk_shape) * self._itemsize

    def decode(self, chunks: Iterable[StoredChunk]) -> Iterator[tuple[int, list[Finding]]]:
        """Decode all ``chunks``; yields the number of chunks and the findings of each batch."""
        for done, findings in self._results(self._batches(chunks)):
            failed = sum(finding.what == "unreadable" for finding in findings)
            self._failed_in_a_row = self._failed_in_a_row + failed if failed and failed >= done else 0
            yield done, findings

    def _results(self, batches: Iterator[Batch]) -> Iterator[tuple[int, list[Finding]]]:
        held = min(self._chunk_nbytes, _BOX_NBYTES) if self._sharded else 2 * self._chunk_nbytes
        store = self._array.store
        width = store.requests_in_flight if store.is_remote else CORES
        threads = max(1, min(width, _BUDGET_NBYTES // max(1, held)))
        batch_check = BatchCheck(self._array, threads if store.is_remote else 1)
        if self._run_work is not None:
            return self._run_work((batch_check, batch) for batch in batches)
        return in_parallel(batch_check, batches, threads)

    @property
    def is_hopeless(self) -> bool:
        """Whether the store has failed so often in a row that checking should stop."""
        return self._failed_in_a_row >= _HOPELESS

    def _batches(self, chunks: Iterable[StoredChunk]) -> Iterator[Batch]:
        if self._sharded:
            for chunk in chunks:
                for box in self._boxes(chunk):
                    yield [(chunk, box)]
            return
        length = max(1, min(_BATCH_CHUNKS, _BATCH_NBYTES // max(1, self._chunk_nbytes)))
        if self._array.store.is_remote:
            length = 1  # a thread waits for the chunks of its batch one after another
        batch: Batch = []
        for chunk in chunks:
            batch.append((chunk, None))
            if len(batch) == length:
                yield batch
                batch = []
        if batch:
            yield batch

    def _boxes(self, shard: StoredChunk) -> Iterator[tuple[slice, ...]]:
        """Selections of whole inner chunks that together cover the shard's part of the array and fit in memory."""
        array, grid = self._array, self._array.metadata.chunk_grid
        origin, shape = grid.chunk_origin(shard.index), grid.chunk_shape_at(shard.index)
        inner = array.inner_chunk_shape
        box = list(inner)
        for axis in reversed(range(len(box))):
            room = _BOX_NBYTES // (math.prod(box) * self._itemsize)
            box[axis] *= max(1, min(room, shape[axis] // inner[axis]))
        stops = [
            min(first + length, end) for first, length, end in zip(origin, shape, array.shape, strict=True)
        ]
        starts = (range(first, stop, step) for first, stop, step in zip(origin, stops, box, strict=True))
        for corner in product(*starts):
            yield tuple(
                slice(start, min(start + length, stop))
                for start, length, stop in zip(corner, box, stops, strict=True)
            )


class BatchCheck:
    """Decodes the chunks of a batch. It can be pickled, so that any process can do it.

    Args:
        array: the array.
        at_once: how many batches a thread of another process checks at once.
    """

    def __init__(self, array: ArrayNode, at_once: int = 1) -> None:
        self.at_once = at_once
        self._array = array
        self._pipelines: dict[tuple[int, ...], Pipeline] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._array, self.at_once)

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The array's documents: a process that does not see them does not see its chunks either."""
        hierarchy, array = self._array.hierarchy, self._array
        keys = hierarchy.format.document_keys(hierarchy.within(array.path))
        return tuple(Witness(hierarchy.store, key) for key in keys)

    def __call__(self, batch: Batch) -> tuple[int, list[Finding]]:
        """The number of chunks, and what is wrong with them."""
        findings: list[Finding] = []
        if not self._decode_at_once(batch):
            findings = [found for chunk, box in batch if (found := self._decode_one(chunk, box)) is not None]
        # The first box of a shard counts for the whole shard.
        done = sum(box is None or self._is_first(chunk, box) for chunk, box in batch)
        return done, findings

    def _is_first(self, chunk: StoredChunk, box: tuple[slice, ...]) -> bool:
        origin = self._array.metadata.chunk_grid.chunk_origin(chunk.index)
        return all(part.start == first for part, first in zip(box, origin, strict=True))

    def _decode_at_once(self, batch: Batch) -> bool:
        """Decode many chunks in a few calls of the engine. False if that is impossible, or if one of them is broken."""
        chunks = [chunk for chunk, box in batch if box is None]
        if len(chunks) < max(2, len(batch)):
            return False
        return self._array.chunks_surely_decode([chunk.index for chunk in chunks])

    def _decode_one(self, chunk: StoredChunk, box: tuple[slice, ...] | None) -> Finding | None:
        finding = partial(Finding, "error", path=self._array.path, key=chunk.key, index=chunk.index)
        try:
            if box is not None:
                self._array.read(box or ...)
            else:
                self._decode_whole(chunk)
        except UnsupportedError as error:
            return finding("unsupported", sentence=str(error.at("")))
        except PlacedError as error:
            return finding("broken-chunk", sentence=str(error.at("")))
        except StoreError as error:
            return finding("unreadable", sentence=str(error))
        except ZarrError as error:
            return finding("broken-chunk", sentence=str(error))
        return None

    def _decode_whole(self, chunk: StoredChunk) -> None:
        pipeline, store = self._pipeline(chunk.index), self._array.store
        if pipeline.spec.nbytes > DEFAULT_MAX_CHUNK_BYTES:
            self._array.read_chunk(chunk.index)  # which applies the limits that the hierarchy was opened with
            return
        if chunk.size is not None and chunk.size > pipeline.max_encoded_nbytes:
            raise CodecError(
                f"the value has {chunk.size:,} bytes; at most {pipeline.max_encoded_nbytes:,} are valid"
            )
        encoded = store.get(chunk.key, max_nbytes=pipeline.max_encoded_nbytes)
        if encoded is not None:  # otherwise it was erased after it was listed
            with decoding_permit() if store.is_remote else nullcontext():
                pipeline.decode(encoded)

    def _pipeline(self, index: tuple[int, ...]) -> Pipeline:
        metadata = self._array.metadata
        shape = metadata.chunk_grid.chunk_shape_at(index)
        pipeline = self._pipelines.get(shape)
        if pipeline is None:
            spec = ArraySpec(shape, metadata.data_type.dtype, metadata.fill_value)
            pipeline = self._pipelines[shape] = Pipeline(metadata.codecs, spec)
        return pipeline
