"""``gzip``: several members, and the zlib of old writers."""

from __future__ import annotations

import gzip
import zlib

import numpy as np
import pytest

from tests.core.codecs.pipelines import LITTLE, VALUES, encoded, pipeline
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
