"""Reads that the engine executes: of chunks in local files, by ranges.

Whatever the engine does not read, for whatever reason, is read again by Python: so the rules about missing chunks, and all
errors, are only there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from zarrcore.array.chunks.decode_units import Crossings
from zarrcore.array.native.files import NativeFiles, Row, unit_at
from zarrcore.array.pools import CORES, Task
from zarrcore.array.selection.axes import Crossing
from zarrcore.codecs.array_to_bytes.sharding_indexed import MISSING
from zarrcore.codecs.scratch import scratch_buffer
from zarrcore.native import Job
from zarrcore.stores.local.store import facts_in
from zarrcore.typing import AnyArray

_CALL_NBYTES = 4 << 20
_CALL_UNITS = 128
"""Between two calls of the engine, a thread sees whether the read was cancelled, and lets other reads go first."""

_SPARSE = 8
"""Python, which fills what is missing, is faster where fewer than one of so many inner chunks are stored."""

ReadAgain = Callable[[Iterable[Sequence[Crossing]]], "list[Task] | None"]
"""Reads units by Python; if they are inner chunks, all are of one shard."""


class NativeReads:
    """The reads of one array that the engine can execute."""

    def __init__(self, files: NativeFiles) -> None:
        self._files = files

    def files(self, crossed: Crossings, out: AnyArray, again: ReadAgain) -> Iterator[Task] | None:
        """Tasks that read the crossed chunks, each of which is a file; None if the engine cannot do it."""
        rows = _rows(crossed)
        job = None if rows is None else self._job(rows, out)
        return None if job is None else self._tasks(job, crossed, again)

    def decode(self, indices: Sequence[tuple[int, ...]]) -> bool:
        """Whether the whole chunks at some grid indices, each of which is a file, exist and decode."""
        spec = self._files.pipeline.spec
        scratch: AnyArray = np.ndarray(spec.shape, spec.dtype, scratch_buffer("decoded", spec.nbytes))
        for run in _runs(indices):
            rows = [
                [(number, 0, length, 1, 0) for number in numbers]
                for numbers, length in zip(run, spec.shape, strict=True)
            ]
            job = self._job(rows, scratch)
            if job is None or job.run(0, job.count):
                return False
        return True

    def parts(
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
        if (rows := _rows(crossed)) is None or np.count_nonzero(places[:, 1] != MISSING) * _SPARSE < len(
            places
        ):
            return None
        files, store = self._files, self._files.store
        job, name = files.job(rows, out), files.name(key)
        if not job.read_parts(store.open_root(), store.follow_links, name, places, facts_in(version)):
            return None
        return self._tasks(job, crossed, again)

    def _job(self, rows: list[list[Row]], out: AnyArray) -> Job | None:
        files, store = self._files, self._files.store
        job = files.job(rows, out)
        return job if job.read_files(store.open_root(), store.follow_links, *files.names) else None

    def _tasks(self, job: Job, crossed: Crossings, again: ReadAgain) -> Iterator[Task]:
        most = min(_CALL_UNITS, _CALL_NBYTES // self._files.pipeline.spec.nbytes, job.count // (4 * CORES))
        size = max(1, most)
        for first in range(0, job.stored, size):
            yield partial(_run, job, first, min(first + size, job.stored), crossed, again)
        if absent := job.absent:
            yield partial(_again, crossed, absent, again)


def _rows(crossed: Crossings) -> list[list[Row]] | None:
    """The crossings as the engine takes them; None if they are not ranges."""
    if not all(isinstance(part[1], slice) for parts in crossed for part in parts):
        return None
    return [
        [
            _row(index, part, place.start, place.stop - place.start)
            for index, part, place, _ in parts
            if isinstance(part, slice)
        ]
        for parts in crossed
    ]


def _row(index: int, part: slice, place: int, count: int) -> Row:
    """One crossing as the engine takes it. A step that leads nowhere may be of any size."""
    return index, part.start, count, (part.step or 1) if count > 1 else 1, place


def _runs(indices: Sequence[tuple[int, ...]]) -> Iterator[list[Sequence[int]]]:
    """Indices that follow one another along the last dimension, together."""
    first = 0
    for position, index in enumerate(indices):
        following = indices[position + 1] if position + 1 < len(indices) else None
        if following != (*index[:-1], index[-1] + 1):
            run = indices[first : position + 1]
            yield [*([number] for number in index[:-1]), [one[-1] for one in run]]
            first = position + 1


def _run(job: Job, first: int, stop: int, crossed: Crossings, again: ReadAgain) -> list[Task] | None:
    failed = job.run(first, stop)
    return _again(crossed, failed, again) if failed else None


def _again(crossed: Crossings, numbers: list[int], again: ReadAgain) -> list[Task] | None:
    """Read units by Python: at once, since reading inner chunks begins with the index of their shard."""
    return again(unit_at(crossed, number) for number in numbers)
