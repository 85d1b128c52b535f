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
from zarrcore.native import Job
from zarrcore.stores.local.store import facts_in
from zarrcore.typing import AnyArray


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
        if (rows := rows_of(crossed)) is None:
            return None
        files, store = self._files, self._files.store
        job, name = files.job(rows, out, fills=True), files.name(key)
        if not job.read_parts(store.open_root(), store.follow_links, name, places, facts_in(version)):
            return None
        return self._tasks(job, crossed, again)

    def points(
        self, groups: SortedPoints, gathered: AnyArray, again: Callable[[list[int]], None]
    ) -> Iterator[Task] | None:
        files = self._files
        job = self._placed(files.points_job(groups, gathered))
        if job is None:
            return None
        size = files.units_a_call(job.count)
        firsts = range(0, job.count, size)
        return (partial(_read_points, job, first, min(first + size, job.count), again) for first in firsts)

    def job(
        self, rows: list[list[Row]], out: AnyArray, *, is_listed: bool = False, fills: bool = True
    ) -> Job | None:
        return self._placed(self._files.job(rows, out, is_listed=is_listed, fills=fills))

    def _placed(self, job: Job) -> Job | None:
        store, root = self._files.store, self._files.store.open_root()
        is_current = partial(store.has_root, root)
        return job if job.use_files(root, store.follow_links, *self._files.names, is_current) else None

    def _tasks(self, job: Job, crossed: Crossings, again: ReadAgain) -> Iterator[Task]:
        size = self._files.units_a_call(job.count)
        for first in range(0, job.stored, size):
            yield partial(run, job, first, min(first + size, job.stored), crossed, again)
        if absent := job.absent:
            yield partial(read_again, crossed, absent, again)


def _read_points(job: Job, first: int, stop: int, again: Callable[[list[int]], None]) -> None:
    again(job.run(first, stop))
