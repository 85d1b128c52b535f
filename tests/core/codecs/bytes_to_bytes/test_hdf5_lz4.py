"""HDF5's blocks of LZ4."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.native.hdf5_chunks import lz4_blocks
from zarrcore.codecs.bytes_to_bytes.hdf5_lz4 import Hdf5Lz4Codec
from zarrcore.errors import CodecError

CODEC = Hdf5Lz4Codec.from_configuration({})


@given(st.binary(max_size=300) | st.integers(0, 300).map(bytes), st.integers(1, 100))
def test_blocks_decode(data: bytes, block: int) -> None:
    assert bytes(CODEC.decode(lz4_blocks(data, block), 300)) == data


@given(st.binary(max_size=60))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    with contextlib.suppress(CodecError):
        assert len(CODEC.decode(data, 100)) <= 100


def test_a_bomb_and_missing_blocks_are_refused() -> None:
    with pytest.raises(CodecError, match="at most 100 bytes"):
        CODEC.decode(lz4_blocks(bytes(200), 50), 100)
    with pytest.raises(CodecError, match="end early"):
        CODEC.decode(lz4_blocks(bytes(200), 50)[:30], 200)
