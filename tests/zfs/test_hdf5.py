"""``hdf5/``: programs that know only HDF5 or NetCDF read a hierarchy through a real mount."""

from __future__ import annotations

import errno
import filecmp
import os
import shutil
import subprocess
import sys
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
from tests.servers import S3Server
from tests.servers.latency import distant
from tests.zfs.conftest import Mount, Mounter, wait_until
from tests.zfs.test_hierarchies import shown

TIME = np.arange(6) * 3
LONGITUDE = np.linspace(-20, 20, 30)


def file_of(mount: Mount, node: Any, suffix: str) -> Path:
    """Where a node's file is."""
    folder = mount.path / "hdf5"
    if isinstance(node, zc.Group) or node.path == "/":
        return folder / shown(node.path) / f"__all__.{suffix}"
    return folder / f"{shown(node.path)}.{suffix}"


def made(mount: Mount) -> int:
    """How many files were made so far."""
    return int(mount.stats()["hdf5_files"]["made"])


def test_every_file_is_the_one_that_is_written(mounted_hierarchy: tuple[Any, Mount], tmp_path: Path) -> None:
    """Groups with all below them, and arrays with their coordinates."""
    hierarchy, mount = zc.open(mounted_hierarchy[0].path), mounted_hierarchy[1]
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
def ocean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hierarchy with coordinates, beside what HDF5 cannot hold, and what nobody can open."""
    path = tmp_path_factory.mktemp("ocean") / "ocean.zarr"
    hierarchy = zc.create(path)
    group = hierarchy.create_group("sea", attributes={"title": "Nordsee"})
    for name, data, units in (("time", TIME, "days since 2020-01-01"), ("lon", LONGITUDE, "degrees_east")):
        hierarchy.create_array(
            f"sea/{name}", shape=data.shape, data_type=data.dtype, dimension_names=[name],
            attributes={"units": units},
        )[...] = data  # fmt: skip
    wave = hierarchy.create_array(
        "sea/wave", shape=(6, 30), data_type="float32", chunk_shape=(1, 30), dimension_names=["time", "lon"],
        attributes={"units": "m"},
    )  # fmt: skip
    wave[...] = np.arange(180).reshape(6, 30)
    hierarchy.create_array("sea/words", shape=(2,), data_type="string")[...] = ["a", "b"]
    hierarchy.create_array(
        "sea/record", shape=(1,), data_type=np.dtype([("a", "i4")])
    )[...] = np.array([(3,)], [("a", "i4")])  # fmt: skip
    hierarchy.create_array("sea/empty", shape=(0, 3), data_type="int16")
    hierarchy.create_array("sea/scalar", shape=(), data_type="float64")[...] = 2.5
    (path / "sea/broken").mkdir()
    (path / "sea/broken/zarr.json").write_text("{}")
    assert group.path == "/sea"
    return path


@pytest.fixture(scope="module")
def sea(ocean: Path, mounter: Mounter) -> Path:
    return mounter(ocean).path / "hdf5" / "sea"


def test_a_group_is_a_directory_of_files(sea: Path) -> None:
    """S37."""
    assert os.listdir(sea.parent) == ["__all__.h5", "sea"]
    assert sorted(os.listdir(sea)) == [
        "__all__.h5", "broken", "empty.h5", "lon.h5", "record.h5", "scalar.h5", "time.h5", "wave.h5", "words",
    ]  # fmt: skip
    for name in ("words", "broken"):
        assert os.listdir(sea / name) == ["error.txt"]
    assert "elements of any length" in (sea / "words/error.txt").read_text()
    for name in ("words.h5", "words.nc", "record.nc"):
        with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is looked at
            os.stat(sea / name)
        assert caught.value.errno == errno.EOPNOTSUPP
    for name in ("wave", "wave.hdf5", "h5", ".h5", "nothing.h5", "broken.h5", "sea.h5", "__all__"):
        assert not (sea / name).exists(), name
    log = (sea.parents[1].parent / f"log{int(sea.parents[1].name[3:]) + 1}").read_text()
    assert "words" in log
    assert "Traceback" not in log


def test_arrays_bring_their_coordinates(sea: Path) -> None:
    with xr.open_dataset(sea / "wave.nc") as data:
        assert data.time.dtype.kind == "M"
        np.testing.assert_array_equal(data.lon, LONGITUDE)
        np.testing.assert_array_equal(data.wave, np.arange(180, dtype="f4").reshape(6, 30))
        assert data.wave.units == "m"
    with h5py.File(sea / "wave.h5") as file:
        assert sorted(file) == ["lon", "time", "wave"]


def test_what_is_left_out_is_told(sea: Path) -> None:
    with h5py.File(sea / "__all__.h5") as file:
        told = " ".join(file.attrs["_zarrscope_left_out"])
        assert "/words: " in told
        assert "/broken: " in told
        assert file["scalar"][()] == 2.5
        assert file["empty"].shape == (0, 3)
        assert file["record"][0]["a"] == 3


def test_listing_makes_nothing(ocean: Path, mount: Mounter) -> None:
    """S38."""
    mounted = mount(ocean)
    for folder, _, names in os.walk(mounted.path / "hdf5"):
        assert len(names) >= 1, folder
    assert made(mounted) == 0
    folder = mounted.path / "hdf5" / "sea"
    assert (folder / "wave.h5").stat().st_size == len((folder / "wave.h5").read_bytes()) > 0
    # A listing tells the size that is known, and nothing wrong where none is.
    sizes = {entry.name: entry.stat().st_size for entry in os.scandir(folder) if entry.is_file()}
    for name, size in sizes.items():
        assert len((folder / name).read_bytes()) == size > 0, name
    assert made(mounted) == len(sizes)


def test_an_open_file_stays_when_metadata_change(ocean: Path, tmp_path: Path, mount: Mounter) -> None:
    """S39."""
    source = shutil.copytree(ocean, tmp_path / "a.zarr")
    mounted = mount(source, "--metadata-ttl", "forever")
    path = mounted.path / "hdf5" / "sea" / "wave.h5"
    hierarchy = zc.open(source, "r+")
    with path.open("rb", buffering=0) as before, path.open("rb") as again:
        content = before.read()
        number = os.fstat(before.fileno()).st_ino
        assert os.fstat(again.fileno()).st_ino == number
        hierarchy["sea/wave"].attributes = {"units": "foot", "long": ["x" * 1000] * 50}
        assert path.stat().st_size == len(content)
        mounted.refresh()
        wait_until(lambda: path.stat().st_size != len(content), "the new size is told")
        assert path.stat().st_ino != number
        with h5py.File(path) as file:
            assert file["wave"].attrs["units"] == "foot"
            np.testing.assert_array_equal(file["wave"], np.arange(180).reshape(6, 30))
        assert os.fstat(before.fileno()).st_size == len(content)
        assert again.read() == content
        before.seek(0)
        assert before.read() == content
    # Nothing was told about that: it is the same again, and so is its number as long as it is open.
    with path.open("rb") as before:
        number = os.fstat(before.fileno()).st_ino
        count = made(mounted)
        mounted.refresh()
        wait_until(lambda: made(mounted) > count or path.stat().st_ino < 0, "it is made anew")
        assert path.stat().st_ino == number


def test_the_same_length_and_other_content(ocean: Path, tmp_path: Path, mount: Mounter) -> None:
    """What the kernel has of a file is forgotten when other metadata make the same number of bytes."""
    source = shutil.copytree(ocean, tmp_path / "a.zarr")
    mounted = mount(source, "--metadata-ttl", "0")
    path = mounted.path / "hdf5" / "sea" / "wave.h5"
    size = path.stat().st_size
    for units in ("cm", "mm", "km"):
        zc.open(source, "r+")["sea/wave"].attributes = {"units": units}
        with h5py.File(path) as file:
            assert file["wave"].attrs["units"] == units
        zc.open(source, "r+")["sea/time"][0] = len(units)
        with h5py.File(path) as file:
            assert file["time"][0] == len(units)
    assert path.stat().st_size == size


def test_names(tmp_path: Path, mounter: Mounter) -> None:
    hierarchy = zc.create(tmp_path / "a.zarr", format="v2")
    arrays = ["x", "x.h5", "ü b", "50%", "%2E", "a.b.c", "_all_", ".h", "-", "'\n"]
    for number, name in enumerate(arrays):
        hierarchy.create_array(name, shape=(1,), data_type="int32")[...] = number
    for name in ("y", "y.h5", "z.nc", "z"):
        hierarchy.create_group(name).hierarchy.create_array(f"{name}/in", shape=(1,), data_type="int8")
    for name in ("w", "reserved"):
        hierarchy.create_array(name, shape=(1,), data_type="int32")[...] = 99
    (tmp_path / "a.zarr/reserved").rename(tmp_path / "a.zarr/__all__")
    hierarchy.create_group("w.h5")
    folder = mounter(tmp_path / "a.zarr").path / "hdf5"
    files = [f"{shown(name)}.h5" for name in (*arrays, "w", "__all__")]
    assert sorted(os.listdir(folder)) == sorted([*files, "y", "y.h5", "z.nc", "z"])
    for number, name in enumerate(arrays):
        for suffix in ("h5", "nc"):
            with h5py.File(folder / f"{shown(name)}.{suffix}") as file:
                assert file[name][0] == number
    assert os.listdir(folder / "y.h5") == ["__all__.h5", "in.h5"]
    # The file of an array wins over a group: it is what the tree is for.
    with h5py.File(folder / "w.h5") as file:
        assert file["w"][0] == 99
    with h5py.File(folder / "__all__.h5") as file:
        assert {*arrays, "w", "w.h5", "y", "y.h5", "z", "z.nc"} <= set(file)


def test_a_root_that_is_an_array(tmp_path: Path, mounter: Mounter) -> None:
    zc.create(tmp_path / "a.zarr").create_array("/", shape=(3,), data_type="int16", overwrite=True)[...] = 5
    folder = mounter(tmp_path / "a.zarr", "--view", "hdf5").path
    assert os.listdir(folder) == ["__all__.h5"]
    with h5py.File(folder / "__all__.h5") as file:
        assert file["array"][...].tolist() == [5, 5, 5]
    assert not (folder / "array.h5").exists()


def test_what_listings_show(ocean: Path, mounter: Mounter) -> None:
    folder = mounter(ocean, "--view", "hdf5", "--show", "nc").path / "sea"
    assert sorted(os.listdir(folder)) == [
        "__all__.nc", "broken", "empty.nc", "lon.nc", "scalar.nc", "time.nc", "wave.nc", "words",
    ]  # fmt: skip
    with h5py.File(folder / "wave.h5") as file:
        assert file["wave"].shape == (6, 30)


def run(*command: object) -> str:
    """What a program says that has to succeed."""
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


def test_a_damaged_chunk_concerns_who_reads_it(ocean: Path, tmp_path: Path, mount: Mounter) -> None:
    source = shutil.copytree(ocean, tmp_path / "a.zarr")
    (source / "sea/wave/c/3/0").write_bytes(b"junk")
    mounted = mount(source)
    daemon = mounted.daemon()
    path = mounted.path / "hdf5" / "__all__.h5"
    dumped = subprocess.run(["h5dump", path], capture_output=True, text=True, timeout=120)
    assert dumped.returncode != 0
    assert "-20, -18.62" in dumped.stdout
    with h5py.File(path) as file, pytest.raises(OSError, match="Input/output error"):
        file["sea/wave"][...]
    with h5py.File(path) as file:
        assert file["sea/lon"][...].tobytes() == LONGITUDE.tobytes()
    shutil.rmtree(source / "sea")
    mounted.refresh()
    wait_until(lambda: os.listdir(path.parent) == ["__all__.h5"], "the group is gone")
    with h5py.File(path) as file:
        assert not len(file)
    assert mounted.daemon() == daemon
    assert "Traceback" not in mounted.log.read_text()


_LOOKING = """
import h5py, sys
with h5py.File(sys.argv[1]) as file:
    names = []
    file.visititems(lambda name, node: names.append((name, node.shape, dict(node.attrs))))
    print(len(names))
"""
_READING = """
import h5py, sys
with h5py.File(sys.argv[1]) as file:
    sys.stdout.buffer.write(file["a42"][int(sys.argv[2])].tobytes())
"""


def test_far_away(s3: S3Server, tmp_path: Path, mount: Mounter) -> None:
    """S40: "Who looks at names, shapes and attributes fetches no chunk": 100 arrays, and 50 ms for each request."""
    values = np.random.default_rng(0).integers(0, 99, (8, 256, 512), "<i4")
    hierarchy = zc.create(tmp_path / "hundred.zarr")
    hierarchy.create_array("time", shape=(8,), data_type="int64", dimension_names=["time"])[...] = np.arange(
        8
    )
    for number in range(99):
        array = hierarchy.create_array(
            f"a{number}", shape=values.shape, data_type="int32", chunk_shape=(2, 64, 256),
            dimension_names=["time", "y", "x"], attributes={"n": number},
        )  # fmt: skip
        if number == 42:
            array[...] = values
    s3.upload(tmp_path / "hundred.zarr", "bucket/hundred.zarr")
    with distant(s3.endpoint_url, 0.05) as endpoint:
        mounted = mount("s3://bucket/hundred.zarr", "--endpoint-url", endpoint, "--region", "us-east-1")
        path = mounted.path / "hdf5" / "__all__.h5"

        def asked() -> tuple[int, int]:
            stats = mounted.stats()
            return stats["store"]["get"]["requests"], stats["decoded"]["chunks"]

        assert int(run(sys.executable, "-c", _LOOKING, path)) >= 100
        metadata, decoded = asked()
        assert (metadata <= 110, decoded) == (True, 0)
        for plane, chunks in ((5, 8), (4, 0), (1, 8)):
            read = subprocess.run([sys.executable, "-c", _READING, path, str(plane)], capture_output=True)
            assert read.stdout == values[plane].tobytes()
            metadata, decoded = metadata + chunks, decoded + chunks
            assert asked() == (metadata, decoded)
