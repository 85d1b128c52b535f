"""Arrays of plain elements, encoded by codecs that the engine has, in local files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zarrcore.array.chunks.keys import ChunkKeys
from zarrcore.array.pools import CORES
from zarrcore.array.selection.axes import Crossing
from zarrcore.array.selection.points import SortedPoints
from zarrcore.codecs import Pipeline
from zarrcore.codecs.native_form import NativeForm
from zarrcore.errors import StoreError
from zarrcore.native import Engine, Job, JobAxis, engine
from zarrcore.stores.interface import Store
from zarrcore.stores.keys import check_path_like_key
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.wrapper.prefix import PrefixStore
from zarrcore.stores.wrapper.read_only import ReadOnlyStore
from zarrcore.typing import AnyArray

_CALL_NBYTES = 4 << 20
_CALL_UNITS = 128
"""Between two calls of the engine, a thread sees whether the read was cancelled, and lets other reads go first."""

Row = tuple[int, int, int, int, int]
"""A chunk that a range crosses: its index; first element, number of elements and step in it; place of the first one."""


@dataclass(frozen=True, slots=True)
class NativeArray:
    """An array that the engine decodes."""

    engine: Engine
    keys: ChunkKeys
    """The keys of the chunks."""
    pipeline: Pipeline
    """Decodes a unit."""
    form: NativeForm
    """The same, for the engine."""
    decodes_whole: bool
    """Whether units are always decoded as a whole."""
    fill: bytes | None
    """The element with whose value missing units are read; None if Python decides what to do."""

    def job(self, rows: Sequence[ArrayLike], array: AnyArray, *, fills: bool = False, **options: Any) -> Job:
        """A job for the product of rows (`Row`), a sequence for each dimension, with the elements in ``array``.

        Args:
            rows: the units.
            array: takes the elements, or has them.
            fills: whether missing units may be filled.
            options: ``is_listed`` and ``arrays`` of `Job`.
        """
        form = self.form
        axes = [
            JobAxis(length, stride, np.array(crossings, np.int64))
            for crossings, length, stride in zip(rows, self.pipeline.spec.shape, form.strides, strict=True)
        ]
        if fills and self.keys.is_settled:  # otherwise a missing unit may have another key
            options["fill"] = self.fill
        limit = self.pipeline.max_encoded_nbytes
        return Job(
            self.engine, array, axes, form.codecs, form.swap_nbytes, limit, self.decodes_whole, **options
        )

    def whole_job(self, arrays: Sequence[AnyArray]) -> Job:
        """A job for whole units, each with an array of its own."""
        count = len(arrays)
        rows = [[(0, 0, length, 1, 0)] * count for length in self.pipeline.spec.shape]
        return self.job(rows, arrays[0], is_listed=True, arrays=arrays)

    def points_job(self, groups: SortedPoints, gathered: AnyArray) -> Job:
        """A job for the chunks of sorted points, with the points' elements in ``gathered``, of one dimension."""
        begins, rows = groups.bounds[:-1], []
        place = np.zeros((), np.int64)
        for index, offsets, stride in zip(groups.chunks.T, groups.offsets, self.form.strides, strict=True):
            lowest, highest = np.minimum.reduceat(offsets, begins), np.maximum.reduceat(offsets, begins)
            ones = np.ones_like(lowest)
            rows.append(np.stack([index, lowest, highest - lowest + 1, ones, ones - 1], axis=1))
            place = place + offsets * stride
        job = self.job(
            rows, np.broadcast_to(gathered[:1], self.pipeline.spec.shape), is_listed=True, fills=True
        )
        job.read_points(gathered, place, groups.bounds)
        return job

    @property
    def most_a_call(self) -> int:
        """How many units a call of the engine should read or write at most."""
        return max(1, min(_CALL_UNITS, _CALL_NBYTES // self.pipeline.spec.nbytes))

    def units_a_call(self, count: int) -> int:
        """How many of ``count`` units that several threads share a call of the engine should read or write."""
        return max(1, min(self.most_a_call, count // (4 * CORES)))


@dataclass(frozen=True, slots=True)
class NativeFiles(NativeArray):
    """An array that the engine decodes, whose chunks are local files."""

    store: LocalStore
    """Has the files."""
    prefix: str
    """Of the keys in this store, instead of the keys' own."""

    def name(self, key: str) -> str:
        """The name of a key's file beneath the store's root."""
        return self.prefix + key[len(self.keys.prefix) :]

    @property
    def names(self) -> tuple[str, str, bool]:
        """How chunks are named: what comes before the indices, what between them, whether the last index comes first."""
        beginning, separator, is_reversed = self.keys.likely_form
        return self.name(beginning), separator, is_reversed


def native_array(
    keys: ChunkKeys, pipeline: Pipeline, decodes_whole: bool = False, fills: bool = False
) -> NativeArray | None:
    """An array, if the engine can decode its chunks. It may fill those that are missing if ``fills`` says so."""
    form, found = pipeline.native_form(), engine()
    if form is None or found is None or not form.names <= found.codecs:
        return None
    spec = pipeline.spec
    fill = np.asarray(spec.fill_value, spec.dtype).tobytes() if fills else None
    return NativeArray(found, keys, pipeline, form, decodes_whole, fill)


def local_store(store: Store, key: str) -> tuple[LocalStore, str] | None:
    """The local store that has a key's value, if the engine can open its files, and the key there."""
    store, key = unwrapped(store, key)
    return (store, key) if type(store) is LocalStore and store.opens_by_kernel else None


def unwrapped(store: Store, key: str) -> tuple[Store, str]:
    """A store without the wrappers that change no values, and the key there."""
    while type(store) in (PrefixStore, ReadOnlyStore):
        key = store.prefix + key if isinstance(store, PrefixStore) else key
        store = store.store  # type: ignore[attr-defined]
    return store, key


def native_files(store: Store, array: NativeArray) -> NativeFiles | None:
    """The files of an array; None if its chunks are something else."""
    local = local_store(store, array.keys.prefix)
    if local is None:
        return None
    inner, prefix = local
    try:
        check_path_like_key(f"{prefix}0", inner.url)
    except StoreError:
        return None  # Python reports it
    return NativeFiles(
        array.engine, array.keys, array.pipeline, array.form, array.decodes_whole, array.fill, inner, prefix
    )


def unit_at(crossed: Sequence[Sequence[Crossing]], number: int) -> tuple[Crossing, ...]:
    """The unit with a number, in C order, of the product of crossings."""
    unit: list[Crossing] = []
    for parts in reversed(crossed):
        number, position = divmod(number, len(parts))
        unit.append(parts[position])
    return tuple(reversed(unit))
