"""References to TIFF files that tifffile writes, which name codecs of imagecodecs: we read what tifffile and zarr-python read."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
import rasterio
import tifffile
import zarr

import zarrcore as zc
from tests.core.codecs.registered_imagecodecs import HAS_VERSION_3, register
from tests.core.stores.tiff.ramps import ramps
from zarrcore.errors import UnsupportedError
from zarrcore.typing import AnyArray

Elements = AnyArray
FORMATS = (2, 3) if HAS_VERSION_3 else (2,)
"""The versions of Zarr whose metadata tifffile writes, and whose codecs zarr-python decodes."""
COLOURS: dict[str, dict[str, Any]] = {
    "gray": {},
    "contig": {"photometric": "rgb", "planarconfig": "contig"},
    "separate": {"photometric": "rgb", "planarconfig": "separate"},
}
LAYOUTS: dict[str, dict[str, Any]] = {"tiles": {"tile": (16, 32)}, "strips": {"rowsperstrip": 16}}
LOSSLESS = (None, "lzw", "packbits", "deflate", "zstd", "lzma")
IMAGES = {
    "jpeg": ("u1",),
    "jpeg2000": ("u1", "u2"),
    "jpegxl": ("u1", "u2", "f4"),
    "jpegxr": ("u1", "u2"),
    "webp": ("u1",),
    "png": ("u1", "u2"),
    "lerc": ("u1", "u2", "i4", "f4", "f8"),
}
NATIVE = {("jpeg2000", "u2"), ("jpegxr", "u2"), ("png", "u2"), *(("lerc", dtype) for dtype in IMAGES["lerc"])}
if not HAS_VERSION_3:  # an older release
    NATIVE |= {("jpegxl", "u2"), ("jpegxl", "f4")}
ENCODINGS = [
    *((name, None, dtype) for name in LOSSLESS for dtype in ("u2", "f4")),
    *((name, 2, dtype) for name in LOSSLESS[1:] for dtype in ("u1", "i2", "u4", "i8")),
    *((name, 3, dtype) for name in LOSSLESS[1:] for dtype in ("f2", "f4", "f8")),
    *((name, None, dtype) for name, dtypes in IMAGES.items() for dtype in dtypes),
]


@pytest.fixture(autouse=True)
def registered() -> None:
    """Let zarr-python decode what references to TIFF files name."""
    register()


def _by_zarr(path: Path, zarr_format: int, name: str = "") -> Elements:
    filesystem = fsspec.filesystem(
        "reference", fo=str(path), remote_protocol="file", asynchronous=True, skip_instance_cache=True
    )
    store = zarr.storage.FsspecStore(filesystem, read_only=True, path="")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(zarr.open(store, mode="r", zarr_format=zarr_format, path=name)[...])


def _referenced(tiff: Path, zarr_format: int = 2, **options: Any) -> Path:
    path = tiff.with_suffix(f".{zarr_format}.json")
    with tifffile.TiffFile(tiff) as file, file.aszarr(**options) as store:
        told = {} if zarr_format == 2 else {"zarr_format": zarr_format}
        store.write_fsspec(path, tiff.parent.as_uri(), **told)
    return path


def _values(dtype: str, colour: str) -> Elements:
    shape = {"gray": (2, 64, 48), "contig": (64, 48, 3), "separate": (3, 64, 48)}[colour]
    return ramps(dtype, shape)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("compression", "predictor", "dtype"), ENCODINGS)
def test_all_encodings_that_tifffile_writes(
    tmp_path: Path, compression: str | None, predictor: int | None, dtype: str, layout: str, byteorder: str
) -> None:
    is_image = compression in IMAGES
    for colour in COLOURS:
        if (compression == "webp" and colour != "contig") or (
            byteorder == ">" and (compression, dtype) in NATIVE
        ):
            continue  # tifffile does not write it
        values, path = _values(dtype, colour), tmp_path / f"{colour}.tif"
        options = {**COLOURS[colour], **LAYOUTS[layout], "compression": compression, "predictor": predictor}
        tifffile.imwrite(path, values, byteorder=byteorder, **options)
        expected = tifffile.imread(path)
        assert is_image or np.array_equal(expected, values)
        for zarr_format in FORMATS:
            references = _referenced(path, zarr_format)
            found = zc.open_hierarchy(references)["/"][...]
            assert found.dtype == np.dtype(dtype)
            assert np.array_equal(found, expected), (colour, zarr_format)
            # imagecodecs decodes images to numbers in the byte order of the machine, whatever the document says
            if not (is_image and byteorder == ">"):
                assert np.array_equal(_by_zarr(references, zarr_format), expected), (colour, zarr_format)


def test_pyramids_with_predictors(tmp_path: Path) -> None:
    values = _values("u2", "gray")[0]
    path = tmp_path / "a.tif"
    options: dict[str, Any] = {"tile": (16, 16), "compression": "lzw", "predictor": 2}
    with tifffile.TiffWriter(path, ome=True) as writer:
        writer.write(values, subifds=1, **options)
        writer.write(values[::2, ::2], subfiletype=1, **options)
    for zarr_format in FORMATS:
        references = _referenced(path, zarr_format, multiscales=True)
        with zc.open_hierarchy(references) as hierarchy:
            for name, expected in (("0", values), ("1", values[::2, ::2])):
                assert np.array_equal(hierarchy[name][...], expected)
                assert np.array_equal(_by_zarr(references, zarr_format, name), expected)


@pytest.mark.parametrize("photometric", ["YCbCr", "RGB"])
def test_tables_and_colours_of_jpeg_that_gdal_writes(tmp_path: Path, photometric: str) -> None:
    values, path = _values("u1", "contig"), tmp_path / "a.tif"
    options = {
        "tiled": True,
        "blockxsize": 16,
        "blockysize": 16,
        "compress": "jpeg",
        "photometric": photometric,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with rasterio.open(
            path, "w", "GTiff", 48, 64, 3, dtype="uint8", interleave="pixel", **options
        ) as file:
            file.write(np.moveaxis(values, -1, 0))
    with tifffile.TiffFile(path) as tiff:
        assert tiff.pages.first.jpegtables
    expected = tifffile.imread(path)
    for zarr_format in FORMATS:
        references = _referenced(path, zarr_format)
        assert np.array_equal(zc.open_hierarchy(references)["/"][...], expected)
        assert np.array_equal(_by_zarr(references, zarr_format), expected)


def test_segments_that_are_missing_have_the_fill_value(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    options: dict[str, Any] = {"tile": (16, 16), "compression": "zstd", "predictor": 2}
    tiles = [np.full((16, 16), 9, "u2"), None, None, np.full((16, 16), 5, "u2")]
    tifffile.imwrite(path, iter(tiles), shape=(32, 32), dtype="u2", **options)
    expected = tifffile.imread(path)
    assert sorted(set(expected.flat)) == [0, 5, 9]
    references = _referenced(path)
    assert np.array_equal(zc.open_hierarchy(references)["/"][...], expected)
    assert np.array_equal(_by_zarr(references, 2), expected)


def test_codecs_without_their_package_are_named_with_what_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, _values("u2", "gray"), tile=(16, 16), compression="lzw", predictor=2)
    references = _referenced(path)
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    with pytest.raises(UnsupportedError, match=r"imagecodecs_delta.*pip install 'zarrscope\[tiff\]'"):
        _ = zc.open_hierarchy(references)["/"].chunk_shape and zc.open_hierarchy(references)["/"][...]
