"""Chunks that may be compressed."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.bytes_to_bytes.neuroglancer_gzip import NeuroglancerGzipCodec
from zarrcore.errors import CodecError

CODEC = NeuroglancerGzipCodec.from_configuration({})


@given(st.binary(max_size=60), st.booleans())
def test_raw_chunks_are_told_from_compressed_ones(data: bytes, begins_like_gzip: bool) -> None:
    data = b"\x1f\x8b\x08" * begins_like_gzip + data
    out = memoryview(bytearray(len(data)))
    for stored in (data, gzip.compress(data)):
        assert bytes(CODEC.decode(stored, len(data), out)) == data


def test_broken_and_long_streams_are_refused() -> None:
    packed = gzip.compress(bytes(100))
    for data in (packed[:-5], gzip.compress(bytes(101))):
        with pytest.raises(CodecError):
            CODEC.decode(data, 100)
    assert CODEC.decode(b"text", 100) == b"text"
