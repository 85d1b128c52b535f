"""Inner chunks that the engine decodes from bytes in memory, which one request fetched."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from zarrcore.array.chunks.keys import ChunkKeys
from zarrcore.array.native.files import NativeArray, Row, native_array
from zarrcore.array.native.reads import are_ranges, row_of
from zarrcore.array.shards.runs import Member
from zarrcore.codecs import Pipeline
from zarrcore.native import Job
from zarrcore.typing import AnyArray

_LEAST = 4
"""Python is faster for fewer chunks at once."""
_CLAIMED_NBYTES = 32 << 10
"""For larger chunks, most of the time is that for the cache's new memory, so that the engine gains nothing."""


class MemoryReads:
    """The inner chunks of an array that the engine can decode."""

    def __init__(self, array: NativeArray) -> None:
        self._array = array

    def decode(
        self,
        encoded: memoryview,
        start: int,
        run: list[Member],
        permit: Callable[[], AbstractContextManager[Any]],
    ) -> list[Member]:
        """Decode inner chunks of one read, to their places or for the claims of a cache. Return those that are left to Python.

        Args:
            encoded: their bytes.
            start: where in the shard these begin.
            run: the inner chunks, of one unit each.
            permit: makes what is held while members are decoded.
        """
        claimed: list[Member] = []
        placed: list[Member] = []
        rest: list[Member] = []
        for_claims = claimed if self._array.pipeline.spec.nbytes <= _CLAIMED_NBYTES else rest
        for member in run:
            unit = member.units[0]
            is_placed = unit.place is not None and not member.is_span and are_ranges(unit.region or ())
            (for_claims if unit.claim is not None else placed if is_placed else rest).append(member)
        most = self._array.most_a_call
        for members, decode in (placed, self._to_places), (claimed, self._for_claims):
            for first in range(0, len(members), most):
                some = members[first : first + most]
                if len(some) >= _LEAST:
                    with permit():
                        some = decode(encoded, start, some)
                rest += some
        return rest

    def _to_places(self, encoded: memoryview, start: int, members: list[Member]) -> list[Member]:
        rows: list[list[Row]] = [[] for _ in self._array.form.strides]
        out: Any = None  # it is the same for all units of a read
        for unit in (member.units[0] for member in members):
            out, place = unit.place or (out, ())
            region: Any = unit.region or [slice(0, length) for length in self._array.pipeline.spec.shape]
            for line, index, part, at in zip(rows, unit.index, region, place, strict=True):
                line.append(row_of(index, part, at.start, at.stop - at.start))
        failed = self._run(self._array.job(rows, out, is_listed=True), encoded, start, members)
        return [members[number] for number in failed]

    def _for_claims(self, encoded: memoryview, start: int, members: list[Member]) -> list[Member]:
        spec, started_s = self._array.pipeline.spec, time.perf_counter()
        chunks: list[AnyArray] = [np.empty(spec.shape, spec.dtype) for _ in members]
        failed = self._run(self._array.whole_job(chunks), encoded, start, members)
        decode_s = (time.perf_counter() - started_s) / len(members)
        for number in sorted({*range(len(members))}.difference(failed)):
            unit = members[number].units[0]
            unit.take(chunks[number])
            if unit.claim is not None:
                unit.claim.fulfil(chunks[number], decode_s)
        return [members[number] for number in failed]

    @staticmethod
    def _run(job: Job, encoded: memoryview, start: int, members: list[Member]) -> list[int]:
        """Read members by a job for them. Return the numbers of those that were not read."""
        parts = np.array(
            [(member.start - start, member.stop - member.start) for member in members], np.uint64
        )
        is_accepted = job.read_memory(encoded, parts)
        return job.run(0, job.count) if is_accepted else [*range(len(members))]


def memory_reads(keys: ChunkKeys, pipeline: Pipeline, decodes_whole: bool) -> MemoryReads | None:
    """The inner chunks that the engine can decode; None if it can decode none of them, or if there is nothing to decode."""
    array = native_array(keys, pipeline, decodes_whole)
    return MemoryReads(array) if array is not None and array.form.codecs else None
