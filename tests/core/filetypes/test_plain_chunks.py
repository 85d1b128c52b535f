"""Chunks of plain elements: any bytes at any offset equal those of the padded chunk of NumPy."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.hierarchies import values
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.filetypes import PlainChunks, group_document

TYPES = ("u1", "<f4", ">f8", "<c16", "<M8[ns]", "S3", "<U2", [("a", "<i2"), ("b", "S3")])


@st.composite
def arrays(draw: st.DrawFn) -> tuple[zarrcore.Array, np.ndarray, np.ndarray]:
    """An array of odd shape with chunks or shards, its elements, and its fill value."""
    shape = tuple(draw(st.lists(st.integers(0, 7), max_size=4)))
    chunk = tuple(draw(st.integers(1, 5)) for _ in shape)
    data = values(draw(st.sampled_from(TYPES)), shape)
    data = data.astype(data.dtype.newbyteorder("<"))
    fill = values(data.dtype, (1,), seed=5)[0:1].astype(data.dtype).reshape(())
    options: dict[str, Any] = {}
    if draw(st.booleans()):
        options["shards"] = tuple(length * draw(st.integers(1, 4)) for length in chunk)
    hierarchy = zarrcore.create("memory://")
    array = hierarchy.create_array(
        "/a", shape=shape, dtype=data.dtype, chunks=chunk, fill_value=fill[()], **options
    )
    stored = data.copy()
    if shape and shape[0] > chunk[0]:  # the first chunks are missing
        stored[: chunk[0]] = fill
    array[...] = stored
    return array, stored, fill


def padded(values: np.ndarray, fill: np.ndarray, shape: tuple[int, ...], index: tuple[int, ...]) -> bytes:
    """A chunk according to the specification: of full size, padded at the edges of the array."""
    chunk = np.empty(shape, values.dtype)
    np.copyto(chunk, fill)
    part = values[tuple(slice(i * n, (i + 1) * n) for i, n in zip(index, shape, strict=True)) or ...]
    chunk[tuple(map(slice, part.shape)) or ...] = part
    return chunk.tobytes()


@given(made=arrays(), data=st.data())
def test_any_part_of_any_chunk_equals_that_of_numpy(
    made: tuple[zarrcore.Array, np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    array, expected, fill = made
    plain = PlainChunks(array)
    document = json.loads(plain.document)
    assert document["chunk_grid"]["configuration"]["chunk_shape"] == list(plain.shape)
    assert [codec["name"] for codec in document["codecs"]] == ["bytes"]
    assert plain.grid_shape == tuple(-(-n // c) for n, c in zip(array.shape, plain.shape, strict=True))
    assert plain.nbytes == math.prod(plain.shape) * array.itemsize
    for index in itertools.product(*map(range, plain.grid_shape)):
        whole = padded(expected, fill, plain.shape, index)
        chunk = plain.chunk(index)
        assert plain.encoded(index) == whole
        assert chunk.size == len(whole)
        offset = data.draw(st.integers(0, len(whole)))
        buffer = memoryview(bytearray(data.draw(st.integers(0, len(whole) + 3))))
        taken = chunk.readinto(offset, buffer)
        assert buffer[:taken] == whole[offset : offset + len(buffer)]


def test_chunks_are_cached() -> None:
    hierarchy = zarrcore.create("memory://")
    stored = hierarchy.create_array("/a", shape=(5, 5), dtype="u1", chunks=(3, 3), fill_value=9)
    stored[...] = np.arange(25).reshape(5, 5)
    again = zarrcore.open_hierarchy(hierarchy.store, chunk_cache=zarrcore.ChunkCache(1 << 20))
    chunk = PlainChunks(again["/a"]).chunk((1, 1))
    assert not chunk.cached(0, 9)
    assert chunk.cached(6, 3), "nothing of the array is in the last row"
    whole = bytearray(9)
    assert chunk.readinto(0, memoryview(whole)) == 9
    assert bytes(whole) == bytes([18, 19, 9, 23, 24, 9, 9, 9, 9])
    assert chunk.cached(0, 9)


@pytest.mark.parametrize(
    ("chunk", "shard", "expected"),
    [
        ((32, 32, 32), (256, 256, 256), (64, 64, 64)),  # of float32, 1 MiB
        ((1, 64, 64), (16, 128, 128), (16, 128, 128)),
        ((64, 64, 64), (256, 256, 256), (64, 64, 64)),
        ((7, 7, 7), (49, 49, 49), (28, 28, 28)),
    ],
)
def test_small_chunks_of_shards_are_joined(
    chunk: tuple[int, ...], shard: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    hierarchy = zarrcore.create("memory://")
    array = hierarchy.create_array("/a", shape=(300,) * 3, dtype="float32", chunks=chunk, shards=shard)
    assert PlainChunks(array).shape == expected


def test_chunks_of_variable_length_elements_are_made_whole() -> None:
    hierarchy = zarrcore.create("memory://")
    array = hierarchy.create_array("/a", shape=(3,), dtype="string", chunks=(2,), fill_value="–")
    array[:2] = np.array(["ä", "bc"], np.dtypes.StringDType())
    plain = PlainChunks(array)
    assert plain.nbytes is None
    assert json.loads(plain.document)["codecs"] == [{"name": "vlen-utf8"}]
    assert plain.encoded((0,)) == b"\2\0\0\0\2\0\0\0\xc3\xa4\2\0\0\0bc"
    assert plain.encoded((1,)) == b"\2\0\0\0\3\0\0\0\xe2\x80\x93\3\0\0\0\xe2\x80\x93"


def test_arrays_that_a_document_cannot_express_are_refused() -> None:
    with pytest.raises(MetadataError, match="no JSON form"):
        group_document({"a": object()})
    hierarchy = zarrcore.create("memory://")
    array = hierarchy.create_array("/a", shape=(4,), dtype="float64", chunks=(1 << 62,))
    with pytest.raises(UnsupportedError, match="too large for a file"):
        PlainChunks(array)
