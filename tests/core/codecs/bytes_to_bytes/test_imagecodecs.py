"""Compressors of imagecodecs, compared with what imagecodecs registers with numcodecs."""

from __future__ import annotations

import contextlib
import lzma

import imagecodecs
import imagecodecs.numcodecs
import numpy as np
import pytest
from numcodecs.abc import Codec

from zarrcore.codecs.bytes_to_bytes.imagecodecs import ImagecodecsBlosc2Codec, LzwCodec
from zarrcore.codecs.interface import BytesToBytesCodec
from zarrcore.codecs.registry import make_codec
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration

VALUES = bytes(range(256)) * 30 + np.random.default_rng(0).bytes(5000) + bytes(20_000)
OF_NUMCODECS: dict[str, list[Codec]] = {
    "imagecodecs_blosc2": [
        imagecodecs.numcodecs.Blosc2(),
        imagecodecs.numcodecs.Blosc2(level=2, compressor="zstd", shuffle="shuffle", typesize=4),
    ],
    "imagecodecs_bz2": [imagecodecs.numcodecs.Bz2(), imagecodecs.numcodecs.Bz2(level=1)],
    "imagecodecs_lz4h5": [
        imagecodecs.numcodecs.Lz4h5(),
        imagecodecs.numcodecs.Lz4h5(level=3, blocksize=1000),
    ],
    "imagecodecs_lzf": [imagecodecs.numcodecs.Lzf(), imagecodecs.numcodecs.Lzf(header=False)],
    "imagecodecs_lzma": [
        imagecodecs.numcodecs.Lzma(),
        imagecodecs.numcodecs.Lzma(level=2, check=lzma.CHECK_CRC32),
    ],
    "imagecodecs_lzw": [imagecodecs.numcodecs.Lzw()],
    "imagecodecs_packbits": [imagecodecs.numcodecs.Packbits()],
    "imagecodecs_szip": [
        imagecodecs.numcodecs.Szip(141, 16, 8, 256),
        imagecodecs.numcodecs.Szip(169, 8, 8, 64),
    ],
    "imagecodecs_zlib": [imagecodecs.numcodecs.Zlib(), imagecodecs.numcodecs.Zlib(level=9)],
    "imagecodecs_zlibng": [imagecodecs.numcodecs.Zlibng()],
    "imagecodecs_zstd": [imagecodecs.numcodecs.Zstd(), imagecodecs.numcodecs.Zstd(level=9)],
}
BOTH = [theirs for each in OF_NUMCODECS.values() for theirs in each]


def _ours(theirs: Codec) -> BytesToBytesCodec:
    told = theirs.get_config()
    codec = make_codec(NamedConfiguration(told.pop("id"), told), "")
    assert isinstance(codec, BytesToBytesCodec)
    return codec


@pytest.mark.sampled(25)
@pytest.mark.parametrize("theirs", BOTH, ids=str)
@pytest.mark.parametrize("values", [VALUES, b"", b"a", bytes(100_000)], ids=["mixed", "none", "one", "zeros"])
def test_bytes_are_exchanged(theirs: Codec, values: bytes) -> None:
    ours = _ours(theirs)
    if theirs.codec_id in ("imagecodecs_blosc2", "imagecodecs_lzf") and not values:
        return  # which they do not encode
    encoded = bytes(theirs.encode(values))
    assert bytes(ours.decode(encoded, len(values))) == values
    assert len(encoded) <= ours.max_encoded_nbytes(len(values))
    if values and (
        values != bytes(100_000) or getattr(theirs, "header", True)
    ):  # else it guesses too small a size
        assert bytes(theirs.decode(bytes(ours.encode(values)))) == values


@pytest.mark.parametrize("theirs", BOTH, ids=str)
def test_more_bytes_than_expected_are_refused(theirs: Codec) -> None:
    with pytest.raises(CodecError):
        _ours(theirs).decode(theirs.encode(bytes(100_000)), 99_999)


@pytest.mark.parametrize("check", ["CRC32", lzma.CHECK_CRC32, None])
def test_checksums_of_xz_have_names_or_numbers(check: object) -> None:
    ours = make_codec(NamedConfiguration("imagecodecs_lzma", {"level": 1, "check": check}), "")
    assert isinstance(ours, BytesToBytesCodec)
    assert bytes(ours.decode(lzma.compress(VALUES), len(VALUES))) == VALUES
    if check is not None:
        assert lzma.LZMADecompressor().decompress(bytes(ours.encode(VALUES))) == VALUES


@pytest.mark.parametrize("axis", [None, -1])
def test_packbits_of_older_releases_names_an_axis(axis: int | None) -> None:
    ours = make_codec(NamedConfiguration("imagecodecs_packbits", {"axis": axis}), "")
    assert isinstance(ours, BytesToBytesCodec)
    assert bytes(ours.decode(imagecodecs.packbits_encode(VALUES), len(VALUES))) == VALUES


def test_lzw_of_the_old_bit_order_is_decoded() -> None:
    # Codes of 9 bits, the lowest bit first: 256 clears, 65 and 66 are bytes, 257 ends.
    codes, packed = (256, 65, 66, 257), 0
    for number, code in enumerate(codes):
        packed |= code << 9 * number
    data = packed.to_bytes(5, "little")
    assert imagecodecs.lzw_decode(data) == b"AB"
    assert LzwCodec.from_configuration({}).decode(data, 2) == b"AB"


@pytest.mark.parametrize(
    "name",
    ["imagecodecs_blosc2", "imagecodecs_lz4h5", "imagecodecs_lzf", "imagecodecs_lzw", "imagecodecs_packbits"],
)
def test_broken_bytes_are_codec_errors_or_few(name: str) -> None:
    ours, random = _ours(OF_NUMCODECS[name][0]), np.random.default_rng(1)
    for _ in range(200):
        with contextlib.suppress(CodecError):
            assert len(ours.decode(random.bytes(60), 50)) <= 50


def test_szip_does_not_take_what_hdf5_did_not_encode() -> None:
    ours = _ours(OF_NUMCODECS["imagecodecs_szip"][0])
    for broken in (b"\xff" * 8 + bytes(20), b"", b"\0\0"):
        with pytest.raises(CodecError):
            ours.decode(broken, 20)


def test_szip_refuses_values_of_more_bits_than_it_keeps() -> None:
    ours = _ours(imagecodecs.numcodecs.Szip(141, 8, 5, 32))
    small = bytes(range(32))
    assert bytes(ours.decode(ours.encode(small), 32)) == small
    with pytest.raises(CodecError, match="do not fit into the bits per pixel"):
        ours.encode(bytes(range(100, 132)))


@pytest.mark.parametrize("name", ["imagecodecs_blosc2", "imagecodecs_lzf"])
def test_a_chunk_without_its_size_is_refused(name: str) -> None:
    ours = _ours(OF_NUMCODECS[name][0])
    for broken in (b"", b"\1\0", b"\1\0\0\0\xff"):
        with pytest.raises(CodecError):
            ours.decode(broken, 20)


def test_a_broken_chunk_of_blosc2_never_shows_what_was_in_memory() -> None:
    ours, random = _ours(imagecodecs.numcodecs.Blosc2()), np.random.default_rng(2)
    plain = random.bytes(4000)
    whole = bytes(imagecodecs.blosc2_encode(plain))
    assert bytes(ours.decode(whole, 4000)) == plain
    with pytest.raises(CodecError):
        ours.decode(whole[:-8], 4000)
    packed = bytearray(imagecodecs.blosc2_encode(bytes(range(200)) * 20, level=5))
    found: dict[bytes, bytes] = {}
    for number in range(4000):
        broken = bytearray(packed)
        broken[int(random.integers(len(broken)))] = int(random.integers(256))
        with contextlib.suppress(CodecError):
            decoded = bytes(ours.decode(broken, 4000))
            assert bytes(ours.decode(broken, 4000)) == found.setdefault(bytes(broken), decoded), number


def test_parameters_of_blosc2_are_numbers_or_names() -> None:
    for broken in ({"level": "high"}, {"typesize": 1.5}, {"shuffle": True}, {"other": 1}):
        with pytest.raises(MetadataError):
            make_codec(NamedConfiguration("imagecodecs_blosc2", broken), "")
    with pytest.raises(CodecError):
        ImagecodecsBlosc2Codec.from_configuration({"compressor": "none"}).encode(b"abc")
