"""Writes that the engine executes: of chunks that are written from end to end, to local files.

Whatever the engine does not write, for whatever reason, is written again by Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zarrcore.array.native.files import NativeFiles, Row, unit_at
from zarrcore.array.selection.axes import Crossing
from zarrcore.metadata import Element
from zarrcore.native import EMPTY, NO_FOLDER, OK, Job
from zarrcore.stores.local.atomic_files import can_name_later
from zarrcore.typing import AnyArray


class Written(NamedTuple):
    """What became of units, by their positions among those that were to be written. All others are stored."""

    empty: list[int]
    """They hold only the fill value, and must not be stored."""
    failed: list[int]
    """They were not written."""


class NativeWrites:
    """The writes of one array that the engine can execute."""

    def __init__(self, files: NativeFiles) -> None:
        self._files = files

    def job(
        self, crossed: Sequence[Sequence[Crossing]], values: AnyArray, fill_value: Element, stores_empty: bool
    ) -> Job | None:
        """A job that writes the crossed chunks, each from end to end; None if the engine cannot do it."""
        files, store, dtype = self._files, self._files.store, self._files.pipeline.spec.dtype
        root = store.open_root()
        if store.durable or values.dtype != dtype or not can_name_later(root.descriptor):
            return None  # Python writes in another way
        rows: list[list[Row]] = [
            [(index, 0, place.stop - place.start, 1, place.start) for index, _, place, _ in parts]
            for parts in crossed
        ]
        fill = np.asarray(fill_value, dtype).tobytes()
        if width := files.form.swap_nbytes:
            fill = b"".join(fill[at : at + width][::-1] for at in range(0, len(fill), width))
        job = files.job(rows, values)
        job.write_elements(fill, stores_empty)
        is_accepted = job.use_files(root, store.follow_links, *files.names)
        return job if is_accepted else None

    def calls(self, job: Job) -> Iterator[NDArray[np.uint32]]:
        """The numbers of the units, some for each call of the engine."""
        size = self._files.units_a_call(job.count)
        for first in range(0, job.count, size):
            yield np.arange(first, min(first + size, job.count), dtype=np.uint32)

    def units(
        self, crossed: Sequence[Sequence[Crossing]], numbers: NDArray[np.uint32]
    ) -> list[tuple[Crossing, ...]]:
        """The units of the product of crossings that have these numbers."""
        return [unit_at(crossed, number) for number in numbers.tolist()]

    def write(self, job: Job, numbers: NDArray[np.uint32], keys: Sequence[str]) -> Written:
        """Write units. The folders that they need are made.

        Args:
            job: the job.
            numbers: of the units.
            keys: their keys.
        """
        files = self._files
        names = [files.name(key) for key in keys]
        statuses = files.store.write_by_engine(names, lambda some: job.write(numbers[some]), NO_FOLDER)
        is_empty = statuses == EMPTY
        return Written(
            np.flatnonzero(is_empty).tolist(), np.flatnonzero((statuses != OK) & ~is_empty).tolist()
        )
