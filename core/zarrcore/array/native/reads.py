"""Reads that the engine executes.

Whatever the engine does not read, for whatever reason, is read again by Python: so the rules about missing chunks, and all
errors, are only there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from zarrcore.array.chunks.decode_units import Crossings
from zarrcore.array.native.files import NativeArray, Row, unit_at
from zarrcore.array.pools import Task
from zarrcore.array.selection.axes import Crossing
from zarrcore.array.selection.points import SortedPoints
from zarrcore.codecs.region import Part
from zarrcore.codecs.scratch import scratch_buffer
from zarrcore.native import Job
from zarrcore.typing import AnyArray

ReadAgain = Callable[[Iterable[Sequence[Crossing]]], "list[Task] | None"]
"""Reads units by Python; if they are inner chunks, all are of one shard."""


class NativeReads(ABC):
    """The reads of one array that the engine can execute."""

    array: NativeArray

    @abstractmethod
    def chunks(self, crossed: Crossings, out: AnyArray, again: ReadAgain) -> Iterator[Task] | None:
        """Tasks that read the crossed chunks, which are not shards; None if the engine cannot do it.

        Args:
            crossed: the chunks.
            out: takes the elements.
            again: reads a chunk that the engine did not read.
        """

    @abstractmethod
    def inner_chunks(
        self,
        key: str,
        places: NDArray[np.uint64],
        version: str,
        crossed: Crossings,
        out: AnyArray,
        again: ReadAgain,
    ) -> Iterator[Task] | None:
        """Tasks that read the crossed inner chunks of a shard; None if the engine cannot do it.

        Args:
            key: the shard's.
            places: offset and size of each inner chunk, in C order.
            version: the version of the shard that these are for.
            crossed: the units.
            out: takes the elements.
            again: reads units that the engine did not read.
        """

    @abstractmethod
    def job(
        self, rows: list[list[Row]], out: AnyArray, *, is_listed: bool = False, fills: bool = True
    ) -> Job | None:
        """A job that reads chunks, which are not shards; None if the engine cannot do it.

        Args:
            rows: the chunks, as crossings for each dimension: their product, or those of the same number if they are listed.
            out: takes the elements.
            is_listed: whether they are listed.
            fills: whether missing chunks may read as fill values.
        """

    def points(
        self, groups: SortedPoints, gathered: AnyArray, again: Callable[[list[int]], None]
    ) -> Iterator[Task] | None:
        """Tasks that read points of chunks, which are not shards; None if the engine cannot do it.

        Args:
            groups: the points, sorted by chunk.
            gathered: takes their elements in that order, one dimension.
            again: reads the points of chunks with some numbers, which the engine did not read.
        """
        return None

    def decode(self, indices: Sequence[tuple[int, ...]]) -> bool:
        """Whether the whole chunks at some grid indices, which are not shards, exist and decode."""
        spec = self.array.pipeline.spec
        scratch: AnyArray = np.ndarray(spec.shape, spec.dtype, scratch_buffer("decoded", spec.nbytes))
        rows: list[list[Row]] = [
            [(number, 0, length, 1, 0) for number in line]
            for line, length in zip(zip(*indices, strict=True), spec.shape, strict=True)
        ]
        job = self.job(rows, scratch, is_listed=True, fills=False)
        return job is not None and not job.absent and not job.run(0, job.count)


def rows_of(crossed: Crossings) -> list[list[Row]] | None:
    """The crossings as the engine takes them; None if they are not ranges."""
    if not all(are_ranges(part[1] for part in parts) for parts in crossed):
        return None
    return [
        [
            row_of(index, part, place.start, place.stop - place.start)
            for index, part, place, _ in parts
            if isinstance(part, slice)
        ]
        for parts in crossed
    ]


def are_ranges(parts: Iterable[Part]) -> bool:
    """Whether parts of a unit are ranges."""
    return all(isinstance(part, slice) for part in parts)


def row_of(index: int, part: slice, place: int, count: int) -> Row:
    """One crossing as the engine takes it. A step that leads nowhere may be of any size."""
    return index, part.start, count, (part.step or 1) if count > 1 else 1, place


def run(job: Job, first: int, stop: int, crossed: Crossings, again: ReadAgain) -> list[Task] | None:
    """Read units ``first`` to ``stop`` of a job, by Python those that the engine does not read."""
    failed = job.run(first, stop)
    return read_again(crossed, failed, again) if failed else None


def read_again(crossed: Crossings, numbers: list[int], again: ReadAgain) -> list[Task] | None:
    """Read units by Python: at once, since reading inner chunks begins with the index of their shard."""
    return again(unit_at(crossed, number) for number in numbers)
