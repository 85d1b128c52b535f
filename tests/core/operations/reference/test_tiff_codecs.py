"""References to TIFF files that zarrscope writes, read by fsspec with zarr-python, by xarray, and by zarrscope."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
import rasterio
import tifffile
import xarray
import zarr

import zarrcore as zc
from tests.core.codecs.registered_imagecodecs import HAS_VERSION_3, register
from tests.core.operations.reference.readers import by_zarr, written
from tests.core.stores.tiff.ramps import ramps
from zarrcore.errors import UnsupportedError
from zarrcore.operations.reference import ReferenceResult, write_references
from zarrcore.stores import open_store
from zarrcore.typing import AnyArray

Elements = AnyArray
LOSSLESS = ("lzw", "packbits", "deflate", "zstd", "lzma")
ENCODINGS: list[tuple[str | None, int | None, str]] = [
    *((name, None, dtype) for name in (None, *LOSSLESS) for dtype in ("i2", "f4")),
    *((name, 2, dtype) for name in LOSSLESS for dtype in ("u1", "i2", "u4", "i8")),
    *((name, 3, dtype) for name in LOSSLESS for dtype in ("f2", "f4", "f8")),
    *((name, None, "u1") for name in ("jpeg", "jpeg2000", "jpegxl", "jpegxr", "png")),
    ("jpeg2000", None, "u2"), ("jpegxl", None, "f4"), ("png", None, "u2"),
]  # fmt: skip
LAYOUTS: dict[str, dict[str, Any]] = {"tiles": {"tile": (32, 16)}, "strips": {"rowsperstrip": 10}}


@pytest.fixture(autouse=True)
def registered() -> None:
    """Let zarr-python decode what references to TIFF files name."""
    register()


def _referenced(tiff: Path, **options: Any) -> ReferenceResult:
    store = open_store(tiff.parent)
    return write_references(zc.open_hierarchy(tiff), store, "a.refs.json", **options)


def _by_both(tiff: Path, name: str = "0") -> Iterator[Elements]:
    """An array in references with metadata of Zarr v3, as zarrscope and zarr-python read it."""
    path, _ = written(tiff, 3)
    yield zc.open_hierarchy(path)[name][...]
    if HAS_VERSION_3:
        with warnings.catch_warnings(), zarr.config.set({"array.rectilinear_chunks": True}):
            warnings.simplefilter("ignore")
            yield np.asarray(by_zarr(path, 3)[name][...])


def _by_all(path: Path, name: str = "0") -> Iterator[Elements]:
    """An array as zarrscope, zarr-python and xarray read it."""
    yield zc.open_hierarchy(path)[name][...]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        filesystem = fsspec.filesystem(
            "reference", fo=str(path), remote_protocol="file", asynchronous=True, skip_instance_cache=True
        )
        store = zarr.storage.FsspecStore(filesystem, read_only=True, path="")
        yield np.asarray(zarr.open_group(store, mode="r", zarr_format=2)[name][...])
        with xarray.open_dataset(str(path), engine="kerchunk", mask_and_scale=False) as dataset:
            yield dataset[name].to_numpy()


def _values(dtype: str, shape: tuple[int, ...] = (3, 40, 20)) -> Elements:
    return ramps(dtype, shape)


@pytest.mark.sampled(15)
@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("compression", "predictor", "dtype"), ENCODINGS)
def test_segments_become_references(
    tmp_path: Path, compression: str | None, predictor: int | None, dtype: str, layout: str, byteorder: str
) -> None:
    native = {("jpeg2000", "u2"), ("png", "u2"), *(() if HAS_VERSION_3 else [("jpegxl", "f4")])}
    if byteorder == ">" and (compression, dtype) in native:
        byteorder = "="  # tifffile does not write them otherwise
    path, options = tmp_path / "a.tif", {**LAYOUTS[layout], "photometric": "minisblack"}
    tifffile.imwrite(
        path, _values(dtype), compression=compression, predictor=predictor, byteorder=byteorder, **options
    )
    expected = tifffile.imread(path)
    result = _referenced(path)
    assert result.references == 12 or compression is None
    assert not result.inlined
    for found in (*_by_all(tmp_path / "a.refs.json"), *_by_both(path)):
        assert found.dtype.newbyteorder("=") == np.dtype(dtype)
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("predictor", [None, 2])
def test_separate_colours(tmp_path: Path, predictor: int | None) -> None:
    path, values = tmp_path / "a.tif", _values("u2")
    options = {"photometric": "rgb", "planarconfig": "separate", "compression": "lzw", "predictor": predictor}
    tifffile.imwrite(path, values, tile=(16, 16), **options)
    _referenced(path)
    for found in _by_all(tmp_path / "a.refs.json"):
        assert np.array_equal(found, values)


def test_pyramids(tmp_path: Path) -> None:
    path, values = tmp_path / "a.tif", _values("f4")
    options: dict[str, Any] = {"tile": (16, 16), "compression": "zstd", "predictor": 3}
    with tifffile.TiffWriter(path, ome=True) as writer:
        writer.write(values, subifds=1, metadata={"axes": "ZYX"}, **options)
        writer.write(values[:, ::2, ::2], subfiletype=1, **options)
    _referenced(path)
    for name, expected in (("0", values), ("1", values[:, ::2, ::2])):
        ours, theirs = islice(_by_all(tmp_path / "a.refs.json", name), 2)  # xarray takes arrays of one size
        assert np.array_equal(ours, expected)
        assert np.array_equal(theirs, expected)


def test_volumes_with_tiles_of_several_planes(tmp_path: Path) -> None:
    path, values = tmp_path / "a.tif", _values("i2", (8, 40, 50))
    tifffile.imwrite(path, values, tile=(4, 16, 32), volumetric=True, compression="lzw", predictor=2)
    _referenced(path)
    for found in _by_all(tmp_path / "a.refs.json"):
        assert np.array_equal(found, values)


def test_missing_tiles_have_the_fill_value(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    tiles = [np.full((16, 16), 9, "i2"), None, None, np.full((16, 16), 5, "i2")]
    nodata = [(42113, "s", 0, "-7", True)]
    options: dict[str, Any] = {"tile": (16, 16), "compression": "lzw", "predictor": 2, "extratags": nodata}
    tifffile.imwrite(path, iter(tiles), shape=(32, 32), dtype="i2", **options)
    expected = tifffile.imread(path)
    assert sorted(set(expected.flat)) == [-7, 5, 9]
    assert _referenced(path).references == 2
    for found in _by_all(tmp_path / "a.refs.json"):
        assert np.array_equal(found, expected)


def _jpeg_of_gdal(path: Path, values: Elements) -> None:
    options = {"tiled": True, "blockxsize": 16, "blockysize": 16, "compress": "jpeg", "dtype": "uint8"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with rasterio.open(path, "w", "GTiff", values.shape[1], values.shape[0], 1, **options) as file:
            file.write(values, 1)


def test_jpeg_with_tables_in_the_page(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    _jpeg_of_gdal(path, _values("u1", (64, 48)))
    expected = tifffile.imread(path)
    assert not _referenced(path).inlined
    told = json.loads((tmp_path / "a.refs.json").read_text())["refs"]
    assert json.loads(told["0/.zarray"])["compressor"].keys() == {"id", "tables"}
    for found in _by_all(tmp_path / "a.refs.json"):
        assert np.array_equal(found, expected)


def test_jpeg_with_other_tables_in_each_page_is_copied_with_them(tmp_path: Path) -> None:
    pages = []
    for number, quality in enumerate((20, 95)):
        values = np.random.default_rng(number).integers(0, 255, (32, 32)).astype("u1")
        options = {"tiled": True, "blockxsize": 16, "blockysize": 16, "compress": "jpeg", "dtype": "uint8"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with rasterio.open(
                tmp_path / f"{number}.tif", "w", "GTiff", 32, 32, 1, jpeg_quality=quality, **options
            ) as file:
                file.write(values, 1)
        pages.append((tmp_path / f"{number}.tif").read_bytes())
    path = tmp_path / "a.tif"
    path.write_bytes(_joined(pages))
    with tifffile.TiffFile(path) as tiff:
        assert len(tiff.pages) == 2
        expected = np.stack([page.asarray() for page in tiff.pages])
        assert tiff.pages[0].jpegtables != tiff.pages[1].jpegtables
    result = _referenced(path)
    assert (result.references, result.inlined) == (4, 4)
    for found in _by_all(tmp_path / "a.refs.json"):
        assert np.array_equal(found, expected)


def _joined(files: list[bytes]) -> bytes:
    """The pages of two little-endian classic files as one: places in the second one are moved, and the tables linked."""
    first, second = files
    first += bytes(len(first) % 2)
    moved, by = bytearray(second), len(first)
    with tifffile.TiffFile(io.BytesIO(second)) as tiff:
        page = tiff.pages.first
        for tag in page.tags:
            value_at = tag.offset + 8
            if tag.valueoffset != value_at:
                moved[value_at : value_at + 4] = (tag.valueoffset + by).to_bytes(4, "little")
        for tag in (page.tags[324],):
            for number, place in enumerate(tag.value):
                at = tag.valueoffset + 4 * number
                moved[at : at + 4] = (place + by).to_bytes(4, "little")
        second_table = page.offset + by
    joined = bytearray(first + moved)
    with tifffile.TiffFile(io.BytesIO(first)) as tiff:
        page = tiff.pages.first
        end = page.offset + 2 + 12 * len(page.tags)
    joined[end : end + 4] = second_table.to_bytes(4, "little")
    return bytes(joined)


REFUSED: dict[str, tuple[Elements, dict[str, Any], str]] = {
    "colours": (
        _values("u1", (32, 32, 3)),
        {"photometric": "rgb", "compression": "lzw"},
        "the samples of all colours",
    ),
    "bits": (np.eye(32, dtype=bool), {}, "of samples of 1 bits"),
    "lerc": (_values("f4", (32, 32)), {"compression": "lerc"}, "of compression 34887"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_other_programs_do_not_decode_is_refused(tmp_path: Path, name: str) -> None:
    values, options, why = REFUSED[name]
    tifffile.imwrite(tmp_path / "a.tif", values, tile=(16, 16), **options)
    with pytest.raises(UnsupportedError, match=f"cannot be described by references: .*{why}"):
        _referenced(tmp_path / "a.tif")


@pytest.mark.parametrize(
    ("compression", "predictor", "dtype"),
    [("lzw", 2, "u2"), ("zstd", 3, "f4"), ("jpeg", None, "u1"), ("png", None, "u2")],
)
def test_a_short_last_strip_needs_zarr_v3(
    tmp_path: Path, compression: str, predictor: int | None, dtype: str
) -> None:
    path = tmp_path / "a.tif"
    options: dict[str, Any] = {"rowsperstrip": 16, "compression": compression, "predictor": predictor}
    tifffile.imwrite(path, _values(dtype, (70, 50)), **options)
    with pytest.raises(UnsupportedError, match=r"rectilinear.*--zarr-format 3 describes it"):
        _referenced(path)
    expected = tifffile.imread(path)
    for found in _by_both(path):
        assert np.array_equal(found, expected)


COLOURS: list[tuple[str | None, int | None, str]] = [
    (None, None, "u2"), ("lzw", 2, "u1"), ("lzw", 2, "u2"), ("deflate", 3, "f4"), ("zstd", 3, "f8"), ("packbits", None, "i2"),
    ("lzma", 2, "u4"), ("jpeg", None, "u1"), ("jpeg2000", None, "u1"), ("jpegxl", None, "u1"), ("jpegxr", None, "u1"),
    ("png", None, "u1"), ("png", None, "u2"), ("webp", None, "u1"),
]  # fmt: skip


@pytest.mark.sampled(12)
@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize(
    ("compression", "predictor", "dtype", "samples"),
    [
        (*colours, samples)
        for colours in COLOURS
        for samples in (3, 4)
        if (colours[0], samples) != ("jpeg", 4)
    ],
)
def test_interleaved_colours_need_zarr_v3(
    tmp_path: Path, compression: str | None, predictor: int | None, dtype: str, samples: int, byteorder: str
) -> None:
    if byteorder == ">" and (compression, dtype) == ("png", "u2"):
        byteorder = "="  # tifffile does not write them otherwise
    path, values = tmp_path / "a.tif", _values(dtype, (40, 20, samples))
    extra = {"extrasamples": ["unassalpha"]} if samples == 4 else {}
    for layout in (*LAYOUTS.values(), {"rowsperstrip": 16}):
        options: dict[str, Any] = {"compression": compression, "predictor": predictor, **layout, **extra}
        tifffile.imwrite(path, values, photometric="rgb", byteorder=byteorder, **options)
        expected = np.moveaxis(tifffile.imread(path), -1, 0)
        if compression is not None:
            with pytest.raises(UnsupportedError, match="--zarr-format 3 describes it"):
                _referenced(path)
        for found in _by_both(path):
            assert np.array_equal(found, expected)


@pytest.mark.parametrize("photometric", ["YCbCr", "RGB"])
def test_colours_of_jpeg_that_gdal_writes(tmp_path: Path, photometric: str) -> None:
    path, values = tmp_path / "a.tif", _values("u1", (64, 48, 3))
    options = {"tiled": True, "blockxsize": 16, "blockysize": 16, "compress": "jpeg", "dtype": "uint8"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with rasterio.open(
            path, "w", "GTiff", 48, 64, 3, interleave="pixel", photometric=photometric, **options
        ) as file:
            file.write(np.moveaxis(values, -1, 0))
    expected = np.moveaxis(tifffile.imread(path), -1, 0)
    for found in _by_both(path):
        assert np.array_equal(found, expected)


def test_pyramids_of_colours(tmp_path: Path) -> None:
    path, values = tmp_path / "a.tif", _values("u1", (3, 70, 50, 3))
    options: dict[str, Any] = {"tile": (16, 16), "compression": "lzw", "predictor": 2, "photometric": "rgb"}
    with tifffile.TiffWriter(path, ome=True) as writer:
        writer.write(values, subifds=1, metadata={"axes": "ZYXS"}, **options)
        writer.write(values[:, ::2, ::2], subfiletype=1, **options)
    for name, expected in (("0", values), ("1", values[:, ::2, ::2])):
        for found in _by_both(path, name):
            assert np.array_equal(found, np.moveaxis(expected, -1, 0))
