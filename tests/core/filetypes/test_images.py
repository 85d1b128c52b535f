"""TIFF and NRRD: other programs read each array unchanged, and any part of a file is computed without the rest."""

from __future__ import annotations

import io

import ml_dtypes
import numpy as np
import pytest
import tifffile
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.filetypes.images import made, numbers, whole
from tests.core.filetypes.readers import read_nrrd, read_tiff
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes import supported_suffixes
from zarrcore.filetypes.interface import HeaderAndBody


@pytest.mark.parametrize("samples", [3, 4])
@pytest.mark.parametrize("dtype", ["u1", "u2"])
def test_colours_are_samples_of_pixels(samples: int, dtype: str) -> None:
    data = numbers((4, 5, 6, samples), dtype)
    array = made(data, ["time", "y", "x", "colour"])
    content = whole(array, "tiff")
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        assert len(file.pages) == 4
        assert file.series[0].axes == "TYXS"
        assert file.pages[1].photometric == tifffile.PHOTOMETRIC.RGB
        assert np.array_equal(file.pages[2].asarray(), data[2])
        assert np.array_equal(file.asarray(), data)
    read, header = read_nrrd(whole(array, "nrrd"))
    assert header["kinds"] == ["RGB-color" if samples == 3 else "RGBA-color", "???", "???", "???"]
    assert np.array_equal(read, data)


def test_dimensions_are_named() -> None:
    data = numbers((3, 2, 4, 5), "u2")
    array = made(data, ["time", "Z", "y", "x"])
    with tifffile.TiffFile(io.BytesIO(whole(array, "tiff"))) as file:
        assert file.is_bigtiff
        assert file.is_shaped
        assert (file.series[0].axes, file.series[0].shape) == ("TZYX", data.shape)
    with tifffile.TiffFile(io.BytesIO(whole(array, "tiff", (1, slice(None, None, -1))))) as file:
        assert file.series[0].axes == "ZYX"
        assert np.array_equal(file.asarray(), data[1, ::-1])
    assert read_nrrd(whole(array, "nrrd", (1,)))[1]["labels"] == ["x", "y", "Z"]
    # Only names are omitted that a header cannot hold, or that are not axes of images.
    odd = made(data, ["größe", 'a "b"', "back\\slash", "new\nline"])
    read, header = read_nrrd(whole(odd, "nrrd"))
    assert header["labels"] == [""] * 4
    assert np.array_equal(read, data)
    assert np.array_equal(read_tiff(whole(odd, "tiff")), data)


PARTS = made(numbers((5, 3, 4), "u2"), ["z", "y", "x"], chunks=(2, 2, 3))


@given(suffix=st.sampled_from(["tiff", "nrrd"]), offset=st.integers(0, 3000), nbytes=st.integers(0, 3000))
def test_any_part_equals_that_of_the_whole(suffix: str, offset: int, nbytes: int) -> None:
    file = zarrcore.virtual_file(PARTS, suffix=suffix)
    content = whole(PARTS, suffix)
    assert bytes(file.read(offset, nbytes)) == content[offset : offset + nbytes]
    file.prefetch(offset, nbytes)
    written = io.BytesIO()
    file.write_to(written)
    assert written.getvalue() == content


def test_only_requested_chunks_are_decoded() -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    file = zarrcore.virtual_file(PARTS.with_chunk_cache(cache), suffix="tiff")
    assert isinstance(file, HeaderAndBody)
    begin, end = len(file.header), len(file.header) + file.body.nbytes
    assert file.cached(0, begin)
    assert file.cached(end, file.size)
    assert not file.cached(begin, 1)
    file.read(0, begin)
    file.read(end, file.size)
    assert cache.misses == 0
    file.prefetch(begin, 1)
    assert file.cached(begin, 1)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (np.zeros((0, 4), "u1"), {"raw", "npy"}),
        (np.zeros(3, "f2"), {"raw", "npy", "tiff", "tif"}),
        (np.zeros(3, "c8"), {"raw", "npy", "tiff", "tif", "ome.tiff"}),
        (np.array(1.0), {"raw", "npy", "tiff", "tif", "ome.tiff"}),
        (np.zeros(3, "M8[s]"), {"raw", "npy"}),
        (np.zeros((1,) * 17, "u1"), {"raw", "npy", "tiff", "tif"}),
    ],
)
def test_arrays_only_have_the_file_types_that_can_hold_them(data: np.ndarray, expected: set[str]) -> None:
    assert set(supported_suffixes(made(data))) == expected


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((10**9, 10**8, 4, 5), {"raw", "npy", "nrrd"}),
        ((10**6, 1 << 32, 5), {"raw", "npy", "nrrd"}),
        ((2**63 - 10,), {"raw"}),
    ],
)
def test_files_that_are_too_large_are_not_offered(shape: tuple[int, ...], expected: set[str]) -> None:
    array = zarrcore.create(zarrcore.stores.MemoryStore()).create_array("a", shape=shape, dtype="uint8")
    assert set(supported_suffixes(array)) == expected


def test_numbers_of_ml_dtypes_are_not_images() -> None:
    store = zarrcore.stores.MemoryStore()
    array = zarrcore.create(store).create_array("a", shape=(3,), dtype=ml_dtypes.bfloat16)
    assert set(supported_suffixes(array)) == {"raw", "npy"}
    with pytest.raises(UnsupportedError, match="'bfloat16' has no counterpart in TIFF"):
        zarrcore.virtual_file(array, suffix="tiff")
    with pytest.raises(UnsupportedError, match="has no name in NRRD"):
        zarrcore.virtual_file(array, suffix="nrrd")
