"""An array as OME-TIFF: other programs read it unchanged, and any part of it is computed without the rest."""

from __future__ import annotations

import io
import struct
import subprocess
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tifffile
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import zarrcore
from tests.core.filetypes.images import made, numbers, whole
from tests.core.filetypes.stream import Stream
from tests.core.filetypes.tiff.ome_schema import validate
from zarrcore.errors import CodecError, SelectionError, UnsupportedError
from zarrcore.filetypes import supported_suffixes
from zarrcore.filetypes.tiff.axes import axis_letters

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8", "c8", "c16"]
PERMUTED = st.integers(1, 5).flatmap(lambda ndim: st.permutations("tczyx").map(lambda names: names[:ndim]))


@contextmanager
def opened(array: zarrcore.Array, selection: Any = ...) -> Iterator[tifffile.TiffFile]:
    file = zarrcore.virtual_file(array, selection, "ome.tiff")
    with tifffile.TiffFile(io.BufferedReader(Stream(file), 4096)) as tiff:
        assert tiff.is_bigtiff
        assert tiff.is_ome
        validate(tiff.ome_metadata)
        yield tiff


def elements(tiff: tifffile.TiffFile, letters: str) -> np.ndarray:
    """The OME reader's elements, with dimensions in the order of ``letters``; the reader may add dimensions of length 1."""
    series = tiff.series[0]
    assert series.kind == "ome"
    found = series.asarray()
    for axis, letter in reversed([*enumerate(series.axes)]):
        if letter not in letters:
            found = found.squeeze(axis)
    kept = [letter for letter in series.axes if letter in letters]
    missing = [letter for letter in letters if letter not in kept]
    found = found.reshape((1,) * len(missing) + found.shape)
    return found.transpose([[*missing, *kept].index(letter) for letter in letters])


@pytest.mark.sampled(18)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("shape", "letters"),
    [((2, 3, 2, 5, 7), "TCZYX"), ((3, 600, 270), "ZYX"), ((300, 1300), "YX"), ((1400,), "X"), ((), "")],
)
def test_tifffile_reads_every_type(shape: tuple[int, ...], letters: str, dtype: str) -> None:
    data = numbers(shape, dtype)
    with opened(made(data)) as tiff:
        read = elements(tiff, letters)
    assert read.dtype == (np.uint8 if dtype == "?" else data.dtype)
    assert read.tobytes() == data.tobytes()


@pytest.mark.parametrize("names", [["y"], ["x"]])
def test_padding_of_a_line_is_zero(names: list[str]) -> None:
    """Each part is read separately, of an array with only rows or only columns."""
    array = made(np.arange(1, 514, dtype="u4"), names, chunks=(171,))
    content, file = whole(array, "ome.tiff"), zarrcore.virtual_file(array, suffix="ome.tiff")
    for offset in range(0, file.size, 499):
        assert bytes(file.read(offset, 3)) == content[offset : offset + 3], offset


@settings(max_examples=60, deadline=None)
@given(names=PERMUTED, draw=st.data())
def test_axes_may_have_any_order_and_chunks_any_shape(names: list[str], draw: st.DataObject) -> None:
    lengths = {name: draw.draw(st.integers(1, 700 if name in "yx" else 3)) for name in names}
    shape = tuple(lengths.values())
    chunks = tuple(draw.draw(st.integers(max(1, length // 3), length)) for length in shape)
    data = np.arange(np.prod(shape), dtype="u4").reshape(shape)
    array = made(data, names, chunks=chunks)
    letters = axis_letters(shape, data.dtype, names)
    with opened(array) as tiff:
        assert np.array_equal(elements(tiff, letters), data)
    content = whole(array, "ome.tiff")
    file = zarrcore.virtual_file(array, suffix="ome.tiff")
    offset, nbytes = draw.draw(st.integers(0, file.size)), draw.draw(st.integers(0, 9000))
    assert bytes(file.read(offset, nbytes)) == content[offset : offset + nbytes]
    written = io.BytesIO()
    told: list[int] = []
    file.write_to(written, told.append)
    assert written.getvalue() == content
    assert sum(told) == file.size


@pytest.mark.sampled
@pytest.mark.parametrize("samples", [3, 4])
@pytest.mark.parametrize("dtype", ["u1", "u2"])
def test_colours_are_samples_of_pixels(samples: int, dtype: str) -> None:
    data = numbers((2, 400, 1100, samples), dtype)
    with opened(made(data, chunks=(1, 100, 100, 2))) as tiff:
        assert tiff.series[0].axes == "ZYXS"
        assert tiff.pages[0].photometric == tifffile.PHOTOMETRIC.RGB
        assert tiff.pages[0].tile == (400, 400)
        assert np.array_equal(tiff.asarray(), data)
    with opened(made(data, ["z", "y", "c", "x"])) as tiff:  # a picture with a width of three or four pixels
        assert tiff.series[0].axes == "ZCYX"


def test_a_selection_is_an_image() -> None:
    data = numbers((4, 300, 2, 500), "u2")
    array = made(data, ["t", "y", "c", "x"], chunks=(1, 100, 1, 100))
    with opened(array, (2, slice(None, None, -2))) as tiff:
        assert np.array_equal(elements(tiff, "YCX"), data[2, ::-2])
    with pytest.raises(SelectionError):
        zarrcore.virtual_file(array, 9, "ome.tiff")


def test_elements_are_read_lazily() -> None:
    data = numbers((2, 900, 1100), "u2")
    cache = zarrcore.ChunkCache(1 << 20)
    array = made(data, ["c", "y", "x"], chunks=(1, 256, 256)).with_chunk_cache(cache)
    with opened(array) as tiff:
        lazy = zarr.open_array(tiff.series[0].aszarr(), mode="r")
        assert cache.decoded == 0
        assert lazy.chunks == (1, 256, 256)
        assert np.array_equal(lazy[1, 300:500, 300:400], data[1, 300:500, 300:400])
        assert cache.decoded == 1


@pytest.mark.parametrize(
    ("shape", "chunks", "tile"),
    [
        ((1000, 2000), (1000, 256), (1008, 256)),
        ((600, 2000), (600, 512), (608, 512)),
        ((2000, 1000), (256, 1000), (256, 1008)),
        ((600, 600), (600, 600), None),
        ((3, 1030), (3, 1030), (16, 512)),
    ],
)
def test_libtiff_finds_no_fault(
    tmp_path: Path, shape: tuple[int, int], chunks: tuple[int, int], tile: tuple[int, int] | None
) -> None:
    data = numbers(shape, "u1")
    path = tmp_path / "a.ome.tiff"
    path.write_bytes(whole(made(data, chunks=chunks), "ome.tiff"))
    told = subprocess.run(["tiffinfo", "-D", path], capture_output=True, text=True, check=True)
    assert not told.stderr
    assert (tile is None) == ("Tile" not in told.stdout)
    with tifffile.TiffFile(path) as tiff:
        assert tile is None or (tiff.pages[0].tilelength, tiff.pages[0].tilewidth) == tile
        assert np.array_equal(tiff.asarray(), data)


def test_libtiff_reads_the_elements(tmp_path: Path) -> None:
    data = numbers((3, 700, 1100), "u2")
    path, copied = tmp_path / "a.ome.tiff", tmp_path / "b.tiff"
    path.write_bytes(whole(made(data, chunks=(2, 300, 256)), "ome.tiff"))
    told = subprocess.run(["tiffinfo", path], capture_output=True, text=True, check=True)
    assert not told.stderr
    assert told.stdout.count("Tile Width: 256 Tile Length: 512") == 3
    subprocess.run(["tiffcp", "-8", "-s", "-r", "64", path, copied], capture_output=True, check=True)
    assert np.array_equal(tifffile.imread(copied, is_ome=False), data)


def test_pillow_reads_the_elements() -> None:
    for shape in ((2, 40, 50), (2, 300, 1100)):
        data = numbers(shape, "u1")
        with Image.open(io.BytesIO(whole(made(data), "ome.tiff"))) as image:
            image.seek(1)
            assert np.array_equal(np.asarray(image), data[1])


MANY = 1_000_000


def test_a_million_pages_of_a_hundred_tiles_are_computed() -> None:
    hierarchy = zarrcore.create(zarrcore.stores.MemoryStore())
    array = hierarchy.create_array("a", shape=(MANY, 2560, 2560), dtype="uint16", chunks=(1, 256, 256))
    array[MANY - 1, 2559, 2558:] = 7
    tracemalloc.start()
    file = zarrcore.virtual_file(array, suffix="ome.tiff")
    (second,) = struct.unpack("<Q", file.read(16 + 8 + 20 * 16, 8))
    last = second + (MANY - 2) * 320
    (entries,) = struct.unpack("<Q", file.read(last, 8))
    tags = {tag: value for tag, _, _, value in struct.iter_unpack("<HHQQ", file.read(last + 8, 20 * entries))}
    (following,) = struct.unpack("<Q", file.read(last + 8 + 20 * entries, 8))
    (tile,) = struct.unpack("<Q", file.read(tags[324] + 8 * 99, 8))
    (nbytes,) = struct.unpack("<I", file.read(tags[325] + 4 * 99, 4))
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()
    assert following == 0
    assert tile + nbytes == file.size
    assert file.size > MANY * array.itemsize * 2560 * 2560
    assert np.frombuffer(file.read(tile, nbytes), "u2").nonzero()[0].tolist() == [
        256 * 256 - 2,
        256 * 256 - 1,
    ]


def test_only_requested_chunks_are_decoded() -> None:
    cache = zarrcore.ChunkCache(1 << 24)
    array = made(numbers((2, 600, 600), "u2"), chunks=(1, 256, 256)).with_chunk_cache(cache)
    file = zarrcore.virtual_file(array, suffix="ome.tiff")
    begin, slab = file.slabs
    assert slab == 3 * 256 * 256 * 2  # a row of tiles
    assert begin + 6 * slab == file.size
    assert file.array_at(begin) == file.array_at(file.size - 1) == (begin, file.size, slab, slab)
    assert file.array_at(0)[1:] == (16, 0, 0)
    assert begin % 4096 == 0
    assert file.cached(0, begin)
    file.read(0, begin)
    assert cache.decoded == 0
    middle = begin + 4 * 256 * 256 * 2
    file.prefetch(middle + 7, 256 * 256 * 2 - 9)
    assert cache.decoded == 1
    assert file.cached(middle, 256 * 256 * 2)
    assert not file.cached(middle, 256 * 256 * 2 + 1)
    with pytest.raises(SelectionError, match="no bytes at offset -1"):
        file.read(-1, 1)


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        ("int64", (5, 5)),
        ("uint64", (5, 5)),
        ("float16", (5, 5)),
        (ml_dtypes.bfloat16, (5, 5)),
        ("datetime64[s]", (5, 5)),
        ("uint8", (0, 5)),
        ("uint8", (2,) * 6),
        ("uint32", (1 << 16, 1 << 16, 4, 4)),
        ("uint8", (1 << 31, 4)),
    ],
)
def test_arrays_that_ome_tiff_cannot_hold_are_refused(dtype: Any, shape: tuple[int, ...]) -> None:
    array = zarrcore.create(zarrcore.stores.MemoryStore()).create_array("a", shape=shape, dtype=dtype)
    assert "ome.tiff" not in supported_suffixes(array)
    with pytest.raises(UnsupportedError):
        zarrcore.virtual_file(array, suffix="ome.tiff")


def test_a_broken_chunk_only_affects_its_tiles() -> None:
    store: dict[str, Any] = {}
    data = numbers((512, 768), "u2")
    zarr.create_array(store, data=data, chunks=(256, 256))
    values = {key: value.to_bytes() for key, value in store.items()} | {"c/1/1": b"broken"}
    file = zarrcore.virtual_file(
        zarrcore.open_hierarchy(zarrcore.stores.MemoryStore(values=values))["/"], suffix="ome.tiff"
    )
    begin, tile = file.slabs[0], 256 * 256 * 2
    for number in range(6):
        if number == 4:
            with pytest.raises(CodecError, match="c/1/1"):
                file.read(begin + number * tile, tile)
            continue
        rows, columns = divmod(number, 3)
        part = data[256 * rows : 256 * (rows + 1), 256 * columns : 256 * (columns + 1)]
        assert bytes(file.read(begin + number * tile, tile)) == part.tobytes()
