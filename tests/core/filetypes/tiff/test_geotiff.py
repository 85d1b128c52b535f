"""GDAL reads every window of every GeoTIFF as NumPy has it, and of a large one only what it shows."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st
from rasterio.windows import Window

import zarrcore
from tests.core.filetypes.images import made, numbers
from tests.core.filetypes.stream import Stream
from tests.core.filetypes.tiff.maps import opened
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes import GeoTiffFile

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def geotiff(data: np.ndarray, names: list[str] | None = None, **options: Any) -> zarrcore.VirtualFile:
    return zarrcore.virtual_file(made(data, names, **options), suffix="tif")


def planes(data: np.ndarray) -> np.ndarray:
    """The bands that GDAL must show."""
    return data.reshape(-1, *(1, 1, *data.shape)[-2:])


@pytest.mark.parametrize("dtype", TYPES)
def test_gdal_reads_every_type(dtype: str) -> None:
    data = numbers((3, 5, 7), dtype)
    with opened(geotiff(data)) as dataset:
        read = dataset.read()
    if dtype != "f2":  # which GDAL has since version 3.11
        assert read.dtype == (np.uint8 if dtype == "?" else data.dtype)
    assert np.array_equal(read, data)


@pytest.mark.parametrize("shape", [(), (7,), (5, 7), (2, 5, 7), (2, 3, 5, 7), (1, 1, 1, 1, 1)])
def test_leading_dimensions_are_bands(shape: tuple[int, ...]) -> None:
    data = numbers(shape, "f4")
    with opened(geotiff(data)) as dataset:
        assert np.array_equal(dataset.read(), planes(data))


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_every_window_is_that_of_numpy(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 700), st.integers(1, 700)))
    chunks = tuple(data.draw(st.integers(1, length)) for length in (shape[0], min(shape[1], 300), shape[2]))
    chunks = chunks[0], max(chunks[1], shape[1] // 20 + 1), max(chunks[2], shape[2] // 20 + 1)
    elements = numbers(shape, data.draw(st.sampled_from(["u1", "i2", "f4", "f8"])))
    with opened(geotiff(elements, chunks=chunks)) as dataset:
        assert dataset.shape == shape[1:]
        assert all(side % 16 == 0 for side in dataset.block_shapes[0])
        for _ in range(5):
            (top, bottom), (left, right) = (
                sorted(data.draw(st.tuples(st.integers(0, length - 1), st.integers(0, length - 1))))
                for length in shape[1:]
            )
            band = data.draw(st.integers(0, shape[0] - 1))
            window = Window(left, top, right - left + 1, bottom - top + 1)
            expected = elements[band, top : bottom + 1, left : right + 1]
            assert np.array_equal(dataset.read(band + 1, window=window), expected)


@pytest.mark.parametrize("colours", [3, 4])
def test_colours_are_next_to_each_other(colours: int) -> None:
    data = numbers((40, 60, colours), "u1")
    with opened(geotiff(data)) as dataset:
        assert [colour.name for colour in dataset.colorinterp] == ["red", "green", "blue", "alpha"][:colours]
        assert dataset.interleaving.name == "pixel"
        assert np.array_equal(dataset.read(), data.transpose(2, 0, 1))


def test_tifffile_reads_the_bands() -> None:
    data = numbers((6, 300, 400), "u2")
    assert np.array_equal(tifffile.imread(Stream(geotiff(data, chunks=(1, 128, 128)))), data)


def test_a_file_of_1024_bands() -> None:
    data = numbers((1025, 3, 5), "u1")
    array = made(data)
    with opened(zarrcore.virtual_file(array, slice(1024), "tif")) as dataset:
        assert dataset.count == 1024
        assert np.array_equal(dataset.read(), data[:1024])
    with pytest.raises(UnsupportedError, match=r"has 1,025 planes, and a GeoTIFF has at most 1,024 planes"):
        zarrcore.virtual_file(array, suffix="tif")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (np.zeros((2, 5, 7, 3), "u1"), "at most one plane of RGB"),
        (np.zeros((0, 7), "u1"), "has no planes"),
        (np.zeros((5, 7), "M8[s]"), "has no counterpart in TIFF"),
        (np.zeros((5, 7), "S3"), "has no counterpart in TIFF"),
    ],
)
def test_what_no_file_can_hold(data: np.ndarray, reason: str) -> None:
    hierarchy = zarrcore.create("memory://")
    array = hierarchy.create_array("a", shape=data.shape, dtype=data.dtype)
    with pytest.raises(UnsupportedError, match=reason):
        zarrcore.virtual_file(array, suffix="tif")


def test_rows_longer_than_those_of_gdal_are_refused() -> None:
    array = zarrcore.create("memory://").create_array("a", shape=(5, 1 << 31), dtype="u1")
    with pytest.raises(UnsupportedError, match="is too long for GDAL: select a part"):
        zarrcore.virtual_file(array, suffix="tif")


SIDE = 1 << 22
"""16 TiB in 2**26 tiles, whose tables have 768 MiB."""


@pytest.fixture(scope="module")
def large() -> tuple[zarrcore.stores.StatisticsStore, GeoTiffFile]:
    store = zarrcore.stores.StatisticsStore(zarrcore.stores.MemoryStore())
    hierarchy = zarrcore.create(store)
    array = hierarchy.create_array("a", shape=(SIDE, SIDE), dtype="u1", chunks=(512, 512), fill_value=7)
    array[1024:1536, 2048:2560] = numbers((512, 512), "u1")
    file = zarrcore.virtual_file(zarrcore.open_hierarchy(store)["a"], suffix="tif")
    assert isinstance(file, GeoTiffFile)
    return store, file


def test_a_window_of_16_tib_takes_a_request_for_each_chunk(
    large: tuple[zarrcore.stores.StatisticsStore, GeoTiffFile],
) -> None:
    store, file = large
    assert file.size > SIDE**2
    with opened(file) as dataset:
        opened_with = store.statistics()["get"].requests
        window = dataset.read(1, window=Window(2048, 1024, 600, 500))
        read = store.statistics()["get"].requests - opened_with
    assert np.array_equal(window[:, :512], numbers((512, 512), "u1")[:500])
    assert (window[:, 512:] == 7).all()
    assert read == 2


@settings(max_examples=30)
@given(tile=st.integers(0, (SIDE // 512) ** 2 - 1))
def test_tables_are_computed_where_they_are_read(
    large: tuple[zarrcore.stores.StatisticsStore, GeoTiffFile], tile: int
) -> None:
    _, file = large
    (entries,) = struct.unpack("<Q", file.read(16, 8))
    tags = {entry[0]: entry[3] for entry in struct.iter_unpack("<HHQQ", file.read(24, 20 * entries))}
    (first,) = struct.unpack("<Q", file.read(tags[324], 8))
    (offset,) = struct.unpack("<Q", file.read(tags[324] + 8 * tile, 8))
    (nbytes,) = struct.unpack("<I", file.read(tags[325] + 4 * tile, 4))
    assert (offset, nbytes) == (first + tile * 512 * 512, 512 * 512)
