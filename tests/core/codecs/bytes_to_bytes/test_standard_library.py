"""bzip2 and xz streams."""

from __future__ import annotations

import bz2
import lzma
import os
from typing import Any

import numcodecs
import numpy as np
import pytest

from zarrcore.codecs import ArraySpec
from zarrcore.codecs.bytes_to_bytes.standard_library import Bz2Codec, LzmaCodec
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.fill_value import zero

DATA = b"some bytes that repeat, " * 20
BYTES = ArraySpec((len(DATA),), np.dtype("u1"), zero(np.dtype("u1")))
LZMA2: list[dict[str, Any]] = [{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 1}]

BZ2 = Bz2Codec.from_configuration({})
XZ = LzmaCodec.from_configuration({})
PACK = {BZ2: bz2.compress, XZ: lzma.compress}


@pytest.mark.parametrize("codec", [BZ2, XZ], ids=["bz2", "lzma"])
def test_streams_that_follow_one_another_are_one_value(codec: Any) -> None:
    pack = PACK[codec]
    assert codec.decode(pack(DATA[:100]) + pack(b"") + pack(DATA[100:]), len(DATA)) == DATA
    assert codec.decode(codec.encode(b""), 0) == b""


@pytest.mark.parametrize("codec", [BZ2, XZ], ids=["bz2", "lzma"])
def test_no_more_is_decoded_than_expected(codec: Any) -> None:
    encoded = memoryview(codec.encode(DATA))
    assert codec.decode(encoded, len(DATA)) == DATA
    assert codec.decode(encoded, len(DATA) + 100) == DATA
    with pytest.raises(CodecError, match="more than the 479 bytes expected"):
        codec.decode(encoded, len(DATA) - 1)


@pytest.mark.parametrize("codec", [BZ2, XZ], ids=["bz2", "lzma"])
def test_a_stream_that_is_not_whole_is_broken(codec: Any) -> None:
    encoded = bytes(codec.encode(os.urandom(200)))
    with pytest.raises(CodecError, match="expected at least one byte, found none"):
        codec.decode(b"", 200)
    for broken in (encoded[:-1], encoded[: len(encoded) // 2], encoded[1:], b"garbage"):
        with pytest.raises(CodecError, match="the stream is broken"):
            codec.decode(broken, 200)


@pytest.mark.parametrize(
    "configuration",
    [
        {"format": lzma.FORMAT_XZ, "check": lzma.CHECK_SHA256, "preset": 0, "filters": None},
        {"format": lzma.FORMAT_ALONE, "check": -1, "preset": 1, "filters": None},
        {"format": lzma.FORMAT_XZ, "check": lzma.CHECK_CRC32, "preset": None, "filters": LZMA2},
        {"format": lzma.FORMAT_RAW, "check": -1, "preset": None, "filters": LZMA2},
    ],
)
def test_every_container_of_lzma_is_written_and_read_as_numcodecs_does(configuration: dict[str, Any]) -> None:
    codec, theirs = LzmaCodec.from_configuration(configuration), numcodecs.LZMA(**configuration)
    assert codec.configuration(BYTES) == configuration
    filters = LZMA2 if configuration["format"] == lzma.FORMAT_RAW else None
    assert lzma.decompress(codec.encode(DATA), configuration["format"], filters=filters) == DATA
    assert codec.decode(theirs.encode(DATA), len(DATA)) == DATA


def test_the_level_of_bz2_is_written() -> None:
    assert BZ2.configuration(BYTES) == {"level": 1}
    assert Bz2Codec.from_configuration({"level": 9}).encode(DATA)[:4] == b"BZh9"


@pytest.mark.parametrize(
    ("configuration", "member"),
    [
        ({"format": lzma.FORMAT_RAW}, "filters"),  # without a container, only the filters tell how to read it
        ({"format": lzma.FORMAT_RAW, "filters": "lzma2"}, "filters"),
        ({"format": lzma.FORMAT_RAW, "filters": [{}]}, "filters"),
        ({"format": 17}, "filters"),
        ({"check": None}, "check"),
        ({"preset": -1}, "preset"),
        ({"level": 1}, "level"),
    ],
)
def test_invalid_parameters_of_lzma_are_refused(configuration: dict[str, Any], member: str) -> None:
    with pytest.raises(MetadataError) as caught:
        LzmaCodec.from_configuration(configuration)
    assert caught.value.member == member


def test_what_liblzma_only_reads_is_not_written() -> None:
    codec = LzmaCodec.from_configuration({"format": lzma.FORMAT_AUTO})
    assert codec.decode(lzma.compress(DATA), len(DATA)) == DATA
    with pytest.raises(MetadataError, match="liblzma cannot write that"):
        codec.configuration(BYTES)
    with pytest.raises(CodecError, match="liblzma cannot write that"):
        codec.encode(DATA)
