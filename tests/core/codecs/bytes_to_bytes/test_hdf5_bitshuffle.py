"""HDF5's bitshuffle; real files are in the tests of the store."""

from __future__ import annotations

import contextlib
from random import Random

import imagecodecs.numcodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numcodecs import lz4

from tests.core.native.hdf5_chunks import bit_rows, bitshuffled
from zarrcore.codecs.bytes_to_bytes import hdf5_bitshuffle
from zarrcore.codecs.bytes_to_bytes.hdf5_bitshuffle import (
    Hdf5BitshuffleCodec,
    ImagecodecsBitshuffleCodec,
    unshuffle,
    unshuffle_words,
)
from zarrcore.errors import CodecError


@given(st.integers(1, 9), st.integers(0, 70), st.integers(1, 20), st.randoms(use_true_random=False))
def test_bits_return_to_their_elements(item: int, count: int, block: int, random: Random) -> None:
    plain = random.randbytes(8 * item * count)
    block_nbytes = 8 * item * block
    blocks = range(0, len(plain), block_nbytes)
    stored = b"".join(bit_rows(plain[at : at + block_nbytes], item) for at in blocks)
    for way in (unshuffle, unshuffle_words):
        elements = memoryview(bytearray(len(plain)))
        way(memoryview(stored), item, block_nbytes, elements)
        assert elements == plain


def test_elements_of_sizes_that_the_package_refuses_return(monkeypatch: pytest.MonkeyPatch) -> None:
    class Older:
        @staticmethod
        def bitshuffle_decode(*_: object, **__: object) -> None:
            raise ValueError("invalid item size")

    monkeypatch.setattr(hdf5_bitshuffle, "_imagecodecs", Older)
    plain, elements = bytes(range(48)), memoryview(bytearray(48))
    unshuffle(memoryview(bit_rows(plain, 3)), 3, 48, elements)
    assert elements == plain


def test_many_blocks_return_to_their_elements() -> None:
    plain = np.random.default_rng(0).bytes(300_000 // 16 * 16)
    stored = b"".join(bit_rows(plain[at : at + 8192], 2) for at in range(0, len(plain), 8192))
    elements = memoryview(bytearray(len(plain)))
    unshuffle_words(memoryview(stored), 2, 8192, elements)
    assert elements == plain


def test_elements_at_the_end_are_as_they_are() -> None:
    codec = Hdf5BitshuffleCodec.from_configuration({"elementsize": 2, "blocksize": 8})
    plain = bytes(range(42))
    encoded = bit_rows(plain[:16], 2) + bit_rows(plain[16:32], 2) + plain[32:]
    assert bytes(codec.decode(encoded, 42)) == plain


@pytest.fixture(params=[True, False], ids=["imagecodecs", "alone"])
def with_imagecodecs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.setattr(hdf5_bitshuffle, "_imagecodecs", None)


@pytest.mark.usefixtures("with_imagecodecs")
@pytest.mark.parametrize("compression", ["lz4", "zstd"])
@pytest.mark.parametrize("nbytes", [0, 6, 16, 1024, 1040, 5000, 5006])
def test_compressed_blocks_decode(compression: str, nbytes: int) -> None:
    plain = np.random.default_rng(nbytes).integers(0, 50, nbytes // 2, "u2").tobytes()
    codec = Hdf5BitshuffleCodec.from_configuration({"elementsize": 2, "compression": compression})
    encoded = bitshuffled(plain, 2, 1024, compression)
    out = memoryview(bytearray(nbytes))
    assert bytes(codec.decode(encoded, nbytes)) == plain
    assert codec.decode(encoded, nbytes, out) is out
    assert out == plain
    for length in range(len(encoded) - 1, -1, -97):
        with pytest.raises(CodecError):
            codec.decode(encoded[:length], nbytes)


@pytest.mark.usefixtures("with_imagecodecs")
@pytest.mark.parametrize("block_nbytes", [256, 512])
def test_a_compressed_block_that_has_the_size_of_its_elements_is_compressed(block_nbytes: int) -> None:
    """In HDF5's own LZ4, it would be stored as it is."""
    random = np.random.default_rng(0).bytes(256)
    places = ((start, count) for start in range(256) for count in range(4, 40))
    tried = (random[:start] + bytes(count) + random[start + count :] for start, count in places)
    stored = next(data for data in tried if len(data) == len(lz4.compress(data)) - 4 == 256)
    elements = memoryview(bytearray(256))
    unshuffle_words(memoryview(stored), 2, 256, elements)
    codec = Hdf5BitshuffleCodec.from_configuration({"elementsize": 2, "compression": "lz4"})
    assert bytes(codec.decode(bitshuffled(bytes(elements), 2, block_nbytes, "lz4"), 256)) == bytes(elements)


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_a_block_that_is_shorter_than_the_header_says_is_refused(compression: str) -> None:
    """The rest would be whatever was in memory."""
    codec = Hdf5BitshuffleCodec.from_configuration({"elementsize": 2, "compression": compression})
    encoded = bytearray(bitshuffled(bytes(2048), 2, 1024, compression))
    encoded[8:12] = (2048).to_bytes(4, "big")
    with pytest.raises(CodecError):
        codec.decode(bytes(encoded), 2048)


def test_bits_that_are_all_set_are_not_taken_for_a_skipped_filter() -> None:
    codec = Hdf5BitshuffleCodec.from_configuration({"elementsize": 2})
    assert bytes(codec.decode(b"\xff" * 160, 160)) == b"\xff" * 160


@pytest.mark.parametrize("told", [{}, {"itemsize": 4}, {"itemsize": 3, "blocksize": 16}])
@pytest.mark.parametrize("nbytes", [0, 12, 60, 40_008])
def test_the_codec_of_imagecodecs(told: dict[str, int], nbytes: int) -> None:
    plain = np.random.default_rng(nbytes).bytes(nbytes)
    theirs = imagecodecs.numcodecs.Bitshuffle(**told)
    ours = ImagecodecsBitshuffleCodec.from_configuration(told)
    encoded = bytes(theirs.encode(plain))
    assert bytes(ours.encode(plain)) == encoded
    assert bytes(ours.decode(encoded, nbytes)) == plain
    assert len(encoded) == ours.encoded_nbytes(nbytes)
    with pytest.raises(CodecError):
        ours.decode(encoded + b"a", nbytes)


def test_blocks_are_of_eight_elements() -> None:
    ours = ImagecodecsBitshuffleCodec.from_configuration({"blocksize": 12})
    for function in (ours.encode, lambda data: ours.decode(data, 24)):
        with pytest.raises(CodecError, match="blocks of eight elements"):
            function(bytes(24))


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
@given(encoded=st.binary(max_size=60))
def test_any_bytes_decode_or_are_refused(compression: str, encoded: bytes) -> None:
    codec = Hdf5BitshuffleCodec.from_configuration({"elementsize": 2, "compression": compression})
    with contextlib.suppress(CodecError):
        assert len(codec.decode(encoded, 40)) <= 40
