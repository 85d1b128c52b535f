"""``hdf5/``: programs that only know HDF5 or NetCDF read a hierarchy through a real mount."""

from __future__ import annotations

import errno
import filecmp
import os
import subprocess
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr

import zarrcore as zc
from tests.core.filetypes.hdf5.reading import written
from tests.zfs.conftest import LONGITUDE, Mount, Mounter
from tests.zfs.test_hierarchies import shown


def file_of(mount: Mount, node: Any, suffix: str) -> Path:
    """The path of a node's file."""
    folder = mount.path / "hdf5"
    if isinstance(node, zc.Group) or node.path == "/":
        return folder / shown(node.path) / f"__all__.{suffix}"
    return folder / f"{shown(node.path)}.{suffix}"


def test_every_file_equals_the_exported_one(mounted_hierarchy: tuple[Any, Mount], tmp_path: Path) -> None:
    """Groups with everything below them, and arrays with their coordinates."""
    hierarchy, mount = zc.open_hierarchy(mounted_hierarchy[0].path), mounted_hierarchy[1]
    compared = 0
    for node in hierarchy.walk():
        is_group = isinstance(node, zc.Group)
        for suffix in ("h5", "nc") if is_group else ("h5",):
            path = file_of(mount, node, suffix)
            if is_group or path.name in os.listdir(path.parent):
                assert filecmp.cmp(path, written(node, tmp_path / f"a.{suffix}"), shallow=False), path
                compared += 1
    assert compared > 100


@pytest.fixture(scope="module")
def mounted(ocean: Path, mounter: Mounter) -> Mount:
    return mounter(ocean)


@pytest.fixture(scope="module")
def sea(mounted: Mount) -> Path:
    return mounted.path / "hdf5" / "sea"


def test_a_group_is_a_directory_of_files(mounted: Mount, sea: Path) -> None:
    """S37: "A group is a directory of its nodes"."""
    assert os.listdir(sea.parent) == ["sea"]
    assert sorted(os.listdir(sea)) == [
        "broken", "empty.h5", "lon.h5", "record.h5", "scalar.h5", "time.h5", "wave.h5", "words",
    ]  # fmt: skip
    for name in ("words", "broken"):
        assert os.listdir(sea / name) == ["error.txt"]
    assert "elements of variable length" in (sea / "words/error.txt").read_text()
    for name in ("words.h5", "words.nc", "record.nc"):
        with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is looked at
            os.stat(sea / name)
        assert caught.value.errno == errno.EOPNOTSUPP
    for name in ("wave", "wave.hdf5", "h5", ".h5", "nothing.h5", "sea.h5", "__all__"):
        assert not (sea / name).exists(), name
    for name in ("broken.h5", "broken.nc", "broken/data", "words/data"):
        with pytest.raises(OSError, match="Input/output"):
            os.stat(sea / name)
    log = mounted.log.read_text()
    assert "words" in log
    assert "Traceback" not in log


def test_files_of_arrays_include_their_coordinates(sea: Path) -> None:
    with xr.open_dataset(sea / "wave.nc") as data:
        assert data.time.dtype.kind == "M"
        np.testing.assert_array_equal(data.lon, LONGITUDE)
        np.testing.assert_array_equal(data.wave, np.arange(180, dtype="f4").reshape(6, 30))
        assert data.wave.units == "m"
    with h5py.File(sea / "wave.h5") as file:
        assert sorted(file) == ["lon", "time", "wave"]


def test_omitted_content_is_reported(sea: Path) -> None:
    with h5py.File(sea / "__all__.h5") as file:
        told = " ".join(file.attrs["_zarrscope_left_out"])
        assert "/words: " in told
        assert "/broken: " in told
        assert file["scalar"][()] == 2.5
        assert file["empty"].shape == (0, 3)
        assert file["record"][0]["a"] == 3


def test_names(tmp_path: Path, mounter: Mounter) -> None:
    hierarchy = zc.create(tmp_path / "a.zarr", format="v2")
    arrays = ["x", "x.h5", "ü b", "50%", "%2E", "a.b.c", "_all_", ".h", "-", "'\n"]
    no_netcdf_names = ["%2E", ".h", "-", "'\n"]
    for number, name in enumerate(arrays):
        hierarchy.create_array(name, shape=(1,), dtype="int32")[...] = number
    for name in ("y", "y.h5", "z.nc", "z"):
        hierarchy.create_group(name)
        hierarchy.create_array(f"{name}/in", shape=(1,), dtype="int8")
    for name in ("w", "reserved"):
        hierarchy.create_array(name, shape=(1,), dtype="int32")[...] = 99
    (tmp_path / "a.zarr/reserved").rename(tmp_path / "a.zarr/__all__")
    hierarchy.create_group("w.h5")
    folder = mounter(tmp_path / "a.zarr").path / "hdf5"
    files = [f"{shown(name)}.h5" for name in (*arrays, "w")]
    assert sorted(os.listdir(folder)) == sorted([*files, "y", "y.h5", "z.nc", "z"])
    for number, name in enumerate(arrays):
        for suffix in ("h5", "nc"):
            with h5py.File(folder / f"{shown(name)}.{suffix}") as file:
                if suffix == "nc" and name in no_netcdf_names:
                    assert name not in file
                    assert "cannot be a name in NetCDF" in file.attrs["_zarrscope_left_out"][0]
                else:
                    assert file[name][0] == number
    assert os.listdir(folder / "y.h5") == ["in.h5"]
    # The file of an array wins over a group of the same name.
    with h5py.File(folder / "w.h5") as file:
        assert file["w"][0] == 99
    with h5py.File(folder / "__all__.h5") as file:
        assert {*arrays, "w", "w.h5", "y", "y.h5", "z", "z.nc"} <= set(file)


def test_a_root_that_is_an_array(tmp_path: Path, mounter: Mounter) -> None:
    zc.create(tmp_path / "a.zarr").create_array("/", shape=(3,), dtype="int16", overwrite=True)[...] = 5
    folder = mounter(tmp_path / "a.zarr", "--view", "hdf5").path
    assert os.listdir(folder) == ["__all__.h5"]
    with h5py.File(folder / "__all__.h5") as file:
        assert file["array"][...].tolist() == [5, 5, 5]
    assert not (folder / "array.h5").exists()


def test_listings_have_the_chosen_file_types(ocean: Path, mounter: Mounter) -> None:
    folder = mounter(ocean, "--view", "hdf5", "--show", "nc").path / "sea"
    assert sorted(os.listdir(folder)) == [
        "broken", "empty.nc", "lon.nc", "scalar.nc", "time.nc", "wave.nc", "words",
    ]  # fmt: skip
    with h5py.File(folder / "wave.h5") as file:
        assert file["wave"].shape == (6, 30)


def run(*command: object) -> str:
    """The output of a program that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-800:]
    return done.stdout


@pytest.mark.parametrize("name", ["wave", "__all__"])
def test_programs(sea: Path, name: str) -> None:
    assert "{6, 30}" in run("h5ls", "-r", sea / f"{name}.h5")
    dumped = run("h5dump", "-d", "/wave", "-y", "-w", "999", sea / f"{name}.h5")
    assert ", ".join(map(str, range(150, 180))) in dumped
    for suffix in ("h5", "nc"):
        header = run("ncdump", "-h", sea / f"{name}.{suffix}")
        assert "float wave(time, lon) ;" in header
        assert 'time:units = "days since 2020-01-01" ;' in header
        assert "178, 179 ;" in run("ncdump", "-v", "wave", sea / f"{name}.{suffix}")
    with netCDF4.Dataset(sea / f"{name}.nc") as file:
        assert file["wave"][...].tobytes() == np.arange(180, dtype="f4").tobytes()
    with h5netcdf.File(sea / f"{name}.nc") as file:
        assert file["lon"][...].tobytes() == LONGITUDE.tobytes()
    for engine in ("netcdf4", "h5netcdf"):
        with xr.open_dataset(sea / f"{name}.nc", engine=engine) as data:
            assert data.wave.sel(time="2020-01-10", lon=20).item() == 119
            assert data.lon.attrs["units"] == "degrees_east"


def test_xarray_opens_the_whole_tree(tmp_path: Path, mount: Mounter) -> None:
    """S37: "a dimension name has one length on the way from the root to any group"."""
    with zc.create(tmp_path / "tree.zarr") as made:
        for number, path in enumerate(("top", "a/other", "a/b/deep"), 3):
            values = np.arange(number * 4, dtype="i4").reshape(number, 4)
            made.create_array(path, shape=values.shape, dtype="i4")[...] = values
    mounted = mount(tmp_path / "tree.zarr")
    for suffix, engine in (("nc", "netcdf4"), ("nc", "h5netcdf")):
        with xr.open_datatree(mounted.path / "hdf5" / f"__all__.{suffix}", engine=engine) as tree:
            for number, path in enumerate(("top", "a/other", "a/b/deep"), 3):
                np.testing.assert_array_equal(tree[path].values.ravel(), np.arange(number * 4))
            assert tree["a/b/deep"].dims == ("dim_0_5", "dim_1")
