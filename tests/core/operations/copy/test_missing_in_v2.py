"""xarray finds the same missing elements in an array of Zarr v3 or HDF5 and in its copy as Zarr v2."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray

import zarrcore as zc
from tests.command import run_inside

VALUES = [0, 1, 2, -9, 7, 5]


def test_xarray_masks_the_same_elements_in_a_copy_of_its_own_zarr_v3(tmp_path: Path) -> None:
    """xarray writes the fill value NaN beside any attribute ``_FillValue``, which is in base64."""
    for name, missing in {"float": -9.0, "zero": 0.0, "nan": np.nan, "none": None}.items():
        data = xarray.Dataset({"p": ("x", np.array(VALUES, "f4"))})
        with warnings.catch_warnings(action="ignore"):
            data.to_zarr(
                tmp_path / name, zarr_format=3, consolidated=False, encoding={"p": {"_FillValue": missing}}
            )
        _copied_like(tmp_path / name, "zarr")


def test_xarray_masks_the_same_integers_in_a_copy(tmp_path: Path) -> None:
    data = xarray.Dataset({"p": ("x", np.where(np.arange(6) == 3, np.nan, np.arange(6)))})
    encoding = {"p": {"dtype": "int16", "scale_factor": 0.5, "_FillValue": -9}}
    with warnings.catch_warnings(action="ignore"):
        data.to_zarr(tmp_path / "a", zarr_format=3, consolidated=False, encoding=encoding)
    _copied_like(tmp_path / "a", "zarr")
    assert (tmp_path / "a.copy" / "p" / "0").read_bytes() == (tmp_path / "a" / "p" / "c" / "0").read_bytes()


@pytest.mark.parametrize("dtype", ["i4", "f4"])
@pytest.mark.parametrize("fill_value", [0, 7, -9])
def test_xarray_masks_the_same_elements_in_a_copy_of_an_hdf5_file(
    tmp_path: Path, dtype: str, fill_value: int
) -> None:
    with h5py.File(tmp_path / "a", "w") as file:
        file["x"] = np.arange(12)
        file["x"].make_scale("x")
        array = file.create_dataset("p", (12,), dtype, chunks=(3,), fillvalue=fill_value)
        array[:6] = VALUES  # two chunks of four
        array.attrs["_FillValue"] = np.array(-9, dtype)[()]
        array.dims[0].attach_scale(file["x"])
    _copied_like(tmp_path / "a", "h5netcdf")


def _copied_like(path: Path, engine: Any) -> None:
    copy = path.with_name(f"{path.name}.copy")
    assert run_inside("copy", str(path), str(copy), "--to", "v2", "--quiet").status == 0
    with warnings.catch_warnings(action="ignore"):
        options = {"consolidated": False} if engine == "zarr" else {}
        expected = xarray.open_dataset(path, engine=engine, **options).load()
        found = xarray.open_dataset(copy, engine="zarr", consolidated=False, zarr_format=2).load()
        ours = xarray.open_dataset(copy, engine="zarrscope").load()
    xarray.testing.assert_equal(found, expected)
    xarray.testing.assert_equal(ours, expected)
    with zc.open_hierarchy(path) as source, zc.open_hierarchy(copy) as written:
        assert np.array_equal(source["p"][...], written["p"][...], equal_nan=source["p"].dtype.kind == "f")
