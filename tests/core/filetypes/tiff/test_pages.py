"""TIFF: other programs read each array unchanged, and directories of pages are computed."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.filetypes.images import made, numbers, whole
from tests.core.filetypes.readers import read_tiff
from tests.core.filetypes.stream import Stream

TIFF_TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.mark.sampled(18)
@pytest.mark.parametrize("dtype", TIFF_TYPES)
@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (5, 7), (7,), ()])
def test_tifffile_reads_every_type(shape: tuple[int, ...], dtype: str) -> None:
    data = numbers(shape, dtype)
    read = read_tiff(whole(made(data), "tiff"))
    assert read.dtype == (np.uint8 if dtype == "?" else data.dtype)
    assert read.tobytes() == data.tobytes()
    assert read.shape == shape


def test_elements_of_a_tiff_can_be_mapped(tmp_path: Path) -> None:
    data = numbers((3, 4, 5, 6), "f4")
    path = tmp_path / "a.tiff"
    path.write_bytes(whole(made(data), "tiff"))
    assert np.array_equal(tifffile.memmap(path, mode="r"), data)


def test_other_libraries_read_the_picture(tmp_path: Path) -> None:
    from PySide6.QtGui import QImage, QImageReader

    data = numbers((3, 11, 13), "u1")
    path = tmp_path / "a.tiff"
    path.write_bytes(whole(made(data), "tiff"))
    reader = QImageReader(str(path))
    assert reader.imageCount() == 3
    for page in range(3):
        reader.jumpToImage(page)
        image = reader.read().convertToFormat(QImage.Format.Format_Grayscale8)
        rows = np.frombuffer(image.constBits(), "u1").reshape(image.height(), image.bytesPerLine())
        assert np.array_equal(rows[:, : image.width()], data[page])


MANY = 1_000_000


@settings(max_examples=50)
@given(page=st.integers(1, MANY - 1))
def test_directories_of_a_million_pages_are_computed(page: int) -> None:
    file = zarrcore.virtual_file(LONG, suffix="tiff")
    (first_next,) = struct.unpack("<Q", file.read(16 + 8 + 15 * 20, 8))
    nbytes = 8 + 14 * 20 + 8
    assert file.size == first_next + (MANY - 1) * nbytes
    at = first_next + (page - 1) * nbytes
    directory = bytes(file.read(at, nbytes))
    (following,) = struct.unpack("<Q", directory[-8:])
    assert following == (at + nbytes if page + 1 < MANY else 0)
    tags = {entry[0]: entry[3] for entry in struct.iter_unpack("<HHQQ", directory[8:-8])}
    expected = np.full((2, 5), 7, "u2")
    if page == MANY - 1:
        expected[...] = 9
    assert bytes(file.read(tags[273], tags[279])) == expected.tobytes()


def long() -> zarrcore.Array:
    store: dict[str, Any] = {}
    array = zarr.create_array(store, shape=(MANY, 2, 5), chunks=(1, 2, 5), dtype="u2", fill_value=7)
    array[MANY - 1] = 9
    values = {key: value.to_bytes() for key, value in store.items()}
    return zarrcore.open_hierarchy(zarrcore.stores.MemoryStore(values=values))["/"]


LONG = long()


def test_tifffile_opens_thousands_of_pages() -> None:
    array = zarrcore.virtual_file(LONG, slice(MANY - 5000, None), "tiff")
    with tifffile.TiffFile(io.BufferedReader(Stream(array), 1 << 16)) as file:
        assert len(file.pages) == 5000
        assert file.series[0].shape == (5000, 2, 5)
        assert file.pages[4999].asarray().tolist() == [[9] * 5] * 2
        assert file.pages[4998].asarray().tolist() == [[7] * 5] * 2
