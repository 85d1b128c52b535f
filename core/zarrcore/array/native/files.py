"""An array whose chunks are local files of plain elements, encoded by codecs that the engine has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zarrcore.array.chunks.keys import ChunkKeys
from zarrcore.array.selection.axes import Crossing
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

Row = tuple[int, int, int, int, int]
"""A chunk that a range crosses: its index; first element, number of elements and step in it; place of the first one."""


@dataclass(frozen=True, slots=True)
class NativeFiles:
    """The files of one array, and how the engine decodes them."""

    engine: Engine
    store: LocalStore
    """Has the files."""
    prefix: str
    """Of the keys in this store, instead of the keys' own."""
    keys: ChunkKeys
    """The keys of the chunks, in the array's store."""
    pipeline: Pipeline
    """Decodes a unit."""
    form: NativeForm
    """The same, for the engine."""

    def job(self, rows: Sequence[Sequence[Row]], array: AnyArray) -> Job:
        """A job for the product of rows, one sequence for each dimension, with the elements in ``array``."""
        form = self.form
        axes = [
            JobAxis(length, stride, np.array(crossings, np.int64))
            for crossings, length, stride in zip(rows, self.pipeline.spec.shape, form.strides, strict=True)
        ]
        return Job(self.engine, array, axes, form.codecs, form.swap_nbytes, self.pipeline.max_encoded_nbytes)

    def name(self, key: str) -> str:
        """The name of a key's file beneath the store's root."""
        return self.prefix + key[len(self.keys.prefix) :]

    @property
    def names(self) -> tuple[str, str, bool]:
        """How chunks are named: what comes before the indices, what between them, whether the last index comes first."""
        beginning, separator, is_reversed = self.keys.likely_form
        return self.name(beginning), separator, is_reversed


def native_files(store: Store, keys: ChunkKeys, pipeline: Pipeline) -> NativeFiles | None:
    """The files of an array; None if its chunks are something else, or if the engine cannot decode them."""
    prefix = keys.prefix
    while type(store) in (PrefixStore, ReadOnlyStore):  # wrappers that change no values
        prefix = store.prefix + prefix if isinstance(store, PrefixStore) else prefix
        store = store.store  # type: ignore[attr-defined]
    if type(store) is not LocalStore or not store.opens_by_kernel:
        return None
    form, found = pipeline.native_form(), engine()
    if form is None or found is None or not form.names <= found.codecs:
        return None
    try:
        check_path_like_key(f"{prefix}0", store.url)
    except StoreError:
        return None  # Python reports it
    return NativeFiles(found, store, prefix, keys, pipeline, form)


def unit_at(crossed: Sequence[Sequence[Crossing]], number: int) -> tuple[Crossing, ...]:
    """The unit with a number, in C order, of the product of crossings."""
    unit: list[Crossing] = []
    for parts in reversed(crossed):
        number, position = divmod(number, len(parts))
        unit.append(parts[position])
    return tuple(reversed(unit))
