"""Virtual files: any bytes at any offset are those of the file that NumPy or an image library would write or read."""

from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.errors import SelectionError, UnsupportedError
from zarrcore.filetypes import SUFFIXES, supported_suffixes
from zarrcore.filetypes.plan import boxes
from zarrcore.filetypes.png import stretch_to_bytes

DATA = np.random.default_rng(3).normal(size=(6, 11, 13)).astype("f4")
RGB = np.random.default_rng(4).integers(0, 255, (20, 30, 3)).astype("u1")


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> zarrcore.Hierarchy:
    path = tmp_path_factory.mktemp("files") / "a.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("float", data=DATA, chunks=(2, 4, 5))
    group.create_array("sharded", data=DATA, chunks=(2, 2, 5), shards=(4, 4, 10))
    group.create_array("rgb", data=RGB, chunks=(8, 8, 3))
    group.create_array("one", data=np.arange(5, dtype="i8"))
    group.create_array("scalar", data=np.array(2.5))
    group.create_array("empty", shape=(0, 4), dtype="i4")
    group.create_array("bool", data=DATA > 0)
    group.create_array("complex", data=DATA[0].astype("c16"))
    return zarrcore.open(path, chunk_cache=zarrcore.ChunkCache(5_000))


SELECTIONS = [
    (...,),
    (3,),
    (slice(None), 4),
    (slice(None, None, -2), slice(1, 9, 3)),
    (2, 3, 4),
    (slice(0, 0),),
    (-1, slice(None, None, -1)),
]


@given(
    name=st.sampled_from(["float", "sharded"]),
    selection=st.sampled_from(SELECTIONS),
    suffix=st.sampled_from(["raw", "npy"]),
    offset=st.integers(0, 4000),
    nbytes=st.integers(0, 4000),
)
def test_any_part_is_numpys(
    arrays: zarrcore.Hierarchy, name: str, selection: tuple, suffix: str, offset: int, nbytes: int
) -> None:
    file = zarrcore.virtual_file(arrays[name], selection, suffix)
    expected = np.array(DATA[selection], order="C")
    if suffix == "npy":
        stream = io.BytesIO()
        np.save(stream, expected)
        whole = stream.getvalue()
    else:
        whole = expected.tobytes()
    assert file.size == len(whole)
    assert bytes(file.read(offset, nbytes)) == whole[offset : offset + nbytes]
    file.prefetch(offset, nbytes)
    written = io.BytesIO()
    file.write_to(written)
    assert written.getvalue() == whole


@given(st.lists(st.integers(1, 4), max_size=4), st.data())
def test_boxes_cover_a_run_in_order(shape: list[int], data: st.DataObject) -> None:
    size = int(np.prod(shape, dtype=int))
    start = data.draw(st.integers(0, size))
    stop = data.draw(st.integers(start, size))
    elements = np.arange(size).reshape(shape)
    found = [
        elements[tuple(slice(*axis) for axis in box)].reshape(-1) for box in boxes(tuple(shape), start, stop)
    ]
    assert np.concatenate([np.arange(0), *found]).tolist() == list(range(start, stop))


def test_cached_tells_the_truth(arrays: zarrcore.Hierarchy) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    array = arrays["float"].with_chunk_cache(cache)
    file = zarrcore.virtual_file(array, suffix="npy")
    assert file.cached(0, 64)
    assert not file.cached(0, 200)
    file.prefetch(0, 200)
    assert file.cached(0, 200)
    misses = cache.misses
    file.read(0, 200)
    assert cache.misses == misses


CHUNKS = {"float": 3 * 3 * 3, "sharded": 3 * 6 * 3}


@pytest.mark.parametrize("name", CHUNKS)
def test_slabs_are_decoded_past_the_cache(arrays: zarrcore.Hierarchy, name: str) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    file = zarrcore.virtual_file(arrays[name].with_chunk_cache(cache), suffix="npy")
    begin, slab = file.slabs
    assert (begin, slab) == (len(file.header), 2 * 11 * 13 * 4)
    read = [file.read(offset, slab) for offset in range(begin, file.size, slab)]
    assert b"".join(read) == DATA.tobytes()
    assert cache.decoded == CHUNKS[name]
    assert cache.nbytes < 20_000, "no more than the indices of shards"
    assert not file.cached(begin, 4)


@pytest.mark.parametrize("name", CHUNKS)
def test_what_the_cache_has_of_a_slab_is_not_decoded_again(arrays: zarrcore.Hierarchy, name: str) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    file = zarrcore.virtual_file(arrays[name].with_chunk_cache(cache), suffix="raw")
    _, slab = file.slabs
    pieces = [file.read(0, 100), file.read(100, slab - 100)]
    pieces += [file.read(slab, slab), file.read(2 * slab, slab)]
    assert b"".join(pieces) == DATA.tobytes()
    assert cache.decoded == CHUNKS[name]


@pytest.mark.parametrize(
    ("selection", "rows"),
    [
        (..., 2),
        (np.s_[2:], 2),
        (np.s_[1:], 0),
        (np.s_[::-1], 0),
        (np.s_[::2], 0),
        (3, 4),
        (np.s_[1, 2], 5),
        (np.s_[1, 2, 3], 0),
    ],
)
def test_slabs_end_where_chunks_do(arrays: zarrcore.Hierarchy, selection: Any, rows: int) -> None:
    file = zarrcore.virtual_file(arrays["float"], selection, "raw")
    row = DATA[selection][:1].nbytes if rows else 0
    assert file.slabs == (0, rows * row)


def test_a_plane_through_thick_chunks_keeps_them_for_the_next_plane(arrays: zarrcore.Hierarchy) -> None:
    array = arrays["float"].with_chunk_cache(zarrcore.ChunkCache(1 << 20))
    for plane in (2, 3):
        assert bytes(zarrcore.virtual_file(array, plane, "raw").read(0, 1 << 20)) == DATA[plane].tobytes()
    assert array.chunk_cache is not None
    assert array.chunk_cache.decoded == 9


def png_pixels(data: bytes) -> np.ndarray:
    from PySide6.QtGui import QImage

    image = QImage.fromData(data, "PNG")
    assert not image.isNull()
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), "u1").reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def test_png_is_what_an_independent_reader_sees(arrays: zarrcore.Hierarchy) -> None:
    file = zarrcore.virtual_file(arrays["rgb"], suffix="png")
    data = bytes(file.read(0, 1 << 20))
    assert len(data) == file.size
    assert np.array_equal(png_pixels(data), RGB)
    grey = zarrcore.virtual_file(arrays["float"], (2,), "png")
    pixels = png_pixels(bytes(grey.read(0, 1 << 20)))
    assert np.array_equal(pixels[..., 0], stretch_to_bytes(DATA[2]))
    assert bytes(grey.read(5, 9)) == bytes(grey.read(0, 1 << 20))[5:14]


def test_png_of_a_large_plane_has_many_blocks(tmp_path: Path) -> None:
    plane = np.random.default_rng(0).integers(0, 255, (700, 900)).astype("u1")
    zarr.create_array(tmp_path / "a.zarr", data=plane)
    file = zarrcore.virtual_file(zarrcore.open(tmp_path / "a.zarr")["/"], suffix="png")
    data = bytes(file.read(0, file.size + 10))
    assert len(data) == file.size
    start = data.index(b"IDAT") + 4
    rows = zlib.decompress(data[start : start + int.from_bytes(data[start - 8 : start - 4], "big")])
    assert np.array_equal(np.frombuffer(rows, "u1").reshape(700, 901)[:, 1:], plane)


@pytest.mark.parametrize(
    "plane",
    [
        np.array([[np.nan, 1.0], [2.0, np.inf]]),
        np.full((2, 2), np.nan),
        np.full((2, 2), 7),
        np.array([["NaT", "2020-01-01"]], "M8[s]"),
        np.array([[1 + 1j, 2]]),
    ],
)
def test_levels_of_odd_values(plane: np.ndarray) -> None:
    levels = stretch_to_bytes(plane)
    assert levels.shape == plane.shape
    assert levels.dtype == np.uint8


def test_which_types_can_hold_what(arrays: zarrcore.Hierarchy) -> None:
    assert supported_suffixes(arrays["float"]) == ("raw", "npy", "tiff", "nrrd", "ome.tiff")
    assert supported_suffixes(arrays["float"], 0) == ("raw", "npy", "png", "tiff", "nrrd", "ome.tiff")
    assert supported_suffixes(arrays["bool"], 0) == ("raw", "npy", "png", "tiff", "nrrd", "ome.tiff")
    assert supported_suffixes(arrays["one"]) == ("raw", "npy", "tiff", "nrrd")
    assert supported_suffixes(arrays["scalar"]) == ("raw", "npy", "tiff", "ome.tiff")
    assert supported_suffixes(arrays["empty"]) == ("raw", "npy")
    for name in ("scalar", "empty"):
        reread = np.load(io.BytesIO(zarrcore.virtual_file(arrays[name], suffix="npy").read(0, 9999)))
        assert np.array_equal(reread, arrays[name][...])
    with pytest.raises(
        UnsupportedError, match=r"file type 'jpg' is unknown; known are raw, npy, png, tiff, nrrd, ome\.tiff"
    ):
        zarrcore.virtual_file(arrays["one"], suffix="jpg")
    with pytest.raises(SelectionError):
        zarrcore.virtual_file(arrays["one"], 5, "raw")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_there_is_nothing_before_the_first_byte(arrays: zarrcore.Hierarchy, suffix: str) -> None:
    with pytest.raises(SelectionError, match="no bytes at offset -5"):
        zarrcore.virtual_file(arrays["float"], 0, suffix).read(-5, 10)


@pytest.mark.parametrize(
    "fields", [[("温度", "<f4"), ("b", "<i2")], [(f"field_{i}", "<i2") for i in range(6000)], [("é", "<i2")]]
)
def test_npy_headers_of_every_version(tmp_path: Path, fields: list) -> None:
    data = np.zeros(3, np.dtype(fields))
    data[fields[0][0]] = [1, 2, 3]
    zarr.create_array(tmp_path / "a.zarr", data=data, zarr_format=2)
    file = zarrcore.virtual_file(zarrcore.open(tmp_path / "a.zarr")["/"], suffix="npy")
    reread = np.load(io.BytesIO(file.read(0, file.size)), max_header_size=1 << 20)
    assert reread.dtype == data.dtype
    assert reread.tobytes() == data.tobytes()


def test_pictures_are_bounded(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(9000, 9000), chunks=(1000, 1000), dtype="f4", fill_value=1)
    array = zarrcore.open(tmp_path / "a.zarr")["/"]
    with pytest.raises(UnsupportedError, match="too large for one picture: select a part"):
        zarrcore.virtual_file(array, suffix="png")
    part = zarrcore.virtual_file(array, slice(0, 5000), "png")
    assert part.size == len(part.read(0, part.size + 1))


def test_levels_of_a_large_plane_are_those_of_all_its_values() -> None:
    plane = np.random.default_rng(0).normal(size=(1500, 1700)).astype("f4")
    levels = stretch_to_bytes(plane)
    low, high = np.percentile(plane, (1, 99))
    assert np.abs(levels - np.clip((plane - low) * 255 / (high - low), 0, 255)).max() < 4
