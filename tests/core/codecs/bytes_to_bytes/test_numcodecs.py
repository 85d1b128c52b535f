"""Codecs of numcodecs on bytes: LZ4, shuffle and checksums."""

from __future__ import annotations

from typing import Any

import numcodecs
import numpy as np
import pytest

from zarrcore.codecs import ArraySpec
from zarrcore.codecs.bytes_to_bytes.numcodecs import (
    Adler32Codec,
    Crc32Codec,
    Fletcher32Codec,
    JenkinsLookup3Codec,
    Lz4Codec,
    NumcodecsCrc32cCodec,
    ShuffleCodec,
)
from zarrcore.codecs.interface import BytesToBytesCodec
from zarrcore.errors import ChecksumError, CodecError, MetadataError
from zarrcore.metadata.fill_value import zero

DATA = bytes(range(200)) * 3
BYTES = ArraySpec((len(DATA),), np.dtype("u1"), zero(np.dtype("u1")))

CHECKSUMS: list[tuple[type[BytesToBytesCodec], dict[str, Any]]] = [
    *((kind, {}) for kind in (Crc32Codec, NumcodecsCrc32cCodec, Adler32Codec, Fletcher32Codec)),
    *((kind, {"location": "start"}) for kind in (Crc32Codec, NumcodecsCrc32cCodec, Adler32Codec)),
    *((kind, {"location": "end"}) for kind in (Crc32Codec, NumcodecsCrc32cCodec, Adler32Codec)),
    (JenkinsLookup3Codec, {"initval": 7}),
]


@pytest.mark.parametrize(("kind", "configuration"), CHECKSUMS)
def test_a_checksum_takes_four_bytes_and_is_checked(
    kind: type[BytesToBytesCodec], configuration: dict[str, Any]
) -> None:
    codec = kind.from_configuration(configuration)
    encoded = bytes(codec.encode(DATA))
    assert len(encoded) == codec.encoded_nbytes(len(DATA)) == len(DATA) + 4
    assert bytes(codec.decode(memoryview(encoded), len(DATA))) == DATA
    for place in (0, 300, -1):
        damaged = bytearray(encoded)
        damaged[place] ^= 1
        with pytest.raises(ChecksumError) as caught:
            codec.decode(bytes(damaged), len(DATA))
        assert caught.value.codec == kind.names[0]
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("nbytes", [0, 3, 605])
def test_more_or_fewer_bytes_than_expected_are_refused(nbytes: int) -> None:
    with pytest.raises(CodecError, match=f"expected at most 604 bytes, found {nbytes}"):
        Crc32Codec.from_configuration({}).decode(bytes(nbytes), len(DATA))


def test_the_location_of_a_checksum_is_kept() -> None:
    first, last = (Crc32Codec.from_configuration({"location": place}) for place in ("start", "end"))
    assert bytes(first.encode(DATA))[4:] == bytes(last.encode(DATA))[:-4] == DATA
    assert (first.configuration(BYTES), last.configuration(BYTES)) == (
        {"location": "start"},
        {"location": "end"},
    )


def test_lz4_decodes_what_numcodecs_writes_and_no_more_than_expected() -> None:
    codec = Lz4Codec.from_configuration({"acceleration": 3})
    encoded = numcodecs.LZ4().encode(DATA)
    assert bytes(codec.decode(encoded, len(DATA))) == DATA
    assert bytes(numcodecs.LZ4().decode(codec.encode(DATA))) == DATA
    assert codec.configuration(BYTES) == {"acceleration": 3}
    with pytest.raises(CodecError, match="the header announces 600 bytes; at most 599 are expected"):
        codec.decode(encoded, len(DATA) - 1)


@pytest.mark.parametrize("broken", [b"", b"\1\0\0", b"\x58\2\0\0", b"\x58\2\0\0garbage", b"\xff" * 20])
def test_broken_lz4_is_an_error(broken: bytes) -> None:
    with pytest.raises(CodecError) as caught:
        Lz4Codec.from_configuration({}).decode(broken, len(DATA))
    assert caught.value.codec == "numcodecs.lz4"


def test_lz4_of_nothing_is_nothing() -> None:
    assert Lz4Codec.from_configuration({}).decode(bytes(4), 0) == b""


@pytest.mark.parametrize("elementsize", [0, 1, 4, 8])
def test_shuffled_bytes_lie_by_their_significance(elementsize: int) -> None:
    codec = ShuffleCodec.from_configuration({"elementsize": elementsize})
    encoded = bytes(codec.encode(DATA))
    size = max(1, elementsize)
    assert encoded == np.frombuffer(DATA, "u1").reshape(-1, size).T.tobytes()
    assert codec.encoded_nbytes(len(DATA)) == len(encoded)
    assert bytes(codec.decode(encoded, len(DATA))) == DATA


def test_bytes_that_are_not_whole_elements_are_not_shuffled() -> None:
    codec = ShuffleCodec.from_configuration({"elementsize": 8})
    encoded = bytes(codec.encode(DATA))
    assert codec.decode(encoded + b"rest", len(DATA) + 4) == DATA + b"rest"
    assert codec.decode(b"rest", 4) == b"rest"
    with pytest.raises(CodecError):
        codec.encode(DATA[:-1])
    with pytest.raises(CodecError, match="expected at most 599 bytes, found 600"):
        codec.decode(DATA, len(DATA) - 1)


@pytest.mark.parametrize(
    ("kind", "configuration", "member"),
    [
        (Lz4Codec, {"acceleration": "fast"}, "acceleration"),
        (Lz4Codec, {"acceleration": 2**31}, "acceleration"),
        (ShuffleCodec, {"elementsize": -1}, "elementsize"),
        (Crc32Codec, {"location": "middle"}, "location"),
        (JenkinsLookup3Codec, {"initval": 2**32}, "initval"),
        (JenkinsLookup3Codec, {"prefix": 5}, "numcodecs.jenkins_lookup3"),
        (Fletcher32Codec, {"location": "end"}, "location"),
    ],
)
def test_invalid_parameters_are_refused(
    kind: type[BytesToBytesCodec], configuration: dict[str, Any], member: str
) -> None:
    with pytest.raises(MetadataError) as caught:
        kind.from_configuration(configuration)
    assert caught.value.member == member
