"""Arrays as GeoTIFF, and stacks of planes as VRT, through a real mount: GDAL reads them bit for bit, and only what it shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
import rasterio
import zarr
from rasterio.errors import NotGeoreferencedWarning
from rasterio.session import DummySession
from rasterio.windows import Window

import zarrcore
from tests.core.filetypes.images import numbers
from tests.core.filetypes.tiff.maps import array_in
from tests.core.filetypes.tiff.pyramids import halved
from tests.servers import S3Server
from tests.servers.proxy import proxy
from tests.zfs.conftest import Mount, Mounter
from tests.zfs.http.serving import serving
from tests.zfs.test_hierarchies import decodable, same_bits
from zarrcore.array import plane_ndim

TYPES = [
    np.dtype(code)
    for code in ("?", "i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8", "<c8", "<c16")
]
SERIES = numbers((5, 300, 400), "i2")
LEVELS = halved((2, 1100, 1400), "u2", 3)


@contextmanager
def opened(path: Path | str, **options: Any) -> Iterator[Any]:
    # Without a session, rasterio makes one of AWS for each file, as there are keys in the environment.
    with warnings.catch_warnings(), rasterio.Env(DummySession()):
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path, **options) as dataset:
            yield dataset


@pytest.fixture(scope="module")
def maps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A time series, and a pyramid; rows go from south to north."""
    path = tmp_path_factory.mktemp("maps") / "maps.zarr"
    hierarchy = zarrcore.create(path)
    hierarchy.create_group("climate").attributes = {"proj:code": "EPSG:32633"}
    array_in(hierarchy, "climate/y", 4600000 + 10.0 * np.arange(300), ["y"])
    array_in(hierarchy, "climate/x", 500000 + 10.0 * np.arange(400), ["x"])
    times = {"units": "days since 2020-01-01"}
    array_in(hierarchy, "climate/time", np.arange(5), ["time"], attributes=times)
    attributes = {"units": "K", "_FillValue": -1}
    array_in(hierarchy, "climate/t", SERIES, ["time", "y", "x"], attributes=attributes, chunks=(1, 128, 128))
    array_in(hierarchy, "climate/last", SERIES.transpose(1, 2, 0), ["y", "x", "time"])
    layout = [
        {"asset": str(n), "spatial:transform": [10.0 * 2**n, 0, 500000, 0, 10.0 * 2**n, 4600000]}
        for n in range(len(LEVELS))
    ]
    hierarchy.create_group("scene").attributes = {
        "multiscales": {"layout": layout},
        "proj:code": "EPSG:32633",
    }
    for number, data in enumerate(LEVELS):
        array_in(hierarchy, f"scene/{number}", data, ["band", "y", "x"], chunks=(1, 256, 256))
    return path


@pytest.fixture(scope="module")
def mounted(maps: Path, mounter: Mounter) -> Mount:
    return mounter(maps)


def test_every_supported_array_is_readable_as_geotiff(mounted_hierarchy: tuple[Any, Mount]) -> None:
    read = 0
    for folder, expected in decodable(*mounted_hierarchy):
        path = folder / "data.tif"
        has_colours = plane_ndim(expected.shape, expected.dtype) == 3
        fits = expected.size > 0 and (not has_colours or expected.ndim == 3)
        if expected.dtype not in TYPES:
            assert expected.dtype == np.float16 or not path.exists(), folder
            continue
        assert path.exists() == fits, folder
        if fits:
            with opened(path) as dataset:
                bands = expected.transpose(2, 0, 1) if has_colours else expected
                elements = bands.view("u1") if expected.dtype == bool else bands
                assert same_bits(dataset.read().reshape(bands.shape), elements), folder
            read += 1
    assert read > 50


def test_a_map(mounted: Mount) -> None:
    with opened(mounted.arrays / "climate/t/data.tif") as dataset:
        assert dataset.crs.to_string() == "EPSG:32633"
        assert dataset.transform[:6] == (10, 0, 499995, 0, -10, 4602995)
        assert dataset.nodata == -1
        assert dataset.descriptions[1:3] == ("time=2020-01-02", "time=2020-01-03")
        assert np.array_equal(dataset.read(), SERIES[:, ::-1])


@pytest.mark.parametrize("name", ["slices/3.tif", "[3,:,:].tif", "3,_,_.tif", "[time=3].tif"])
def test_planes_and_selections(mounted: Mount, name: str) -> None:
    with opened(mounted.arrays / "climate/t" / name) as dataset:
        assert dataset.crs.to_string() == "EPSG:32633"
        assert np.array_equal(dataset.read(1), SERIES[3, ::-1])
    assert not (mounted.arrays / "climate/t/slices/5.tif").exists()
    assert not (mounted.arrays / "climate/t/[9].tif").exists()


@pytest.mark.parametrize("name", ["t", "last"])
def test_a_stack_refers_to_files_of_the_mount(mounted: Mount, name: str) -> None:
    with opened(mounted.arrays / "climate" / name / "data.vrt") as dataset:
        assert dataset.crs.to_string() == "EPSG:32633"
        assert dataset.descriptions[4] == "time=2020-01-05"
        assert np.array_equal(dataset.read(), SERIES[:, ::-1])
        window = Window(3, 5, 70, 60)
        assert np.array_equal(dataset.read(2, window=window), SERIES[1, ::-1][5:65, 3:73])
        files = [Path(file).relative_to(mounted.arrays / "climate" / name) for file in dataset.files]
    assert {str(file) for file in files[1:]} == {
        f"slices/{number}.tif" if name == "t" else f"_,_,{number}.tif" for number in range(5)
    }


def test_planes_are_no_stack(mounted: Mount) -> None:
    assert not (mounted.arrays / "climate/x/data.vrt").exists()


def test_levels_are_overviews(mounted: Mount) -> None:
    for name in ("scene/image.tif", "scene/0/data.tif", "scene/0/slices/1.tif", "scene/0/data.vrt"):
        path = mounted.arrays / name
        with opened(path) as dataset:
            assert dataset.overviews(1) == [2, 4], name
        with opened(path, overview_level=1) as dataset:
            band = 1 if "slices" in name else 2
            assert np.array_equal(dataset.read(band), LEVELS[2][1, ::-1]), name
    assert not (mounted.arrays / "climate/image.tif").exists()


def test_listings_have_the_chosen_file_types(mounter: Mounter, maps: Path) -> None:
    folder = mounter(maps, "--show", "tif").arrays
    assert "image.tif" in os.listdir(folder / "scene")
    listed = ["attributes.json", "data.tif", "data.vrt", "metadata.json", "slices"]
    assert sorted(os.listdir(folder / "climate/t")) == listed
    assert os.listdir(folder / "climate/t/slices") == [f"{number}.tif" for number in range(5)]
    assert sorted(os.listdir(folder / "climate/x")) == ["attributes.json", "data.tif", "metadata.json"]


def test_a_new_crs_is_that_of_the_next_file_that_is_opened(mount: Mounter, tmp_path: Path) -> None:
    hierarchy = zarrcore.create(tmp_path / "a.zarr")
    array_in(hierarchy, "a", SERIES, ["time", "y", "x"])
    mounted = mount(tmp_path / "a.zarr", "--metadata-ttl", "0")
    for code in ("EPSG:32633", "EPSG:4326"):
        zarr.open_group(tmp_path / "a.zarr", mode="r+").attrs["proj:code"] = code
        for name in ("data.tif", "slices/1.tif", "data.vrt"):
            with opened(mounted.arrays / "a" / name) as dataset:
                assert dataset.crs.to_string() == code, name


def test_coordinates_that_cannot_be_read_leave_the_elements(mount: Mounter, tmp_path: Path) -> None:
    hierarchy = zarrcore.create(tmp_path / "a.zarr")
    array_in(hierarchy, "y", np.arange(300.0), ["y"])
    array_in(hierarchy, "x", np.arange(400.0), ["x"])
    array_in(hierarchy, "a", SERIES, ["time", "y", "x"])
    (tmp_path / "a.zarr/y/c/0").write_bytes(b"broken")
    with opened(mount(tmp_path / "a.zarr").arrays / "a/data.tif") as dataset:
        assert np.array_equal(dataset.read(), SERIES)
        assert dataset.transform.is_identity


_SHOWING = """
import json, sys
import rasterio
from rasterio.session import DummySession
from rasterio.windows import Window

def stats():
    with open(sys.argv[2]) as file:
        found = json.load(file)
    return found["decoded"]["chunks"], found["store"]["get"]["requests"]

with rasterio.open(sys.argv[1]) as dataset:
    told = [stats()]
    window = dataset.read(2, window=Window(300, 600, 100, 100))
    told.append(stats())
    coarse = dataset.read(2, out_shape=(275, 350))
    told.append(stats())
print(json.dumps([told, window.tolist(), coarse.tolist()]))
"""
"""In a process of its own: GDAL waits for files without letting other threads of Python run, such as those of a server."""


def _shown(program: str, *arguments: str | Path) -> Any:
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, check=True)
    return json.loads(done.stdout)


def test_far_away(s3: S3Server, mount: Mounter, maps: Path) -> None:
    """Opening a map requests metadata; a window costs its chunks, and a view of the whole map those of an overview."""
    s3.upload(maps, "bucket/far.zarr")
    with proxy(s3.endpoint_url, 0.02) as distant:
        mounted = mount("s3://bucket/far.zarr", "--endpoint-url", distant.url, "--region", "us-east-1")
        path = mounted.arrays / "scene/0/data.tif"
        stats, window, coarse = _shown(_SHOWING, path, mounted.path / ".zarrscope/stats.json")
    assert np.array_equal(window, LEVELS[0][1, ::-1][600:700, 300:400])
    assert np.array_equal(coarse, LEVELS[2][1, ::-1])
    (chunks, opening), (_, with_window), (_, with_coarse) = stats
    assert chunks == 0
    # The kernel reads ahead, so there may be chunks beside the ones that were shown, of the 60 of the first level.
    assert 1 <= with_window - opening <= 6
    assert 4 <= with_coarse - with_window <= 8


_READING = """
import json, sys
import rasterio
with rasterio.open(sys.argv[1]) as dataset:
    print(json.dumps([dataset.crs.to_string(), dataset.read(3).tolist()]))
"""


def test_over_http(maps: Path) -> None:
    with serving(maps) as server:
        crs, band = _shown(_READING, f"/vsicurl/{server.url}/arrays/climate/t/data.vrt")
    assert (crs, np.array_equal(band, SERIES[2, ::-1])) == ("EPSG:32633", True)


def test_through_fsspec(maps: Path) -> None:
    files = fsspec.filesystem("zarrscope", source=str(maps))
    with files.open("arrays/climate/t/slices/2.tif") as stream, opened(stream) as dataset:
        assert dataset.crs.to_string() == "EPSG:32633"
        assert np.array_equal(dataset.read(1), SERIES[2, ::-1])
