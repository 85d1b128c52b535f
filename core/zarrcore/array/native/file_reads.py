"""Reads that the engine executes of chunks that are local files, and of inner chunks in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from zarrcore.array.chunks.decode_units import Crossings
from zarrcore.array.native.files import NativeFiles, Row
from zarrcore.array.native.reads import NativeReads, ReadAgain, read_again, rows_of, run
from zarrcore.array.pools import Task
from zarrcore.array.selection.points import SortedPoints
from zarrcore.codecs.array_to_bytes.sharding_indexed import MISSING
from zarrcore.native import Job
from zarrcore.stores.local.store import facts_in
from zarrcore.typing import AnyArray

_SPARSE = 8
"""Python, which fills what is missing, is faster where fewer than one of so many inner chunks are stored."""


class FileReads(NativeReads):
    """The reads of an array whose chunks are local files."""

    def __init__(self, files: NativeFiles) -> None:
        self.array = self._files = files

    def chunks(self, crossed: Crossings, out: AnyArray, again: ReadAgain) -> Iterator[Task] | None:
        rows = rows_of(crossed)
        job = None if rows is None else self.job(rows, out)
        return None if job is None else self._tasks(job, crossed, again)

    def inner_chunks(
        self,
        key: str,
        places: NDArray[np.uint64],
        version: str,
        crossed: Crossings,
        out: AnyArray,
        again: ReadAgain,
    ) -> Iterator[Task] | None:
        stored = np.count_nonzero(places[:, 1] != MISSING)
        if (rows := rows_of(crossed)) is None or stored * _SPARSE < len(places):
            return None
        files, store = self._files, self._files.store
        job, name = files.job(rows, out), files.name(key)
        if not job.read_parts(store.open_root(), store.follow_links, name, places, facts_in(version)):
            return None
        return self._tasks(job, crossed, again)

    def points(
        self, groups: SortedPoints, gathered: AnyArray, again: Callable[[list[int]], None]
    ) -> Iterator[Task] | None:
        files, store = self._files, self._files.store
        job = files.points_job(groups, gathered)
        if not job.read_files(store.open_root(), store.follow_links, *files.names):
            return None
        size = files.units_a_call(job.count)
        firsts = range(0, job.count, size)
        return (partial(_read_points, job, first, min(first + size, job.count), again) for first in firsts)

    def job(self, rows: list[list[Row]], out: AnyArray, *, is_listed: bool = False) -> Job | None:
        files, store = self._files, self._files.store
        job = files.job(rows, out, is_listed=is_listed)
        return job if job.read_files(store.open_root(), store.follow_links, *files.names) else None

    def _tasks(self, job: Job, crossed: Crossings, again: ReadAgain) -> Iterator[Task]:
        size = self._files.units_a_call(job.count)
        for first in range(0, job.stored, size):
            yield partial(run, job, first, min(first + size, job.stored), crossed, again)
        if absent := job.absent:
            yield partial(read_again, crossed, absent, again)


def _read_points(job: Job, first: int, stop: int, again: Callable[[list[int]], None]) -> None:
    again(job.run(first, stop))
