"""Other programs that read HDF5 and NetCDF-4, with files of every type."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr

import zarrcore
from tests.core.filetypes.hdf5.reading import written

TIME = np.array(["2020-01-01", "NaT", "2020-01-03T12"], "M8[ns]")
T = np.arange(6, dtype="f4").reshape(3, 2)
ARRAYS: dict[str, tuple[np.ndarray, list[str] | None]] = {
    "time": (TIME, ["time"]),
    "station": (np.array(["Köln", "Rom"]), ["station"]),
    "t": (T, ["time", "station"]),
    "half": (T.astype("f2"), ["time", "station"]),
    "lat": (T / 2, ["time", "station"]),
    "flag": (np.array([True, False]), ["station"]),
    "tag": (np.array([b"ab", b"c"]), ["station"]),
    "wave": (np.array([1 + 2j, 3j], "c8"), ["station"]),
    "span": (np.array([1, 2, 3], "m8[s]"), ["time"]),
    "day": (np.array(["2020-02-01", "1700-01-02", "NaT"], "M8[D]"), ["time"]),
    "bare": (np.arange(35, dtype="u2").reshape(5, 7), None),
    "raw": (np.array([b"\1\2\3", b"\4\5\6"]).view("V3"), ["station"]),
    "record": (np.array([(1, 0.5)], [("a", "<i4"), ("b", "<f8")]), None),
    "scalar": (np.array(7.5), []),
    "empty": (np.zeros((0, 2), "i4"), ["nothing", "station"]),
    **{
        f"{kind}": (np.arange(3, dtype=kind), ["time"]) for kind in ("i1", "u1", "i2", "u4", "i8", "u8", "f8")
    },
}


@pytest.fixture(scope="module")
def hierarchy() -> zarrcore.Hierarchy:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group(
        "/", attributes={"title": "Wetter", "levels": [1, 2], "deep": {"a": [None]}}, overwrite=True
    )
    for name, (data, names) in ARRAYS.items():
        for path in (f"/{name}", f"/sub/{name}"):
            attributes: dict[str, Any] = {"long_name": name, "flags": [True, False]}
            if name == "t":
                attributes |= {"units": "K", "coordinates": "lat", "_FillValue": 5}
            array = hierarchy.create_array(
                path, shape=data.shape, dtype=data.dtype, dimension_names=names, attributes=attributes
            )
            array[...] = data
    return hierarchy


@pytest.fixture(scope="module")
def h5(hierarchy: zarrcore.Hierarchy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(hierarchy["/"], tmp_path_factory.mktemp("hdf5") / "all.h5")


@pytest.fixture(scope="module")
def nc(hierarchy: zarrcore.Hierarchy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(hierarchy["/"], tmp_path_factory.mktemp("netcdf") / "all.nc")


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


def test_h5ls_and_h5dump_read_every_type(h5: Path, nc: Path) -> None:
    listed = dict(re.findall(r"^(/\S+)\s+(\S.*)$", run("h5ls", "-r", h5), re.MULTILINE))
    for name, (data, _) in ARRAYS.items():
        shape = "SCALAR" if data.shape == () else ", ".join(map(str, data.shape))
        for path in (f"/{name}", f"/sub/{name}"):
            assert listed[path] == f"Dataset {{{shape}}}"
    assert "H5T_ENUM" in run("h5dump", h5)
    values = run("h5dump", "-d", "/bare", "-y", "-w", "1000", h5)
    assert ", ".join(map(str, range(28, 35))) in values
    assert "ASCII" in run("h5dump", "-H", nc)


def test_ncdump_reads_the_longest_names(tmp_path: Path) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/", attributes={"l" * 255: 1, "m" * 256: 2}, overwrite=True)
    header = run("ncdump", "-h", written(hierarchy["/"], tmp_path / "x.nc"))
    assert "l" * 255 + " = 1" in header
    assert "m = 2" not in header
    assert "too long for NetCDF" in header


@pytest.mark.parametrize("name", ["re\u0301gion", " lead", "trail ", "\n", "a\tb", "\x7f", "-", "..x"])
def test_netcdf_reads_files_of_nodes_with_any_name(tmp_path: Path, name: str) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/", attributes={name: 1}, overwrite=True)
    for path in ("/good", f"/{name}/good", f"/in/{name}"):
        hierarchy.create_array(path, shape=(2,), dtype="i2", attributes={name: 1}, dimension_names=[name])
    path = written(hierarchy["/"], tmp_path / "x.nc")
    assert "short good(" in run("ncdump", path)
    run("nccopy", path, tmp_path / "copy.nc")
    with netCDF4.Dataset(tmp_path / "copy.nc") as data:
        is_name = name == "re\u0301gion"
        assert set(data.groups) == {"in", *(["r\u00e9gion"] if is_name else [])}
        assert data["good"].dimensions == ("r\u00e9gion_2" if is_name else "dim_0",)  # next to a group
        if is_name:
            assert data["in/r\u00e9gion"].dimensions == ("r\u00e9gion",)
        assert ("_zarrscope_left_out" in data.ncattrs()) is not is_name


def test_ncdump_reads_every_type(h5: Path, nc: Path) -> None:
    header = run("ncdump", "-h", h5)
    assert "float t(time, station) ;" in header
    assert "string station(station) ;" in header
    whole = run("ncdump", nc)
    for line in (
        "float t(time, station) ;",
        "float half(time, station) ;",
        "float wave(station, ri) ;",
        "char tag(station, string2) ;",
        "char station(station, string16) ;",
        "byte flag(station) ;",
        "ushort bare(dim_0, dim_1) ;",
        "double scalar ;",
        't:units = "K" ;',
        "t:_FillValue = 5.f ;",
        ':title = "Wetter" ;',
        ":levels = 1LL, 2LL ;",
    ):
        assert f"\t{line}\n" in whole
    assert "record(" not in whole
    assert "/record: data type" in whole.split("_zarrscope_left_out")[1]
    assert '"Rom"' in whole


@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
@pytest.mark.parametrize("group", ["/", "/sub"])
def test_xarray_decodes_netcdf(nc: Path, engine: Any, group: str) -> None:
    with xr.open_dataset(nc, engine=engine, group=group, decode_timedelta=True) as data:
        assert data.sizes["time"] == 3
        assert set(data.coords) == {"time", "station", "lat"}
        np.testing.assert_array_equal(data.time.values, TIME)
        assert data.station.values.tolist() == ["Köln", "Rom"]
        np.testing.assert_array_equal(data.t.values, np.where(T == 5, np.nan, T))
        assert float(data.t.isel(time=0).sel(station="Rom")) == 1
        np.testing.assert_array_equal(data.half.values, T)
        assert data.flag.dtype == bool
        assert data.flag.values.tolist() == [True, False]
        assert data.tag.values.tolist() == [b"ab", b"c"]
        np.testing.assert_array_equal(data.span.values, ARRAYS["span"][0])
        np.testing.assert_array_equal(data.day.values, ARRAYS["day"][0])
        assert data.wave.values.tolist() == [[1, 2], [0, 3]]
        for name in ("bare", "scalar", "empty", "i1", "u1", "i2", "u4", "i8", "u8", "f8"):
            np.testing.assert_array_equal(data[name].values, ARRAYS[name][0])
            assert data[name].dtype == ARRAYS[name][0].dtype


def test_xarray_decodes_hdf5(h5: Path) -> None:
    with xr.open_dataset(
        h5, engine="h5netcdf", phony_dims="sort", decode_timedelta=True, drop_variables=["raw", "record"]
    ) as data:
        np.testing.assert_array_equal(data.time.values, TIME)
        np.testing.assert_array_equal(data.wave.values, ARRAYS["wave"][0])
        np.testing.assert_array_equal(data.half.values, ARRAYS["half"][0])
        assert data.half.dtype == np.float16
        assert data.flag.values.tolist() == [True, False]
        assert [text.decode() for text in data.station.values] == ["Köln", "Rom"]


def test_netcdf4_python_reads_a_file(nc: Path) -> None:
    with netCDF4.Dataset(nc) as data:
        assert data.title == "Wetter"
        assert data["t"].dimensions == ("time", "station")
        assert data["t"][:].mask.tolist() == (T == 5).tolist()
        assert data["sub"]["i8"][:].tolist() == [0, 1, 2]
        assert data["station"][:].tolist() == ["Köln", "Rom"]
        assert data["flag"].getncattr("dtype") == "bool"


def test_h5netcdf_reads_files(nc: Path, h5: Path) -> None:
    with h5netcdf.File(nc, "r") as data:
        assert data.dimensions["time"].size == 3
        assert set(data.groups) == {"sub"}
        assert data["t"].dimensions == ("time", "station")
        assert data["sub/half"][...].tolist() == T.tolist()
    with h5netcdf.File(h5, "r", phony_dims="sort") as data:
        assert data["t"].dimensions == ("time", "station")


def test_h5py_reads_all(h5: Path) -> None:
    with h5py.File(h5) as file:
        for name in ("t", "half", "flag", "tag", "wave", "bare", "raw", "record", "scalar", "empty"):
            found, expected = np.asarray(file["sub"][name][()]), ARRAYS[name][0]
            assert found.dtype == expected.dtype
            assert found.tobytes() == expected.tobytes()
        assert file.attrs["title"] == "Wetter"
        assert file.attrs["deep"] == '{"a": [null]}'
        assert "_zarrscope_left_out" not in file.attrs


@pytest.mark.parametrize("kind", ["h5", "nc"])
def test_programs_read_all_structures(kind: str, h5: Path, nc: Path, tmp_path: Path) -> None:
    file = {"h5": h5, "nc": nc}[kind]
    assert "# of unique groups: 2" in run("h5stat", file)
    assert "Superblock version number:                         0" in run("h5debug", file)
    run("h5repack", file, tmp_path / "repacked")
    run("h5diff", file, tmp_path / "repacked", "/sub/t", "/sub/t")
    run("h5copy", "-i", file, "-o", tmp_path / "copied", "-s", "/sub", "-d", "/there")
    for read, group in ((tmp_path / "repacked", "sub"), (tmp_path / "copied", "there")):
        with h5py.File(read) as found, h5py.File(file) as expected:
            assert set(found[group]) == set(expected["sub"])
            for name, dataset in expected["sub"].items():
                assert np.asarray(found[group][name][()]).tobytes() == np.asarray(dataset[()]).tobytes()
                assert set(found[group][name].attrs) == set(dataset.attrs)
    size = re.search(r"EOA is (\d+); EOF is (\d+)", run("h5clear", "--filesize", file))
    assert size is not None
    assert {int(number) for number in size.groups()} == {file.stat().st_size}


def test_a_written_file_can_be_changed(h5: Path, tmp_path: Path) -> None:
    """The HDF5 library finds its own changes: removed, added and moved objects."""
    changed = tmp_path / "changed.h5"
    changed.write_bytes(h5.read_bytes())
    with h5py.File(changed, "r+") as file:
        file["t"][...] = 4
        del file["t"].attrs["units"]
        file["t"].attrs["note"] = ["new"] * 50
        file["sub/t"].dims[0].attach_scale(file["time"])
        for number in range(300):
            file.create_group(f"sub/new{number}").attrs["number"] = number
        del file["station"], file.attrs["title"]
        file.move("sub/half", "half of all")
        file.create_dataset("more", data=np.arange(5000), chunks=(100,), compression="gzip")
    run("h5repack", changed, tmp_path / "repacked.h5")
    for path in (changed, tmp_path / "repacked.h5"):
        with h5py.File(path) as file:
            assert np.all(file["t"][...] == 4)
            assert file["t"].attrs["note"].tolist() == ["new"] * 50
            assert [file["sub"][f"new{number}"].attrs["number"] for number in range(300)] == [*range(300)]
            assert set(file) >= {"time", "half of all", "more"}
            assert "station" not in file
            assert file["more"][...].tolist() == [*range(5000)]
            assert file["sub/t"].dims[0][1].name == "/time"
