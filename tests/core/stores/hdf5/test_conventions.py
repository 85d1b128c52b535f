"""NetCDF-4 files: xarray opens the original and its copy as identical datasets."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr

import zarrcore
from tests.command import run_inside


@pytest.fixture(autouse=True)
def _warnings_of_others() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def write_netcdf(path: Path) -> None:
    """What NetCDF-4 knows: unlimited dimensions, packed and missing values, characters, dimensions without a variable."""
    with netCDF4.Dataset(path, "w") as file:
        file.title = "héllo"
        file.number = np.int16(3)
        file.numbers = np.array([1.5, 2.5], "f4")
        file.setncattr_string("texts", ["a", "b"])
        for name, length in (("time", None), ("lat", 4), ("lon", 5), ("characters", 6)):
            file.createDimension(name, length)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "days since 2000-01-01"
        time[:] = np.arange(3)
        file.createVariable("lat", "f4", ("lat",))[:] = np.linspace(-1, 1, 4)
        packed = file.createVariable(
            "packed", "i2", ("time", "lat", "lon"), fill_value=-999, zlib=True, shuffle=True, fletcher32=True
        )
        packed.scale_factor, packed.add_offset, packed.coordinates = np.float32(0.1), 5.0, "auxiliary"
        packed[:] = np.arange(60).reshape(3, 4, 5) * 0.1 + 5
        packed[1, 1, 1] = np.ma.masked
        missing = file.createVariable("missing", "f4", ("time", "lat"), fill_value=np.nan, chunksizes=(1, 4))
        missing[:] = np.arange(12).reshape(3, 4)
        big = file.createVariable("big", "f8", ("lat", "lon"), endian="big", contiguous=True)
        big.missing_value, big.valid_range = -1.0, np.array([0, 1.0])
        big[:] = 3
        file.createVariable("auxiliary", "f4", ("lat", "lon"), fill_value=1e20)[:] = 1
        file.createVariable("text", str, ("lat",))[:] = np.array(["a", "b", "ü", ""], object)
        characters = file.createVariable("letters", "S1", ("lat", "characters"))
        characters[:] = netCDF4.stringtochar(np.array(["abc", "defghi", "x", ""], "S6"))
        file.createVariable("lon", "i4", ("lat", "lon"))[:] = (
            1  # of the name of a dimension that is not its first
        )
        file.createVariable("scalar", "i4", ())[...] = 7
        file.createVariable("byte", "u1", ("lon",), fill_value=255)[:] = [1, 2, 3, 4, 255]
        group = file.createGroup("group")
        group.createDimension("z", 2)
        group.createVariable("inherited", "f4", ("z", "lat"))[:] = 2


def datasets() -> xr.Dataset:
    """A dataset of xarray's types."""
    return xr.Dataset(
        {
            "values": (("x", "y"), np.random.default_rng(0).random((30, 40), "f4")),
            "flags": (("x",), np.arange(30) % 2 == 0),
            "times": (("y",), np.arange(40).astype("M8[D]").astype("M8[ns]")),
            "spans": (("x",), np.arange(30).astype("m8[h]").astype("m8[ns]")),
            "texts": (("x",), np.array([f"s{i}" for i in range(30)])),
        },
        coords={"x": np.linspace(0, 1, 30), "y": np.arange(40), "m": "q"},
        attrs={"a": 1, "b": "x", "c": [1, 2, 3.0]},
    )


def check_copy(
    source: Path, copy: Path, group: str | None = None, engines: tuple[str, ...] = ("netcdf4", "h5netcdf")
) -> None:
    """Copy a file, and compare what xarray makes of both."""
    outcome = run_inside("copy", source, copy)
    assert outcome.status == 0, outcome.stderr
    options: dict[str, Any]
    for options in ({}, {"decode_cf": False}, {"mask_and_scale": False}):
        theirs = {"engine": "zarr", "consolidated": False, "group": group, **options}
        for engine in engines:
            with (
                xr.open_dataset(source, engine=engine, group=group, **options) as original,
                xr.open_dataset(copy, **theirs) as copied,
            ):
                xr.testing.assert_identical(original, copied)


@pytest.mark.parametrize("group", [None, "group"])
def test_a_copy_of_a_file_of_netcdf4_is_identical_for_xarray(tmp_path: Path, group: str | None) -> None:
    write_netcdf(tmp_path / "a.nc")
    check_copy(tmp_path / "a.nc", tmp_path / "a.zarr", group)


@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
def test_a_copy_of_a_file_of_xarray_is_identical_for_xarray(tmp_path: Path, engine: Any) -> None:
    datasets().to_netcdf(
        tmp_path / "a.nc", engine=engine, encoding={"values": {"zlib": True, "chunksizes": (10, 40)}}
    )
    check_copy(tmp_path / "a.nc", tmp_path / "a.zarr")


def test_dimensions_without_a_variable_and_bookkeeping_are_not_shown(tmp_path: Path) -> None:
    write_netcdf(tmp_path / "a.nc")
    with zarrcore.open_hierarchy(tmp_path / "a.nc") as hierarchy:
        assert "characters" not in [node.name for node in hierarchy["/"].children()]
        assert hierarchy["letters"].dimension_names == ("lat", "characters")
        assert hierarchy["lon"].dimension_names == ("lat", "lon")
        assert hierarchy["lat"].attributes == {}
        assert {*hierarchy["/"].attributes} == {"title", "number", "numbers", "texts"}


def test_scales_and_labels_of_h5py_name_dimensions(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"] = np.zeros((2, 3, 4))
        file["far/scale"] = np.arange(2)
        file["far/scale"].make_scale("its name")
        file["a"].dims[0].attach_scale(file["far/scale"])
        file["a"].dims[1].label = "label"
        file["e"] = np.array([1, 2], h5py.enum_dtype({"low": 1, "very high": 2}, basetype="i1"))
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["a"].dimension_names == ("its name", "label", None)
        assert hierarchy["e"].attributes == {"flag_values": [1, 2], "flag_meanings": "low very_high"}


@pytest.mark.parametrize("fill", [None, -9])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_a_variable_is_as_long_as_its_unlimited_dimension(
    tmp_path: Path, fill: Any, compression: Any
) -> None:
    options: dict[str, Any] = {"fill_value": fill, "compression": compression, "chunksizes": (3, 2)}
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        for name, length in (("t", None), ("u", None), ("x", 3), ("v", None)):
            file.createDimension(name, length)
        file.createVariable("long", "f4", ("t", "x"))[:] = np.arange(45).reshape(15, 3)
        file.createVariable("short", "i2", ("t", "x"), **options)[:2] = 1
        file.createVariable("nothing", "i4", ("u",))
        file.createVariable("text", str, ("t",))[:2] = np.array(["a", "ü"], object)
        file.createVariable("letter", "S1", ("t",))[:1] = b"q"
        file.createVariable("u", "i8", ("u",))[:] = [3, 4]
        file.createVariable("v", "i8", ("v", "x"))[:2] = 5
        group = file.createGroup("group")
        group.createVariable("inner", "i2", ("t", "x"))[:20, :1] = 1
    for path in (None, "group"):  # h5netcdf fails on the texts
        check_copy(tmp_path / "a.nc", tmp_path / f"{path}.zarr", path, ("netcdf4",))
    assert zarrcore.open_hierarchy(tmp_path / "a.nc")["long"].shape == (20, 3)


def test_a_variable_may_be_short_along_several_dimensions(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("t", None)
        file.createDimension("u", None)
        file.createVariable("t", "i4", ("t",))[:] = np.arange(9)
        file.createVariable("u", "i4", ("u",))[:] = np.arange(7)
        file.createVariable("both", "f8", ("t", "u"), chunksizes=(3, 2), fill_value=-9)[:4, :5] = 2
    # Here the C library leaves elements undefined.
    check_copy(tmp_path / "a.nc", tmp_path / "a.zarr", engines=("h5netcdf",))


def test_plain_hdf5_has_no_dimensions_that_are_longer_than_a_dataset(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, length in (("t", 5), ("a", 2)):
            file.create_dataset(name, (length,), "i4", maxshape=(None,))
        file["t"].make_scale()
        file["a"].dims[0].attach_scale(file["t"])
    assert zarrcore.open_hierarchy(tmp_path / "a.h5")["a"].shape == (2,)
