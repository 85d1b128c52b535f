"""Reads that the engine executes: of chunks in local files, of plain elements and codecs that it has, by ranges.

Whatever the engine does not read, for whatever reason, is read again by Python: so the rules about missing chunks, and all
errors, are only there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from zarrcore.array.chunks.decode_units import Crossings
from zarrcore.array.chunks.keys import ChunkKeys
from zarrcore.array.pools import CORES, Task
from zarrcore.array.selection.axes import Crossing
from zarrcore.codecs import Pipeline
from zarrcore.codecs.native_form import NativeForm
from zarrcore.codecs.scratch import scratch_buffer
from zarrcore.errors import StoreError
from zarrcore.native import Engine, Job, JobAxis, engine
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.keys import check_path_like_key
from zarrcore.stores.local.store import LocalStore, facts_in
from zarrcore.typing import AnyArray

_CALL_NBYTES = 4 << 20
_CALL_UNITS = 128
"""Between two calls of the engine, a thread sees whether the read was cancelled, and lets other reads go first."""

_Row = tuple[int, int, int, int, int]
"""A chunk that a range crosses: its index; first element, number of elements and step in it; place of the first one."""

ReadAgain = Callable[[Crossings], "list[Task] | None"]
"""Reads a unit by Python."""


class NativeReads:
    """The reads of one array that the engine can execute.

    Args:
        engine: the engine.
        store: has the array's chunks.
        prefix: of the keys in this store, instead of the keys' own.
        keys: the keys of the chunks.
        pipeline: decodes a unit.
        form: the same, for the engine.
    """

    def __init__(
        self,
        engine: Engine,
        store: LocalStore,
        prefix: str,
        keys: ChunkKeys,
        pipeline: Pipeline,
        form: NativeForm,
    ) -> None:
        self._engine = engine
        self._store = store
        self._prefix = prefix
        self._keys = keys
        self._pipeline = pipeline
        self._form = form

    def files(self, crossed: Crossings, out: AnyArray, again: ReadAgain) -> Iterator[Task] | None:
        """Tasks that read the crossed chunks, each of which is a file; None if the engine cannot do it."""
        rows = _rows(crossed)
        job = None if rows is None else self._files(rows, out)
        return None if job is None else self._tasks(job, crossed, again)

    def decode(self, indices: Sequence[tuple[int, ...]]) -> bool:
        """Whether the whole chunks at some grid indices, each of which is a file, exist and decode."""
        spec = self._pipeline.spec
        scratch: AnyArray = np.ndarray(spec.shape, spec.dtype, scratch_buffer("decoded", spec.nbytes))
        for run in _runs(indices):
            rows = [
                [(number, 0, length, 1, 0) for number in numbers]
                for numbers, length in zip(run, spec.shape, strict=True)
            ]
            job = self._files(rows, scratch)
            if job is None or job.run(0, job.count):
                return False
        return True

    def _files(self, rows: list[list[_Row]], out: AnyArray) -> Job | None:
        job = self._job(rows, out)
        beginning, separator, is_reversed = self._keys.likely_form
        lead = self._prefix + beginning[len(self._keys.prefix) :]
        root, follows_links = self._store.open_root(), self._store.follow_links
        return job if job.read_files(root, follows_links, lead, separator, is_reversed) else None

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
            again: reads a unit that the engine did not read.
        """
        if (rows := _rows(crossed)) is None:
            return None
        job, name = self._job(rows, out), self._prefix + key[len(self._keys.prefix) :]
        root, follows_links = self._store.open_root(), self._store.follow_links
        if not job.read_parts(root, follows_links, name, places, facts_in(version)):
            return None
        return self._tasks(job, crossed, again)

    def _job(self, rows: list[list[_Row]], out: AnyArray) -> Job:
        form, spec = self._form, self._pipeline.spec
        axes = [
            JobAxis(length, stride, np.array(crossings, np.int64))
            for crossings, length, stride in zip(rows, spec.shape, form.strides, strict=True)
        ]
        return Job(self._engine, out, axes, form.codecs, form.swap_nbytes, self._pipeline.max_encoded_nbytes)

    def _tasks(self, job: Job, crossed: Crossings, again: ReadAgain) -> Iterator[Task]:
        size = max(1, min(_CALL_UNITS, _CALL_NBYTES // self._pipeline.spec.nbytes, job.count // (4 * CORES)))
        return (
            partial(_run, job, first, min(first + size, job.count), crossed, again)
            for first in range(0, job.count, size)
        )


def native_reads(store: ReadableStore, keys: ChunkKeys, pipeline: Pipeline) -> NativeReads | None:
    """The reads of an array that the engine can execute; None if it can execute none of them."""
    inner, prefix = store.origin(keys.prefix)
    if type(inner) is not LocalStore or not inner.opens_by_kernel:
        return None
    form, found = pipeline.native_form(), engine()
    if form is None or found is None or not form.names <= found.codecs:
        return None
    try:
        check_path_like_key(f"{prefix}0", inner.url)
    except StoreError:
        return None  # Python reports it
    return NativeReads(found, inner, prefix, keys, pipeline, form)


def _rows(crossed: Crossings) -> list[list[_Row]] | None:
    """The crossings as the engine takes them; None if they are not ranges."""
    if not all(isinstance(part[1], slice) for parts in crossed for part in parts):
        return None
    return [
        [
            (index, part.start, place.stop - place.start, part.step or 1, place.start)
            for index, part, place, _ in parts
            if isinstance(part, slice)
        ]
        for parts in crossed
    ]


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
    further: list[Task] = []
    for number in job.run(first, stop):
        unit: list[list[Crossing]] = []
        for parts in reversed(crossed):
            number, position = divmod(number, len(parts))
            unit.insert(0, [parts[position]])
        further += again(unit) or ()
    return further
