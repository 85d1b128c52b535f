"""Arrays as used by NumPy, Dask and pickle."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.core.array.counting_store import DATA, CountingStore
from zarrcore.errors import (
    SelectionError,
)
from zarrcore.stores import MemoryStore


def test_out_is_filled_in_place_and_must_fit(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["plain"]
    frame = np.zeros((60, 50), "u2")
    assert array.read((slice(None), 4), out=frame[::2].reshape(30, 50)) is not None
    target = np.zeros((30, 2, 50), "u2")[:, 1]
    assert array.read((slice(None), 4), out=target) is target
    assert np.array_equal(target, DATA[:, 4])
    for wrong in (np.zeros((30, 51), "u2"), np.zeros((30, 50), "u4")):
        with pytest.raises(SelectionError, match="expected a writable out"):
            array.read((slice(None), 4), out=wrong)


@pytest.mark.parametrize(
    "selection", [30, -31, (0, 0, 0, 0), (..., ...), "x", 1.5, True, None, slice(0, 5, 0)]
)
def test_indices_that_are_not_basic_selections_are_refused(store: CountingStore, selection: object) -> None:
    with pytest.raises(SelectionError):
        zarrcore.open_hierarchy(store)["plain"][selection]


def test_arrays_pickle(written: Path) -> None:
    array = zarrcore.open_hierarchy(written)["sharded"]
    again = pickle.loads(pickle.dumps(array))
    assert again.path == "/sharded"
    assert np.array_equal(again[3], DATA[3])
    assert again.hierarchy["plain"].shape == DATA.shape


def test_arrays_duck_type_numpy(written: Path) -> None:
    array = zarrcore.open_hierarchy(written)["plain"]
    assert (array.ndim, array.size, array.nbytes, array.itemsize, len(array)) == (
        3,
        DATA.size,
        DATA.nbytes,
        2,
        30,
    )
    assert np.array_equal(np.asarray(array), DATA)
    assert np.asarray(array, dtype="f8").dtype == np.float64
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(array, copy=False)
    assert array.chunk_grid_shape == (3, 4, 5)
    assert array.chunk_key((1, 2, 3)) == "plain/c/1/2/3"
    assert np.array_equal(array.read_chunk((2, 3, 4)), DATA[20:, 30:, 40:])
    with pytest.raises(SelectionError):
        array.read_chunk((3, 0, 0))


def test_a_selection_that_does_not_fit_in_memory_is_refused() -> None:
    array = zarrcore.create(MemoryStore()).create_array("a", shape=(10**9, 10**9), dtype="int8")
    with pytest.raises(SelectionError, match="do not fit in memory: select less"):
        array[...]
