"""HDF5 and NetCDF files under a mount."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import xarray as xr

from tests.core.stores.hdf5.writer import Writer, left_open
from tests.waiting import wait_until
from tests.zfs.conftest import Mounter


def test_a_netcdf_file_is_mounted_as_arrays_and_as_zarr(tmp_path: Path, mount: Mounter) -> None:
    values = np.arange(12, dtype="f4").reshape(3, 4)
    original = xr.Dataset({"a": (("y", "x"), values, {"units": "m"})}, {"x": [1.5, 2, 3, 4]})
    original.to_netcdf(
        tmp_path / "a.nc", engine="netcdf4", encoding={"a": {"zlib": True, "chunksizes": (2, 2)}}
    )
    mounted = mount(tmp_path / "a.nc")
    assert np.load(mounted.arrays / "a" / "data.npy").tobytes() == values.tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with xr.open_dataset(mounted.path / "zarr3", engine="zarr", consolidated=False) as found:
            xr.testing.assert_identical(found, original)


def test_a_file_that_is_being_written_grows_in_its_mount(tmp_path: Path, mount: Mounter) -> None:
    """S11: an answer may be as old as ``--metadata-ttl``."""
    writer = Writer(tmp_path / "a.h5", "swmr")
    try:
        mounted = mount(tmp_path / "a.h5", "--metadata-ttl", "0.2")
        for length in (3, 40):
            writer.write(length)
            wait_until(lambda length=length: len(np.load(mounted.arrays / "packed" / "data.npy")) == length)
            values = np.load(mounted.arrays / "packed" / "data.npy")
            assert values.tolist() == np.sqrt(np.arange(length)).tolist()
    finally:
        writer.end()


def test_the_log_names_a_file_whose_writer_died_once(tmp_path: Path, mount: Mounter) -> None:
    left_open(tmp_path / "a.h5")
    mounted = mount(tmp_path / "a.h5", "--metadata-ttl", "0")
    for _ in range(2):
        assert len(np.load(mounted.arrays / "packed" / "data.npy")) == 3
    assert (mounted.path / "zarr3" / "zarr.json").is_file()
    lines = [line for line in mounted.log.read_text().splitlines() if "was not closed by the program" in line]
    assert len(lines) == 1
    assert "WARNING" in lines[0]
