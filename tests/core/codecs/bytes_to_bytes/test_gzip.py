"""``gzip``: several members, and the zlib of old writers."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import numpy as np
import pytest

from tests.core.codecs.pipelines import LITTLE, VALUES, encoded, pipeline
from zarrcore.codecs.bytes_to_bytes.gzip import GzipCodec, ZlibCodec
from zarrcore.errors import CodecError


@pytest.mark.parametrize("codec", ["gzip", "numcodecs.bz2", "numcodecs.lzma", "zstd"])
def test_streams_of_several_members_are_whole(codec: str) -> None:
    data = VALUES.tobytes()
    both = encoded(codec, data[:1500]) + encoded(codec, data[1500:])
    assert np.array_equal(pipeline(LITTLE, codec).decode(both), VALUES)


def test_chunks_of_z5_before_2020_decode() -> None:
    decode = pipeline(LITTLE, "gzip").decode
    assert decode(zlib.compress(VALUES.tobytes())).tobytes() == VALUES.tobytes()
    with pytest.raises(CodecError):
        decode(zlib.compress(VALUES.tobytes())[:-1])
    with pytest.raises(CodecError):
        pipeline(LITTLE, "numcodecs.zlib").decode(gzip.compress(VALUES.tobytes()))
    chunk = encoded("blosc")
    decode = pipeline(LITTLE, "blosc").decode
    assert decode(chunk + bytes(16)).tobytes() == VALUES.tobytes()
    with pytest.raises(CodecError, match="the header announces"):
        decode(chunk + bytes(17))


@pytest.mark.parametrize("compress", [zlib.compress, gzip.compress])
def test_one_stream_decodes_whatever_its_size(compress: Callable[[bytes], bytes]) -> None:
    codec = ZlibCodec(1) if compress is zlib.compress else GzipCodec(1)
    for data in (b"", b"a", bytes(100_000), VALUES.tobytes()):
        for max_nbytes in (len(data), len(data) + 1, 2 * len(data) + 10):
            assert codec.decode(compress(data), max_nbytes) == data
        if data:
            with pytest.raises(CodecError, match=f"more than the {len(data) - 1:,} bytes expected"):
                codec.decode(compress(data), len(data) - 1)
    assert ZlibCodec(1).decode(zlib.compress(b"abc") + b"more", 3) == b"abc"


def test_a_broken_zlib_stream_says_what_is_wrong() -> None:
    stream = zlib.compress(VALUES.tobytes())
    with pytest.raises(CodecError, match=f"ends early, after {len(stream) - 1:,} bytes"):
        ZlibCodec(1).decode(stream[:-1], VALUES.nbytes)
    with pytest.raises(CodecError, match=r"the stream is broken: .*checksum"):
        ZlibCodec(1).decode(stream[:-1] + bytes([stream[-1] ^ 1]), VALUES.nbytes)


@pytest.mark.parametrize("codec", [GzipCodec(1), ZlibCodec(1)])
def test_a_chunk_that_cannot_have_its_size_takes_no_memory(codec: GzipCodec) -> None:
    decoded = codec.decode(codec.encode(bytes(1000)), 2**50)  # as if metadata claimed an impossible chunk
    assert decoded == bytes(1000)
