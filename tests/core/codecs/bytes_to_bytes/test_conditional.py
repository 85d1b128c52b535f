"""``conditional`` against the registry's words, byte by byte."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from zarrcore.codecs import ArraySpec, Pipeline, completed
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero

BYTE = np.dtype("u1")
ZLIB = {"name": "numcodecs.zlib", "configuration": {"level": 1}}
SHUFFLE = {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}
VALUES = np.arange(64, dtype=BYTE).repeat(4)


def pipeline(codecs: list[Any], size: int = VALUES.size, *after: str, **parameters: Any) -> Pipeline:
    named = NamedConfiguration("conditional", {"codecs": codecs, **parameters})
    chain = [NamedConfiguration("bytes"), named, *map(NamedConfiguration, after)]
    return Pipeline(chain, ArraySpec((size,), BYTE, zero(BYTE)))


def test_a_bit_for_each_codec_the_first_lowest() -> None:
    plain = VALUES.tobytes()
    shuffled = VALUES.reshape(-1, 4).T.tobytes()
    made = pipeline([SHUFFLE, ZLIB])
    for header, data in (
        (b"\0", plain),
        (b"\1", shuffled),
        (b"\2", zlib.compress(plain)),
        (b"\3", zlib.compress(shuffled)),
    ):
        assert np.array_equal(made.decode(header + data), VALUES)
    wide = pipeline([SHUFFLE, ZLIB], header_bits=24)
    assert np.array_equal(wide.decode(b"\2\0\0" + zlib.compress(plain)), VALUES)


def test_compressors_are_applied_where_the_data_get_smaller() -> None:
    made = pipeline([ZLIB, "crc32c"], VALUES.size)
    encoded = bytes(made.encode(VALUES))
    assert encoded[:1] == b"\3"
    assert zlib.decompress(encoded[1:-4]) == VALUES.tobytes()
    noise = np.random.default_rng(1).integers(0, 256, VALUES.size, BYTE)
    encoded = bytes(made.encode(noise))
    assert (encoded[:1], encoded[1:-4]) == (b"\2", noise.tobytes()), "the checksum is, nevertheless"
    assert np.array_equal(made.decode(encoded), noise)
    assert bytes(pipeline([]).encode(noise)) == noise.tobytes()


def test_it_stands_in_a_chain_and_nests() -> None:
    inner = {"name": "conditional", "configuration": {"codecs": [ZLIB]}}
    made = pipeline(["blosc", inner], VALUES.size, "crc32c")
    assert np.array_equal(made.decode(made.encode(VALUES)), VALUES)


def test_parameters_are_spelled_out() -> None:
    dtype = np.dtype("<f4")
    named = NamedConfiguration("conditional", {"codecs": ["blosc", {"name": "numcodecs.zstd"}]})
    chain = [NamedConfiguration("bytes"), named]
    told = completed(chain, ArraySpec((4,), dtype, zero(dtype)))[1].configuration
    assert told["header_bits"] == 8
    assert [codec["name"] for codec in told["codecs"]] == ["blosc", "zstd"]
    assert told["codecs"][0]["configuration"]["typesize"] == 4
    assert told["codecs"][1]["configuration"] == {"level": 0, "checksum": False}


@pytest.mark.parametrize(
    "broken",
    [b"", b"\4" + VALUES.tobytes(), b"\2" + VALUES.tobytes(), b"\0" + VALUES.tobytes() + b"\0", b"\0\0"],
)
def test_broken_bytes(broken: bytes) -> None:
    with pytest.raises(CodecError):
        pipeline([SHUFFLE, ZLIB]).decode(broken)


def test_bombs_are_refused() -> None:
    with pytest.raises(CodecError):
        pipeline([SHUFFLE, ZLIB], 16).decode(b"\2" + zlib.compress(bytes(1 << 24)))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"codecs": "zstd"},
        {"codecs": ["bytes"]},
        {"codecs": ["transpose"]},
        {"codecs": [5]},
        {"codecs": ["zstd"] * 65},
        {"codecs": ["zstd"], "header_bits": 0},
        {"codecs": ["zstd"] * 9, "header_bits": 8},
        {"codecs": ["zstd"], "header_bits": 12},
        {"codecs": ["zstd"], "mask": 1},
    ],
    ids=str,
)
def test_invalid_configurations_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(MetadataError):
        Pipeline(
            [NamedConfiguration("bytes"), NamedConfiguration("conditional", parameters)],
            ArraySpec((4,), BYTE, zero(BYTE)),
        )


def test_unknown_codecs_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="mystery"):
        pipeline([{"name": "mystery", "must_understand": False}])
