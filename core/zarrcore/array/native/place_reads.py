"""Reads that the engine executes of chunks that are parts of a local file, such as an HDF5 file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from zarrcore.array.chunks.decode_units import Crossings
from zarrcore.array.native.files import NativeArray, Row, local_store, unwrapped
from zarrcore.array.native.reads import NativeReads, ReadAgain, read_again, rows_of, run
from zarrcore.array.pools import Task
from zarrcore.native import Job
from zarrcore.stores.interface import Store
from zarrcore.stores.local.store import facts_in
from zarrcore.stores.virtual.store import Part, VirtualStore
from zarrcore.typing import AnyArray

_MISSING = (2**64 - 1, 2**64 - 1)


class PlaceReads(NativeReads):
    """The reads of an array whose store knows where in a local file the chunks are.

    Args:
        array: the array.
        store: finds the chunks.
        prefix: of the keys in this store, instead of the keys' own.
    """

    def __init__(self, array: NativeArray, store: VirtualStore, prefix: str) -> None:
        self.array = array
        self._store = store
        self._prefix = prefix

    def chunks(self, crossed: Crossings, out: AnyArray, again: ReadAgain) -> Iterator[Task] | None:
        if rows_of(crossed) is None:
            return None
        most = self.array.units_a_call(math.prod(map(len, crossed)))
        return (partial(self._read, box, out, again) for box in _boxes(crossed, most))

    def inner_chunks(self, *_: object) -> None:
        return  # the engine reads no shards within a file

    def _read(self, box: Crossings, out: AnyArray, again: ReadAgain) -> list[Task] | None:
        rows = rows_of(box)
        job = None if rows is None else self.job(rows, out)
        if job is None:
            return again(product(*box))
        further = run(job, 0, job.stored, box, again) or []
        return [*further, *(read_again(box, job.absent, again) or ())]

    def job(
        self, rows: list[list[Row]], out: AnyArray, *, is_listed: bool = False, fills: bool = True
    ) -> Job | None:
        lines = [[row[0] for row in crossings] for crossings in rows]
        places: list[tuple[int, int]] = []
        file: tuple[Store, str] | None = None
        for index in zip(*lines, strict=True) if is_listed else product(*lines):
            key = self.array.keys.likely(index)
            found = self._store.find(self._prefix + key[len(self.array.keys.prefix) :])
            if found is None:
                places.append(_MISSING)
                continue
            if not isinstance(found, Part) or found.nbytes is None or found.zeros:
                return None
            if file is not None and file != (found.store, found.key):
                return None
            file = found.store, found.key
            places.append((found.start, found.nbytes))
        local = None if file is None else local_store(*file)
        if local is None:
            return None
        store, name = local
        facts = store.stat(name)
        if facts is None or facts.version is None:
            return None
        job, version = self.array.job(rows, out, is_listed=is_listed, fills=fills), facts_in(facts.version)
        parts = np.array(places, np.uint64)
        return job if job.read_parts(store.open_root(), store.follow_links, name, parts, version) else None


def place_reads(store: Store, array: NativeArray) -> PlaceReads | None:
    """The reads of an array; None if the store does not know where in a local file its chunks are."""
    store, prefix = unwrapped(store, array.keys.prefix)
    if not isinstance(store, VirtualStore) or store.is_remote or local_store(store.source, "") is None:
        return None
    kind = type(store)
    if kind.get is not VirtualStore.get or kind.get_into is not VirtualStore.get_into:
        return None  # it does more than to find them
    return PlaceReads(array, store, prefix)


def _boxes(crossed: Crossings, most: int) -> Iterator[Crossings]:
    """Products of at most ``most`` units each, unless a dimension has more, which together are the whole product."""
    count = math.prod(map(len, crossed))
    axis = next((axis for axis, parts in enumerate(crossed) if len(parts) > 1), None)
    if count <= most or axis is None:
        yield crossed
        return
    parts = crossed[axis]
    size = max(1, most * len(parts) // count)
    for first in range(0, len(parts), size):
        yield from _boxes([*crossed[:axis], parts[first : first + size], *crossed[axis + 1 :]], most)
