"""What xarray's engine reads when: lazily, chunk by chunk with Dask, and in other processes."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
import xarray as xr
import zarr

import zarrcore
from tests.core.array.counting_store import CountingStore
from zarrcore.interop.xarray import ZarrscopeBackend

ENGINE = ZarrscopeBackend
VALUES = np.arange(48 * 60, dtype="i4").reshape(48, 60)


@pytest.fixture(params=["chunks", "shards"])
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """An array in chunks of 8 × 10, in shards of 24 × 20 or without."""
    root = zarr.create_group(tmp_path / "a.zarr")
    shards = (24, 20) if request.param == "shards" else None
    root.create_array("x", data=VALUES, chunks=(8, 10), shards=shards, dimension_names=["lat", "lon"])
    root.create_array("lat", data=np.arange(48.0), chunks=(48,), dimension_names=["lat"])
    return tmp_path / "a.zarr"


def test_the_chunks_of_dask_are_those_of_the_array(path: Path) -> None:
    with xr.open_dataset(path, engine=ENGINE, chunks={}) as found:
        assert found.x.chunks == ((8,) * 6, (10,) * 6)
        assert np.array_equal(found.x.compute(), VALUES)
        assert isinstance(found.lat.values, np.ndarray)
    with xr.open_dataset(path, engine=ENGINE) as found:
        assert found.x.chunks is None


@pytest.mark.parametrize("most", [2_000, 4_000, 9_000])
def test_automatic_chunks_of_dask_consist_of_whole_chunks(path: Path, most: int) -> None:
    with (
        dask.config.set({"array.chunk-size": most}),
        xr.open_dataset(path, engine=ENGINE, chunks="auto") as found,
        xr.open_dataset(path, engine="zarr", chunks="auto", consolidated=False) as expected,
    ):
        assert found.x.chunks == expected.x.chunks
        assert found.x.chunks != ((8,) * 6, (10,) * 6)
        for lengths, whole in zip(found.x.chunks, (8, 10), strict=True):
            assert not any(stop % whole for stop in itertools.accumulate(lengths))
        assert np.array_equal(found.x.compute(), VALUES)


@pytest.mark.parametrize("chunks", [None, {}])
def test_a_selection_reads_only_the_chunks_that_it_crosses(path: Path, chunks: Any) -> None:
    store = CountingStore(path, remote=False)
    with xr.open_dataset(zarrcore.open_hierarchy(store), engine=ENGINE, chunks=chunks) as found:
        assert {*store.chunk_requests()} == {"lat/c/0"}, "opening reads the coordinate, for xarray's index"
        store.requests.clear()
        part = found.x.isel(lat=slice(9, 15), lon=25)
        part = part.transpose().isel(lat=[0, -1])
        assert (part.shape, store.requests) == ((2,), [])
        assert part.values.tolist() == VALUES[[9, 14], 25].tolist()
        is_sharded = found.x.encoding["chunks"] != zarr.open_array(path / "x").metadata.chunk_grid.chunk_shape
        assert {*store.chunk_requests()} == {"x/c/0/1" if is_sharded else "x/c/1/2"}
        store.requests.clear()
        found.x.sel(lat=[0.0, 47.0]).isel(lon=0).load()
        assert {*store.chunk_requests()} == ({"x/c/0/0", "x/c/1/0"} if is_sharded else {"x/c/0/0", "x/c/5/0"})


@pytest.mark.sampled(1, axes=[])
def test_chunks_are_read_in_other_processes(path: Path) -> None:  # which import xarray first
    with (
        xr.open_dataset(path, engine=ENGINE, chunks={"lat": 24, "lon": 60}) as found,
        dask.config.set(scheduler="processes", num_workers=2),
    ):
        assert int(found.x.sum()) == VALUES.sum()
