"""Arrays in the hands of NumPy, Dask and xarray, and in other processes."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
import xarray as xr
import zarr
from dask.base import tokenize

import zarrcore
from tests.core.array.counting_store import DATA, CountingStore
from tests.core.array.test_rectilinear import PACKED
from tests.core.array.test_rectilinear import written as rectilinear
from zarrcore.stores import MemoryStore

VALUES = np.arange(84, dtype="u2").reshape(12, 7)


def stored(**layout: Any) -> Any:
    array = zarrcore.create(MemoryStore()).create_array("a", shape=(12, 7), dtype="uint16", **layout)
    array[...] = VALUES
    return array


def test_its_sizes_are_those_of_a_numpy_array() -> None:
    array = stored(chunks=(5, 3))
    for name in ("shape", "ndim", "size", "itemsize", "nbytes", "dtype"):
        assert getattr(array, name) == getattr(VALUES, name), name
    assert array.device == VALUES.device
    assert len(array) == 12
    assert [row.tolist() for row in array] == VALUES.tolist()


def test_it_becomes_a_numpy_array_by_a_copy_only() -> None:
    array = stored(chunks=(5, 3))
    one, other = np.asarray(array), np.array(array, copy=True)
    assert np.array_equal(one, VALUES)
    assert not np.shares_memory(one, other)
    assert np.asarray(array, dtype="f4").dtype == np.float32
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(array, copy=False)
    assert np.array_equal(np.concatenate([array, array]), np.concatenate([VALUES, VALUES]))


def test_dlpack_gives_the_elements() -> None:
    array = stored(chunks=(5, 3))
    assert np.array_equal(np.from_dlpack(array), VALUES)
    assert array.__dlpack_device__() == VALUES.__dlpack_device__()
    with pytest.raises(BufferError, match="without a copy"):
        array.__dlpack__(copy=False)


def test_a_type_that_dlpack_does_not_have_is_refused_before_anything_is_read(store: CountingStore) -> None:
    group = zarrcore.open_hierarchy(store.root, "r+")
    texts = group.create_array(f"texts{store.is_remote}", shape=(2,), dtype="U3")
    texts[...] = ["a", "b"]
    array = zarrcore.open_hierarchy(store)[texts.path]
    with pytest.raises(BufferError):
        np.from_dlpack(array)
    assert store.chunk_requests() == []


def test_it_has_no_arithmetic() -> None:
    array = stored(chunks=(5, 3))
    with pytest.raises(TypeError):
        array + 1
    assert not hasattr(array, "__array_function__")
    assert not hasattr(array, "__array_ufunc__")


@pytest.mark.parametrize("limit", ["32B", "100B", "1MiB"])
@pytest.mark.parametrize("layout", [{"chunks": (5, 3)}, {"chunks": (1, 3), "shards": (4, 6)}], ids=str)
def test_dask_cuts_it_at_the_ends_of_chunks(layout: dict[str, Any], limit: str) -> None:
    array = stored(**layout)
    with dask.config.set({"array.chunk-size": limit}):
        lazy = da.from_array(array, chunks="auto")
    assert np.array_equal(lazy.compute(), VALUES)
    for lengths, chunk in zip(lazy.chunks, array.chunk_shape, strict=True):
        if limit != "32B":  # of a chunk that is too large, several parts are read
            assert all(edge % chunk == 0 for edge in np.cumsum(lengths)[:-1])
    assert np.array_equal(lazy[[1, 5, 3]][:, ::-2].compute(), VALUES[[1, 5, 3]][:, ::-2])


def test_dask_takes_chunks_that_differ_as_they_are() -> None:
    values = np.arange(56, dtype="u2").reshape(8, 7)
    array = zarrcore.open_hierarchy(rectilinear([[1, 3, 3, 2], [4, 1, 2]], values, PACKED))["/"]
    assert array.chunks == ((1, 3, 3, 1), (4, 1, 2))
    lazy = da.from_array(array, chunks=array.chunks)
    assert lazy.chunks == array.chunks
    assert np.array_equal(lazy.compute(), values)
    assert np.array_equal(da.from_array(array, chunks="auto").compute(), values)


def test_very_many_chunks_that_differ_are_not_listed() -> None:
    huge = 10**12
    edges = [[[1, huge], [2, huge]]]
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [3 * huge],
        "data_type": "uint8",
        "chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": edges}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": ["bytes"],
    }
    array = zarrcore.open_hierarchy(MemoryStore(values={"zarr.json": json.dumps(document).encode()}))["/"]
    assert array.chunks == (2,)


def test_chunks_and_shards_are_named_as_in_zarr_python() -> None:
    assert (stored(chunks=(5, 3)).chunks, stored(chunks=(5, 3)).shards) == ((5, 3), None)
    sharded = stored(chunks=(1, 3), shards=(4, 6))
    assert (sharded.chunks, sharded.shards) == ((1, 3), (4, 6))


@pytest.mark.parametrize(
    ("shape", "chunks", "shards"),
    [((10, 7), (2, 2), (4, 4)), ((10, 7), (3, 2), None), ((), (), None), ((0, 3), (1, 1), None)],
)
def test_chunks_are_counted_as_in_zarr_python(
    shape: tuple[int, ...], chunks: tuple[int, ...], shards: tuple[int, ...] | None, tmp_path: Path
) -> None:
    theirs = zarr.create_array(tmp_path / "a.zarr", shape=shape, chunks=chunks, shards=shards, dtype="int8")
    assert zarrcore.open_array(tmp_path / "a.zarr").nchunks == theirs.nchunks


def test_xarray_takes_it_as_the_values_of_a_variable() -> None:
    variable = xr.DataArray(stored(chunks=(5, 3)), dims=("y", "x"))
    assert np.array_equal(variable.isel(x=[2, 0]), VALUES[:, [2, 0]])


def test_it_pickles_with_all_its_selections() -> None:
    array = pickle.loads(pickle.dumps(stored(chunks=(5, 3))))
    assert np.array_equal(array.oindex[[3, 0], [6, 1]], VALUES[np.ix_([3, 0], [6, 1])])
    assert tokenize(array) == tokenize(pickle.loads(pickle.dumps(array)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_reads_it_too(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["plain"]
    assert np.array_equal(array[...], DATA)  # so that its threads exist before the fork
    child = os.fork()
    if child == 0:
        os._exit(
            not np.array_equal(array.oindex[[5, 20], :, [7, 40]], DATA[np.ix_([5, 20], range(40), [7, 40])])
        )
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
