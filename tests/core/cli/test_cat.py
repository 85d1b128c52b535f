"""``zarrscope cat``."""

from __future__ import annotations

import io
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
import tifffile
import xarray as xr
import zarr

import zarrcore
from tests.command import Run
from tests.core.cli.arrays import DATA
from tests.core.filetypes.tiff.pyramids import AXES, halved, ngff, written
from zarrcore.filetypes import SUFFIXES, TEXT_SUFFIXES


def test_cat_to_standard_output(zarrscope_process: Run, source: Path) -> None:
    raw = zarrscope_process("cat", source, "images/stack", "--select", "z=2,y=3-9")
    assert raw.stdout == DATA[2, 3:9].tobytes()
    npy = zarrscope_process("cat", source, "images/stack", "--select", "-1,:,::2", "--as", "npy")
    assert np.array_equal(np.load(io.BytesIO(npy.stdout)), DATA[-1, :, ::2])


def test_cat_to_a_file_takes_the_type_from_its_name(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    for name in ("a.npy", "a.raw", "a.dat"):
        assert zarrscope("cat", source, "images/stack", "-o", tmp_path / name).status == 0
    assert np.array_equal(np.load(tmp_path / "a.npy"), DATA)
    assert (tmp_path / "a.raw").read_bytes() == (tmp_path / "a.dat").read_bytes() == DATA.tobytes()
    assert zarrscope("cat", source, "images/stack", "--select", "0", "-o", tmp_path / "a.png").status == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    for suffix, magic in (("tiff", b"II\x2b\0"), ("nrrd", b"NRRD0004\n")):
        assert zarrscope("cat", source, "images/stack", "-o", tmp_path / f"a.{suffix}").status == 0
        assert (tmp_path / f"a.{suffix}").read_bytes().startswith(magic)
    assert (tmp_path / "a.npy").stat().st_mode & 0o777 == (tmp_path / "a.raw").stat().st_mode & 0o777


def test_a_failed_cat_leaves_the_old_file(zarrscope: Run, tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "x.zarr", data=DATA, chunks=(1, 30, 40))
    (tmp_path / "x.zarr/c/3/0/0").write_bytes(b"cut")
    target = tmp_path / "x.npy"
    target.write_text("precious")
    failed = zarrscope("cat", tmp_path / "x.zarr", "-o", target)
    assert failed.status == 1
    assert failed.stderr.startswith(f"zarrscope: c/3/0/0 in {tmp_path}/x.zarr: zstd: ")
    assert target.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["x.zarr", "x.npy"] or len(
        list(tmp_path.iterdir())
    ) == 2


def test_output_through_a_link_keeps_the_link(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    (tmp_path / "link.raw").symlink_to("target.raw")
    assert zarrscope("cat", source, "images/stack", "-o", tmp_path / "link.raw").status == 0
    assert (tmp_path / "link.raw").is_symlink()
    assert (tmp_path / "target.raw").read_bytes() == DATA.tobytes()


@pytest.mark.parametrize("suffix", ["hdf5", "h5", "h5ad", "nxs", "hdf", "netcdf", "nc"])
def test_cat_writes_all_of_a_group(zarrscope: Run, source: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / "all"
    done = zarrscope("cat", source, "--as", suffix, "-o", target)
    assert (done.status, "note: left out /odd: " in done.stderr) == (0, True)
    named = tmp_path / f"named.{suffix}"
    assert zarrscope("cat", source, "images/stack", "-o", named).status == 0
    with h5py.File(target) as file:
        assert np.array_equal(file["images/stack"], DATA)
        assert file["images/stack"].dims[1][0].name == "/images/y"
        (told,) = file.attrs["_zarrscope_left_out"]
        assert told.startswith("/odd: odd/zarr.json: shape: ")
    with h5py.File(named) as file:
        assert np.array_equal(file["stack"], DATA)


@pytest.mark.parametrize("suffix", ["h5", "nc"])
def test_cat_writes_no_file_without_its_array(zarrscope: Run, tmp_path: Path, suffix: str) -> None:
    array = zarrcore.create(tmp_path / "a.zarr").create_array(
        "names", shape=(2,), dtype="string", chunks=(2,)
    )
    array[...] = np.array(["a", "b\0c"], object)
    refused = zarrscope("cat", tmp_path / "a.zarr", "names", "-o", tmp_path / f"a.{suffix}")
    assert (refused.status, "has a zero byte" in refused.stderr) == (1, True)
    assert [one.name for one in tmp_path.iterdir()] == ["a.zarr"]
    array[1] = "é"
    assert zarrscope("cat", tmp_path / "a.zarr", "names", "-o", tmp_path / f"a.{suffix}").status == 0
    with h5py.File(tmp_path / f"a.{suffix}") as file:
        assert file["names"].asstr()[...].tolist() == ["a", "é"]


def test_cat_writes_groups_only_as_types_that_can_hold_them(
    zarrscope: Run, source: Path, tmp_path: Path
) -> None:
    refused = zarrscope("cat", source, "images", "-o", tmp_path / "a.npy")
    assert (refused.status, "--as hdf5" in refused.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["nc", "h5"])
@pytest.mark.parametrize("group", [(), ("tas",)])
@pytest.mark.parametrize("select", ["time=3:9:2,x=-1", "3:9:2,:,-1"])
def test_cat_of_a_part_has_its_coordinates(
    zarrscope: Run, tmp_path: Path, suffix: str, group: tuple[str, ...], select: str
) -> None:
    values = np.random.default_rng(0).random((12, 4, 5))
    whole = xr.Dataset(
        {"tas": (("time", "y", "x"), values, {"units": "K"}), "other": (("y",), np.arange(4))},
        {"time": np.arange(12) * 6, "x": np.arange(5) / 2, "lat": (("y", "x"), values[0])},
    )
    whole.to_zarr(tmp_path / "a.zarr", zarr_format=3, consolidated=False)
    path = tmp_path / f"part.{suffix}"
    done = zarrscope("cat", tmp_path / "a.zarr", *group, "--select", select, "-o", path)
    if not group and "=" not in select:
        assert (done.status, "name it, or select by names" in done.stderr) == (2, True)
        assert not path.exists()
        return
    assert done.status == 0, done.stderr
    expected = whole.isel(time=slice(3, 9, 2), x=[-1])
    with xr.open_dataset(path, engine="h5netcdf") as found:
        xr.testing.assert_equal(found.load(), expected[["tas"]] if group else expected)


@pytest.mark.parametrize(
    ("select", "why"),
    [("::-1", "the order of elements"), ("n=0", "n"), ("9", "9")],
)
def test_cat_refuses_a_part_that_there_is_not(
    zarrscope: Run, source: Path, tmp_path: Path, select: str, why: str
) -> None:
    refused = zarrscope("cat", source, "images/stack", "--select", select, "-o", tmp_path / "a.h5")
    assert (refused.status, why in refused.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["ometiff", "ome.tiff", "ome.tif"])
def test_cat_of_an_array_as_ome_tiff(zarrscope: Run, source: Path, tmp_path: Path, suffix: str) -> None:
    by_name, told = tmp_path / "a.ome.tiff", tmp_path / "told"
    written = zarrscope("cat", source, "images/stack", "--as", suffix, "--select", "1:", "--output", told)
    assert written.status == 0, written.stderr
    with tifffile.TiffFile(told) as file:
        assert (file.is_ome, file.series[0].axes) == (True, "ZYX")
        assert np.array_equal(file.asarray(), DATA[1:])
    if suffix != "ometiff":
        assert zarrscope("cat", source, "images/stack", "--output", tmp_path / f"a.{suffix}").status == 0
        assert np.array_equal(tifffile.imread(tmp_path / f"a.{suffix}"), DATA)
    assert by_name.exists() == (suffix == "ome.tiff")


def test_cat_of_an_image_in_levels(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    levels = halved((2, 600, 500), "u2", 3)
    written(tmp_path / "a.zarr", levels, ngff([*AXES[1:2], *AXES[3:]], 3))
    done = zarrscope("cat", tmp_path / "a.zarr", "-o", tmp_path / "a.ome.tiff")
    assert done.status == 0, done.stderr
    with tifffile.TiffFile(tmp_path / "a.ome.tiff") as file:
        assert len(file.pages) == 2
        for level, data in zip(file.series[0].levels, levels, strict=True):
            assert np.array_equal(level.asarray(), data)
    assert zarrscope("cat", tmp_path / "a.zarr", "1", "-o", tmp_path / "b.ome.tiff").status == 0
    with tifffile.TiffFile(tmp_path / "b.ome.tiff") as file:
        assert np.array_equal(file.asarray(), levels[1])
        assert 'PhysicalSizeX="130.0"' in file.ome_metadata
    refused = zarrscope("cat", tmp_path / "a.zarr", "--as", "ometiff", "--select", "0", "-o", tmp_path / "b")
    assert (refused.status, "omit --select" in refused.stderr) == (2, True)
    refused = zarrscope("cat", source, "images", "--as", "ometiff", "-o", tmp_path / "b")
    assert (refused.status, "is not a multiscale image" in refused.stderr) == (2, True)
    assert not (tmp_path / "b").exists()


def test_help_and_errors_name_the_same_file_types(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    told = re.search(r"known are (.*)", zarrscope("cat", source, "images/stack", "--as", "bmp").stderr)
    assert told is not None
    types = told[1].split(", ")
    assert zarrscope("cat", source, "images", "--as", "bmp").stderr == f"zarrscope: {told.string[11:]}"
    shown = " ".join(zarrscope("cat", "--help").text.split())
    assert f"{', '.join(types[:-1])} or {types[-1]} (default" in shown
    registered = {*SUFFIXES, *TEXT_SUFFIXES, "hdf5", "netcdf"}
    assert {{"ometiff": "ome.tiff", "geotiff": "tif"}.get(name, name) for name in types} == registered
    for name in {*types, "tif", "ome.tif", "ome.tiff", "h5", "nc"}:
        target = tmp_path / f"file.{name}"
        select = () if name in {"hdf5", "h5", "netcdf", "nc"} else ("--select", "0")
        assert zarrscope("cat", source, "images/stack", *select, "-o", target).status == 0
        asked = zarrscope("cat", source, "images/stack", *select, "--as", name, "-o", tmp_path / "asked")
        assert (asked.status, asked.stderr) == (0, "")
        assert (tmp_path / "asked").read_bytes() == target.read_bytes()
    assert (tmp_path / "file.tif").read_bytes() == (tmp_path / "file.geotiff").read_bytes()


def test_dates_without_a_unit_are_shown_as_counts(zarrscope: Run, tmp_path: Path) -> None:
    array = zarrcore.create(tmp_path / "a.zarr").create_array("a", shape=(3,), dtype="datetime64")
    array[...] = np.array([1, -2, -(2**63)]).view("M8")
    assert zarrscope("cat", tmp_path / "a.zarr", "a", "--as", "json").text == "[1, -2, null]\n"
    assert zarrscope("cat", tmp_path / "a.zarr", "a", "--as", "csv").text == '1\n-2\n""\n'
    assert zarrscope("info", tmp_path / "a.zarr", "a").status == 0


def test_a_suffix_of_no_file_type_is_noted(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    done = zarrscope("cat", source, "images/stack", "--select", "0", "-o", tmp_path / "plane.jpg")
    assert done.status == 0
    assert (
        "plane.jpg is written as raw: no file type has the suffix .jpg; choose one of raw, npy" in done.stderr
    )
    for name in ("plane", "plane.bin", "plane.npy"):
        assert (
            zarrscope("cat", source, "images/stack", "--select", "0", "-o", tmp_path / name).stderr == ""
        ), name


def test_missing_chunks_are_an_error_where_that_is_wanted(zarrscope: Run, tmp_path: Path) -> None:
    source = tmp_path / "x.zarr"
    for shards, where in ((None, "c/3/0/0"), ((DATA.shape[0] * 2, 30, 40), "c/0/0/0")):
        array = zarr.create_array(
            source, shape=DATA.shape, dtype=DATA.dtype, chunks=(1, 30, 40), shards=shards, overwrite=True
        )
        array[:3] = DATA[:3] + 1
        for command in (
            ("cat", source),
            ("checksum", source),
            ("copy", source, tmp_path / "copy.zarr", "--overwrite"),
            ("copy", source, tmp_path / "copy.zarr", "--overwrite", "--chunks", "2,30,40"),
            ("diff", source, source),
        ):
            assert zarrscope(*command).status == 0
            failed = zarrscope(*command, "--missing", "error")
            assert failed.status in (1, 2)
            said = failed.stderr + failed.stdout.decode("latin1")
            assert re.search(rf"{where} in \S+: .* is missing, and is not to be read as fill values", said)
