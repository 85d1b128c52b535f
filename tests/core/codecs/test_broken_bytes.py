"""Chunks that are truncated, altered, or larger than they should be: an error that says so, and no memory wasted on them."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.codecs.pipelines import LITTLE, VALUES, encoded, pipeline
from tests.memory import forget_peak, peak_nbytes
from zarrcore.errors import ChecksumError, CodecError
from zarrcore.metadata import NamedConfiguration

COMPRESSORS = ["gzip", "numcodecs.zlib", "zstd", "blosc", "numcodecs.bz2", "numcodecs.lzma", "numcodecs.lz4"]


BOMB_NBYTES = 24 << 20


CHECKSUMS = ["crc32c", "numcodecs.crc32", "numcodecs.adler32", "numcodecs.fletcher32"]


@pytest.mark.parametrize("codec", COMPRESSORS + CHECKSUMS)
def test_whole_chunks_decode(codec: str) -> None:
    assert np.array_equal(pipeline(LITTLE, codec).decode(encoded(codec)), VALUES)


@pytest.mark.sampled(22)
@pytest.mark.parametrize("codec", COMPRESSORS + CHECKSUMS)
@pytest.mark.parametrize("keep", [0, 1, 3, 10, -1, -5])
def test_truncated_chunks_are_errors(codec: str, keep: int) -> None:
    with pytest.raises(CodecError):
        pipeline(LITTLE, codec).decode(encoded(codec)[:keep])


@pytest.mark.sampled(22)
@pytest.mark.parametrize("codec", COMPRESSORS + CHECKSUMS)
@pytest.mark.parametrize("nbytes", [0, 4, 3996, 4004, 8000, 1_000_000])
def test_chunks_of_another_size_are_errors(codec: str, nbytes: int) -> None:
    nothing = codec == "numcodecs.fletcher32" and nbytes == 0  # which numcodecs cannot encode
    chunk = bytes(4) if nothing else encoded(codec, bytes(nbytes))
    with pytest.raises(CodecError):
        pipeline(LITTLE, codec).decode(chunk)


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
