"""Chunks that are cut, altered, or larger than they should be: an error that says so, and no memory wasted on them."""

import contextlib
import gzip
import struct
import zlib

import numcodecs
import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.memory import forget_peak, peak_nbytes
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import ChecksumError, CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero

VALUES = np.arange(1000, dtype="<f4").reshape(10, 100)
LITTLE = NamedConfiguration("bytes", {"endian": "little"})


def pipeline(*codecs: NamedConfiguration | str, shape: tuple[int, ...] = VALUES.shape) -> Pipeline:
    named = [NamedConfiguration(codec) if isinstance(codec, str) else codec for codec in codecs]
    return Pipeline(named, ArraySpec(shape, VALUES.dtype, zero(VALUES.dtype)))


def encoded(codec: str, data: bytes = VALUES.tobytes()) -> bytes:
    match codec:
        case "gzip":
            return gzip.compress(data)
        case "numcodecs.zlib":
            return zlib.compress(data)
        case "zstd":
            return zstandard.compress(data)
        case "blosc":
            return numcodecs.Blosc("lz4").encode(data)
        case "crc32c":
            return bytes(numcodecs.get_codec({"id": "crc32c"}).encode(data))
        case _:
            return bytes(numcodecs.get_codec({"id": codec.removeprefix("numcodecs.")}).encode(data))


COMPRESSORS = ["gzip", "numcodecs.zlib", "zstd", "blosc", "numcodecs.bz2", "numcodecs.lzma", "numcodecs.lz4"]
BOMB_NBYTES = 64 << 20
CHECKSUMS = ["crc32c", "numcodecs.crc32", "numcodecs.adler32", "numcodecs.fletcher32"]


@pytest.mark.parametrize("codec", COMPRESSORS + CHECKSUMS)
def test_whole_chunks_decode(codec: str) -> None:
    assert np.array_equal(pipeline(LITTLE, codec).decode(encoded(codec)), VALUES)


@pytest.mark.parametrize("codec", COMPRESSORS + CHECKSUMS)
@pytest.mark.parametrize("keep", [0, 1, 3, 10, -1, -5])
def test_truncated_chunks_are_errors(codec: str, keep: int) -> None:
    with pytest.raises(CodecError):
        pipeline(LITTLE, codec).decode(encoded(codec)[:keep])


@pytest.mark.parametrize("codec", COMPRESSORS + CHECKSUMS)
@pytest.mark.parametrize("nbytes", [0, 4, 3996, 4004, 8000, 1_000_000])
def test_chunks_of_another_size_are_errors(codec: str, nbytes: int) -> None:
    nothing = codec == "numcodecs.fletcher32" and nbytes == 0  # which numcodecs cannot encode
    chunk = bytes(4) if nothing else encoded(codec, bytes(nbytes))
    with pytest.raises(CodecError):
        pipeline(LITTLE, codec).decode(chunk)


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


def test_a_zstd_frame_without_its_size_decodes() -> None:
    writer = zstandard.ZstdCompressor(write_content_size=False)
    stream = writer.compressobj()
    frame = stream.compress(VALUES.tobytes()) + stream.flush()
    assert zstandard.frame_content_size(frame) == -1
    assert np.array_equal(pipeline(LITTLE, "zstd").decode(frame), VALUES)


@pytest.mark.parametrize("codec", CHECKSUMS)
@pytest.mark.parametrize("position", [0, 2000, -1])
def test_a_flipped_bit_is_found_by_a_checksum(codec: str, position: int) -> None:
    damaged = bytearray(encoded(codec))
    damaged[position] ^= 16
    with pytest.raises(ChecksumError) as caught:
        pipeline(LITTLE, codec).decode(bytes(damaged))
    assert len(str(caught.value).splitlines()) == 1


@given(codec=st.sampled_from(COMPRESSORS), position=st.integers(0, 10_000), value=st.integers(0, 255))
def test_altered_bytes_give_an_array_or_our_error(codec: str, position: int, value: int) -> None:
    damaged = bytearray(encoded(codec))
    damaged[position % len(damaged)] = value
    with contextlib.suppress(CodecError):
        assert pipeline(LITTLE, codec).decode(bytes(damaged)).shape == VALUES.shape


@given(codec=st.sampled_from(COMPRESSORS + CHECKSUMS), garbage=st.binary(max_size=200))
def test_garbage_is_our_error(codec: str, garbage: bytes) -> None:
    with pytest.raises(CodecError):
        pipeline(LITTLE, codec).decode(garbage)


@pytest.mark.parametrize(
    "header",
    [
        struct.pack("<BBBBIII", 2, 1, 1, 4, 4000, 4000, 15),  # shorter than its header
        struct.pack("<BBBBIII", 2, 1, 1, 4, 2**31 - 1, 4000, 40),  # announces 2 GiB
        struct.pack("<BBBBIII", 2, 1, 1, 0, 4000, 4000, 40),  # elements of no bytes
        struct.pack("<BBBBIII", 2, 1, 1, 4, 4000, 0, 40),  # blocks of no bytes
        struct.pack("<BBBBIII", 2, 1, 1, 4, 4000, 1, 40),  # a table of blocks past the end
        struct.pack("<BBBBIII", 2, 1, 2, 4, 4000, 4000, 40),  # stored, and not as long as announced
        struct.pack("<BBBBIIII", 2, 1, 1, 4, 4000, 4000, 40, 4_000_000),  # a block far outside
        struct.pack("<BBBBIIII", 2, 1, 1, 4, 4000, 4000, 40, 3),  # a block within the header
    ],
)
def test_blosc_headers_are_checked_before_the_library_sees_them(header: bytes) -> None:
    with pytest.raises(CodecError, match="blosc"):
        pipeline(LITTLE, "blosc").decode(header.ljust(40, b"\0"))


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_a_bomb_is_refused_without_the_memory_it_wants(codec: str) -> None:
    bomb = encoded(codec, bytes(BOMB_NBYTES))
    made = pipeline(LITTLE, codec, shape=(1,))
    before = forget_peak()
    with pytest.raises(CodecError):
        made.decode(bomb)
    assert peak_nbytes() - before < BOMB_NBYTES // 4


def test_a_bomb_around_shards_within_shards() -> None:
    codecs: list = [LITTLE.document()]
    for _ in range(25):
        shard = {"chunk_shape": [1], "codecs": codecs, "index_codecs": [LITTLE.document()]}
        codecs = [{"name": "sharding_indexed", "configuration": shard}]
    made = pipeline(NamedConfiguration("sharding_indexed", shard), "gzip", shape=(1,))
    bomb = encoded("gzip", bytes(BOMB_NBYTES))
    with pytest.raises(CodecError, match="more than"):
        made.decode(bomb)


def test_two_bombs_in_one_another() -> None:
    bomb = encoded("gzip", encoded("zstd", bytes(BOMB_NBYTES)))
    with pytest.raises(CodecError):
        pipeline(LITTLE, "zstd", "gzip", shape=(1,)).decode(bomb)


@pytest.mark.parametrize(
    "codecs",
    [
        (),
        ("zstd",),
        ("zstd", LITTLE),
        (LITTLE, LITTLE),
        (LITTLE, NamedConfiguration("transpose", {"order": [1, 0]})),
        (NamedConfiguration("transpose", {"order": [0, 0]}), LITTLE),
        (NamedConfiguration("transpose", {"order": [2, 1, 0]}), LITTLE),
        (NamedConfiguration("bytes", {"endian": "middle"}),),
        (NamedConfiguration("sharding_indexed", {"chunk_shape": [3, 100], "codecs": ["bytes"]}),),
        (NamedConfiguration("sharding_indexed", {"chunk_shape": [5], "codecs": ["bytes"]}),),
        (NamedConfiguration("sharding_indexed", {"chunk_shape": [5, 100], "codecs": []}),),
        (
            NamedConfiguration(
                "sharding_indexed", {"chunk_shape": [5, 100], "index_codecs": ["bytes", "gzip"]}
            ),
        ),
        (NamedConfiguration("sharding_indexed", {"chunk_shape": [5, 100], "index_location": "middle"}),),
    ],
)
def test_codecs_in_an_invalid_order_are_refused(codecs: tuple) -> None:
    with pytest.raises(MetadataError):
        pipeline(*codecs).decode(bytes(64))


def test_a_codec_that_need_not_be_understood_is_ignored() -> None:
    unknown = NamedConfiguration("mystery", {}, must_understand=False)
    assert np.array_equal(pipeline(LITTLE, unknown).decode(VALUES.tobytes()), VALUES)


def test_chunks_are_not_written_when_a_codec_is_ignored() -> None:
    unknown = NamedConfiguration("mystery", {}, must_understand=False)
    with pytest.raises(UnsupportedError, match="mystery"):
        pipeline(LITTLE, unknown).encode(VALUES)
    with pytest.raises(UnsupportedError, match="mystery"):
        pipeline(LITTLE, unknown).completed()


def test_an_unknown_codec_that_has_to_be_understood_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="mystery"):
        pipeline(LITTLE, "mystery")


def test_chunks_read_without_a_codec_must_still_be_complete() -> None:
    unknown = NamedConfiguration("mystery", {}, must_understand=False)
    with pytest.raises(CodecError):
        pipeline(LITTLE, unknown).decode(VALUES.tobytes() + b"\0\0\0\0")
