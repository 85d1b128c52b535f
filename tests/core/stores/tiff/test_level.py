"""The arrays of pages of all layouts, compared with what tifffile reads, and with what libtiff's tools make of them."""

from __future__ import annotations

import io
import struct
import subprocess
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.stores.tiff.files import array, as_shown, expected, store_of, written
from zarrcore.errors import StoreError
from zarrcore.hierarchy import BrokenNode
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.typing import AnyArray

GRAY = np.random.default_rng(0).integers(0, 60000, (70, 101)).astype("u2")
RGB = np.random.default_rng(1).integers(0, 255, (70, 101, 3)).astype("u1")
PLANES = np.ascontiguousarray(RGB.transpose(2, 0, 1))
TILES = {"tile": (32, 48)}
LAYOUTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "contiguous": (GRAY, {}),
    "big-endian strips": (GRAY, {"rowsperstrip": 16, "byteorder": ">"}),
    "plain tiles": (GRAY, {**TILES, "byteorder": ">"}),
    "compressed strips": (GRAY, {"rowsperstrip": 16, "compression": "zlib", "predictor": 2}),
    "one compressed strip": (GRAY, {"compression": "zstd"}),
    "lzw": (GRAY, {**TILES, "compression": "lzw", "predictor": 2, "byteorder": ">"}),
    "packbits": (RGB[..., 0], {"rowsperstrip": 7, "compression": "packbits"}),
    "lzma": (GRAY, {**TILES, "compression": "lzma"}),
    "lerc": (GRAY, {**TILES, "compression": "lerc"}),
    "lerc within zstd": (
        GRAY,
        {**TILES, "compression": "lerc", "compressionargs": {"compression": "zstd", "compressionargs": {}}},
    ),
    "lerc of floats": (GRAY.astype("f4"), {**TILES, "compression": "lerc"}),
    "colours": (RGB, {"photometric": "rgb"}),
    "tiles of colours": (RGB, {**TILES, "photometric": "rgb", "compression": "deflate", "predictor": True}),
    "plain tiles of colours": (RGB, {**TILES, "photometric": "rgb"}),
    "planes": (PLANES, {"photometric": "rgb", "planarconfig": "separate", "rowsperstrip": 9}),
    "compressed planes": (
        PLANES,
        {**TILES, "photometric": "rgb", "planarconfig": "separate", "compression": "zlib"},
    ),
    "jpeg": (RGB, {**TILES, "photometric": "rgb", "compression": "jpeg"}),
    "jpeg strips": (RGB, {"rowsperstrip": 16, "photometric": "rgb", "compression": "jpeg"}),
    "jpeg 2000": (RGB, {**TILES, "photometric": "rgb", "compression": "jpeg2000"}),
    "webp": (RGB, {**TILES, "photometric": "rgb", "compression": "webp"}),
    "png": (RGB, {**TILES, "photometric": "rgb", "compression": "png"}),
    "jpeg xl": (RGB, {**TILES, "photometric": "rgb", "compression": "jpegxl"}),
    "jpeg xr": (RGB, {**TILES, "photometric": "rgb", "compression": "jpegxr"}),
    "jpeg xl of two samples": (
        RGB[..., :2],
        {**TILES, "photometric": "minisblack", "planarconfig": "contig", "compression": "jpegxl"},
    ),
    "bits": (GRAY > 30000, {}),
    "compressed bits": (GRAY > 30000, {"compression": "packbits", "rowsperstrip": 8}),
    "volume": (
        np.arange(24 * 30 * 40).reshape(24, 30, 40).astype("f4"),
        {"tile": (8, 16, 16), "volumetric": True},
    ),
    "compressed volume": (
        np.arange(24 * 30 * 40).reshape(24, 30, 40).astype("f4"),
        {"tile": (16, 16, 16), "volumetric": True, "compression": "zlib", "predictor": 3},
    ),
    "complex": (GRAY.astype("c8"), {}),
    "half": (GRAY.astype("f2"), {"predictor": 3, "compression": "zlib", "rowsperstrip": 10}),
    "bigtiff": (GRAY, {"bigtiff": True, "byteorder": ">"}),
    "plain pages": (GRAY.reshape(7, 10, 101), {"metadata": None}),
    "one pixel": (GRAY[:1, :1], {}),
    "a column": (GRAY[:, :1], {"metadata": None}),
    "several dimensions": (GRAY.reshape(2, 5, 7, 101), {}),
    "hyperstack": (GRAY[:60].reshape(2, 5, 6, 1, 101), {"imagej": True, "metadata": {"axes": "TZCYX"}}),
    "hyperstack of colours": (
        RGB[:60].reshape(4, 15, 101, 3),
        {"imagej": True, "metadata": {"axes": "ZYXS"}},
    ),
    "ome": (
        GRAY[:60].reshape(2, 5, 6, 1, 101),
        {"ome": True, "metadata": {"axes": "TCZYX"}, "compression": "zlib"},
    ),
    "ome in another order": (
        GRAY[:60].reshape(2, 5, 6, 1, 101),
        {"ome": True, "metadata": {"axes": "TZCYX"}},
    ),
    "ome of colours": (
        RGB[:60].reshape(2, 3, 10, 101, 3),
        {"ome": True, "metadata": {"axes": "ZCYXS"}, "photometric": "rgb", "compression": "zlib"},
    ),
    "plain ome of colours": (
        RGB[:60].reshape(2, 3, 10, 101, 3),
        {"ome": True, "metadata": {"axes": "ZCYXS"}, "photometric": "rgb"},
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_elements_are_those_that_tifffile_reads(layout: str) -> None:
    data, options = LAYOUTS[layout]
    content = written(data, **options)
    found = array(content)[...]
    wanted = expected(content)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.reshape(wanted.shape), wanted)


DTYPES = ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8")


@st.composite
def images(draw: st.DrawFn) -> tuple[AnyArray, dict[str, Any], str]:
    dtype = draw(st.sampled_from(DTYPES))
    lengths = st.integers(1, 40)
    pages, height, width = draw(st.integers(1, 3)), draw(lengths), draw(lengths)
    samples = draw(st.sampled_from([1, 3]))
    shape, axes = (pages, height, width), "TYX"
    options: dict[str, Any] = {
        "byteorder": draw(st.sampled_from("<>")),
        "bigtiff": draw(st.booleans()),
        "metadata": None,
        "photometric": "minisblack",
    }
    if samples > 1:
        options["photometric"] = "rgb"
        is_planar = draw(st.booleans())
        options["planarconfig"] = "separate" if is_planar else "contig"
        shape, axes = (
            ((pages, samples, height, width), "TSYX")
            if is_planar
            else ((pages, height, width, samples), "TYXS")
        )
    if draw(st.booleans()):
        options["tile"] = (16 * draw(st.integers(1, 2)), 16 * draw(st.integers(1, 2)))
    else:
        options["rowsperstrip"] = draw(st.integers(1, 40))
    options["compression"] = draw(st.sampled_from([None, "zlib", "lzw", "zstd", "packbits"]))
    if options["compression"] not in (None, "packbits") and draw(st.booleans()):
        options["predictor"] = 3 if dtype.startswith("f") else 2
    seed = draw(st.integers(0, 2**16))
    data = np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)
    return data, options, axes


@settings(max_examples=60, deadline=None)
@given(images())
def test_any_layout_has_the_elements_that_were_written(
    image: tuple[AnyArray, dict[str, Any], str],
) -> None:
    data, options, axes = image
    found = array(written(data, **options))
    wanted = as_shown(data, axes)
    if data.shape[0] == 1:
        wanted = wanted[0]
    np.testing.assert_array_equal(found[...], wanted)
    part = tuple(slice(length // 3, length // 3 + 5) for length in found.shape)
    np.testing.assert_array_equal(found[part], wanted[part])


@pytest.mark.parametrize(
    "options",
    [
        ("-c", "none", "-r", "5"),
        ("-c", "lzw:2", "-t", "-w", "32", "-l", "16"),
        ("-c", "zip:2", "-r", "9", "-B"),
        ("-c", "packbits", "-p", "separate"),
        ("-c", "none", "-f", "lsb2msb"),
        ("-c", "none", "-t", "-w", "32", "-l", "32", "-p", "separate"),
        ("-c", "lzw", "-8", "-f", "lsb2msb"),
        ("-c", "jpeg:r", "-t", "-w", "32", "-l", "32"),
    ],
)
def test_files_of_libtiff_have_the_elements_that_tifffile_reads(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "a.tif").write_bytes(written(RGB, photometric="rgb"))
    subprocess.run(
        ["tiffcp", *options, tmp_path / "a.tif", tmp_path / "b.tif"], check=True, capture_output=True
    )
    content = (tmp_path / "b.tif").read_bytes()
    np.testing.assert_array_equal(array(content)[...], expected(content))


@pytest.mark.parametrize("compression", ["g3:1d", "g3:2d", "g3:2d:fill", "g4"])
def test_faxes_have_the_elements_that_tifffile_reads(tmp_path: Path, compression: str) -> None:
    (tmp_path / "a.tif").write_bytes(written(GRAY > 30000, photometric="minisblack"))
    command = ["tiffcp", "-c", compression, "-r", "20", tmp_path / "a.tif", tmp_path / "b.tif"]
    subprocess.run(command, check=True, capture_output=True)
    content = (tmp_path / "b.tif").read_bytes()
    if hasattr(imagecodecs, "ccittfax3_decode"):  # releases of 2026.3, for which tifffile has them, too
        np.testing.assert_array_equal(array(content)[...], GRAY > 30000)
    else:
        node = open_place(store_of(content)).node("0")
        assert isinstance(node, BrokenNode)
        assert str(node.error).startswith(
            f"{node.path}: tifffile does not decode the image: <COMPRESSION.CCITT"
        )


def test_the_axes_of_colours_and_channels_are_one() -> None:
    data, options = LAYOUTS["ome of colours"]
    node = array(written(data, **options))
    assert node.dimension_names == ("c", "z", "y", "x")
    assert node.shape == (9, 2, 10, 101)


def test_uncompressed_pages_have_large_chunks() -> None:
    data = np.zeros((9, 256, 256), "u1")
    assert array(written(data)).chunk_shape == (9, 256, 256)
    assert array(written(data, rowsperstrip=1, metadata=None)).chunk_shape == (9, 256, 256)


@pytest.mark.parametrize("options", [{}, {"tile": (64, 64), "compression": "zlib"}])
def test_chunks_of_pages_in_another_order_are_not_transposed(options: dict[str, Any]) -> None:
    data = np.random.default_rng(3).integers(0, 999, (3, 2, 200, 300), "u2")
    node = array(written(data, ome=True, metadata={"axes": "ZCYX"}, photometric="minisblack", **options))
    assert node.dimension_names == ("c", "z", "y", "x")
    assert node.chunk_shape[:2] == (1, 1)
    assert "transpose" not in [codec.name for codec in node.metadata.codecs]
    np.testing.assert_array_equal(node[...], data.swapaxes(0, 1))


def test_tiny_pages_in_another_order_are_one_chunk() -> None:
    data = np.random.default_rng(3).integers(0, 999, (300, 2, 20, 30), "u2")
    node = array(written(data, ome=True, metadata={"axes": "ZCYX"}, photometric="minisblack"))
    assert node.chunk_shape == (2, 300, 20, 30)
    np.testing.assert_array_equal(node[...], data.swapaxes(0, 1))


def test_missing_tiles_have_the_nodata_value() -> None:
    data = np.full((32, 64), 7, "i2")
    tags = [(42113, 2, 0, "-99", True)]
    content = bytearray(written(data, tile=(32, 32), extratags=tags, compression="zlib", metadata=None))
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        offsets = file.pages[0].tags[324]
        content[offsets.valueoffset : offsets.valueoffset + 4] = bytes(4)
    node = array(bytes(content))
    assert node.attributes["_FillValue"] == -99
    np.testing.assert_array_equal(node[:, :32], -99)
    np.testing.assert_array_equal(node[:, 32:], 7)


def test_a_file_that_ends_early_gets_one_sentence() -> None:
    content = written(GRAY, metadata=None)
    node = array(content[: len(content) // 2]) if content[4:8] == b"\x08\0\0\0" else None
    assert node is not None
    with pytest.raises(StoreError, match="beyond the end of the file"):
        node[...]


def test_unshown_images_are_broken_nodes() -> None:
    content = written(RGB, photometric="ycbcr", compression="jpeg", rowsperstrip=64, subsampling=(2, 2))
    changed = content.replace(b"\x03\x01\x03\0\x01\0\0\0\x07\0", b"\x03\x01\x03\0\x01\0\0\0\x01\0")
    assert changed != content
    assert b"tifffile does not decode the image" in bytes(store_of(changed).get("0/zarr.json") or b"")


def test_pages_have_jpeg_tables_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_bytes(written(RGB, photometric="rgb", metadata=None))
    for options in (("-c", "jpeg:r:30"), ("-a", "-c", "jpeg:r:90")):
        command = ["tiffcp", *options, "-t", "-w", "32", "-l", "32", tmp_path / "a.tif", tmp_path / "b.tif"]
        subprocess.run(command, check=True, capture_output=True)
    content = (tmp_path / "b.tif").read_bytes()
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        assert file.pages[0].jpegtables != file.pages[1].jpegtables
    found = array(content)
    assert found.dimension_names == ("i", "c", "y", "x")
    np.testing.assert_array_equal(found[...], expected(content))


@pytest.mark.parametrize("shape", ["[999999999, 70, 101]", "[9999999, 9999999, 70, 101]"])
def test_an_image_that_no_such_file_can_hold_is_a_broken_node(shape: str) -> None:
    content = written(GRAY, description=f'{{"shape": {shape}}}', metadata=None)
    assert b"cannot be in" in bytes(store_of(content).get("0/zarr.json") or b"")


def test_strips_that_claim_more_than_can_be_listed_are_a_broken_node() -> None:
    content = bytearray(written(GRAY, rowsperstrip=9, metadata=None))
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        width = file.pages[0].tags["ImageWidth"]
        assert len(file.pages[0].dataoffsets) > 1
    content[width.offset + 2 : width.offset + 12] = struct.pack("<HII", 4, 1, 1 << 31)
    assert b"cannot be in" in bytes(store_of(bytes(content)).get("0/zarr.json") or b"")


def test_a_sparse_image_in_many_strips_opens() -> None:
    content = written(np.zeros((4000, 1000), "u1"), rowsperstrip=1, metadata=None)
    content = content[: -4000 * 1000]
    small = bytearray(content)
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        offsets, width = (file.pages[0].tags[name] for name in ("StripOffsets", "ImageWidth"))
    small[offsets.valueoffset : offsets.valueoffset + 4 * 4000] = bytes(4 * 4000)
    small[width.offset + 2 : width.offset + 12] = struct.pack("<HII", 4, 1, 200_000)
    assert array(bytes(small)).shape == (4000, 200_000)
