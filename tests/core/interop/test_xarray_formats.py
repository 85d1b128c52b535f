"""xarray's engine on formats that xarray's own engine for Zarr cannot open, compared with independent programs."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr

from tests.archives import unpack
from tests.core.formats import zarr_python_1_arrays as version_1
from tests.core.formats.drafts import zarr_python_2_drafts as drafts
from tests.core.formats.n5 import zarr_python_2_n5 as n5
from tests.core.stores.hdf5 import files as hdf5
from tests.core.stores.reference.conftest import kerchunk_references
from zarrcore.interop.xarray import ZarrscopeBackend

ENGINE = ZarrscopeBackend


def test_version_1_opens(tmp_path: Path) -> None:
    root = unpack(version_1.ARCHIVE, tmp_path)
    for name in version_1.ARRAYS:
        with xr.open_dataset(root / name, engine=ENGINE, decode_cf=False, chunks={}) as found:
            values = version_1.values(name)
            assert found["array"].chunks == ((2, 2, 1), (3, 3, 1))
            assert found["array"].values.tobytes() == values.astype(found["array"].dtype).tobytes()
    with xr.open_dataset(root / "zlib", engine=ENGINE) as found:  # its fill value masks, as in version 2
        values = version_1.values("zlib")
        assert np.array_equal(found["array"], np.where(values == 42, np.nan, values), equal_nan=True)


def test_the_draft_of_zarr_python_2_opens(tmp_path: Path) -> None:
    root = unpack(drafts.ARCHIVE, tmp_path) / "nodes"
    with xr.open_datatree(root, engine=ENGINE, decode_cf=False) as tree:
        for name, dtype in drafts.TYPES.items():
            found = tree["types"][name]
            assert found.values.tobytes() == drafts.values(dtype).astype(found.dtype).tobytes()
        assert tree["types/text"].values.tolist() == drafts.texts().tolist()
        for name in drafts.COMPRESSORS:
            assert np.array_equal(tree[f"compressors/{name}"], drafts.values("<i4"))
        assert tree["order"].attrs == {"units": "m"}


def test_n5_of_zarr_python_2_opens(tmp_path: Path) -> None:
    with xr.open_dataset(unpack(n5.ARCHIVE, tmp_path), engine=ENGINE, group="group", chunks={}) as found:
        assert {*found} == {*n5.COMPRESSORS}
        for name in n5.COMPRESSORS:
            assert np.array_equal(found[name], n5.VALUES)
            assert (found[name].dims, found[name].attrs) == (("y", "x"), {"unit": "mm"})
            assert found[name].chunks == ((2, 2, 1), (3, 3, 1))


@pytest.mark.parametrize("generation", hdf5.GENERATIONS)
def test_hdf5_of_every_type_and_layout_opens(tmp_path: Path, generation: str) -> None:
    with h5py.File(tmp_path / "a.h5", "w", **hdf5.GENERATIONS[generation]) as file:
        hdf5.write_types(file)
        hdf5.write_layouts(file, 100)
    datasets: dict[str, h5py.Dataset] = {}
    with (
        warnings.catch_warnings(action="ignore"),
        xr.open_datatree(tmp_path / "a.h5", engine=ENGINE, decode_cf=False) as tree,
        h5py.File(tmp_path / "a.h5") as file,
    ):
        file.visititems(
            lambda path, node: datasets.update({path: node} if isinstance(node, h5py.Dataset) else {})
        )
        found = {
            f"{group.path.strip('/')}/{name}".strip("/"): values
            for group in tree.subtree
            for name, values in group.to_dataset(inherit=False).variables.items()
        }
        assert sorted(found) == sorted(datasets)
        for path, values in found.items():
            hdf5.assert_equal(values.values, datasets[path], path)


def test_references_are_the_file_that_they_refer_to(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    air = (("time", "x"), random.normal(280, 9, (4, 6)), {"units": "K"})
    times = np.datetime64("2001-01-01") + np.arange(4).astype("m8[D]").astype("m8[ns]")
    packed = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -999}
    written = xr.Dataset({"air": air}, {"time": times, "x": np.arange(6.0)}, {"title": "example"})
    written.to_netcdf(tmp_path / "a.nc", engine="h5netcdf", encoding={"air": packed})
    (tmp_path / "a.refs.json").write_text(json.dumps(kerchunk_references(tmp_path / "a.nc")))
    with (
        xr.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as expected,
        xr.open_dataset(tmp_path / "a.refs.json", engine=ENGINE) as found,
    ):
        xr.testing.assert_equal(found.load(), expected.load())
        assert found.air.attrs == {"units": "K"}
