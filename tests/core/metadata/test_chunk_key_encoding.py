"""Chunk keys: what is encoded decodes, and no other key names a chunk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.metadata import ChunkKeyEncoding

ENCODINGS = [
    *(ChunkKeyEncoding(name, separator) for name in ("default", "v2") for separator in ("/", ".")),
    ChunkKeyEncoding("n5", "/"),
]
each_encoding = pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda e: f"{e.name}{e.separator}")


@each_encoding
@given(index=st.lists(st.integers(0, 2**62), max_size=5).map(tuple))
def test_keys_decode_to_their_index(encoding: ChunkKeyEncoding, index: tuple[int, ...]) -> None:
    assert encoding.decode(encoding.encode(index), len(index)) == index
    if index or encoding.name == "default":  # without dimensions, version 2's key is that of a first chunk
        assert encoding.decode(encoding.encode(index), len(index) + 1) is None


@each_encoding
@given(key=st.text("c0127./ +-_٣\n", max_size=8), ndim=st.integers(0, 3))
def test_other_keys_do_not_name_chunks(encoding: ChunkKeyEncoding, key: str, ndim: int) -> None:
    index = encoding.decode(key, ndim)
    assert index is None or (encoding.encode(index) == key and len(index) == ndim)


@pytest.mark.parametrize(
    "key", ["", "c", "c/", "c/1", "c/1/", "c//1", "c/01/2", "c/1/2/3", "c/1/-2", "c/1.2", "1/2", "c/1/٣"]
)
def test_keys_that_are_invalid_in_two_dimensions(key: str) -> None:
    assert ChunkKeyEncoding().decode(key, 2) is None


def test_version_2_without_dimensions() -> None:
    assert ChunkKeyEncoding("v2", ".").decode("0", 0) == ()
    assert ChunkKeyEncoding("v2", ".").decode("1", 0) is None
    assert ChunkKeyEncoding("v2", ".").decode("0.0", 0) is None
