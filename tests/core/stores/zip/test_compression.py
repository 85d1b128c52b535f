"""The compression methods of zip members."""

from __future__ import annotations

import bz2
import contextlib
import io
import lzma
import struct
import tracemalloc
import zipfile
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.core.stores.contract import CHUNK
from tests.core.stores.zip.zip_files import crafted, deflate, zip_of
from zarrcore.errors import BrokenBodyError
from zarrcore.stores import ByteRange
from zarrcore.stores.zip.compression import METHODS, unpack

VALUES = {"a": CHUNK, "empty": b"", "b": b"x" * 100_000}

PACKERS = {
    zipfile.ZIP_DEFLATED: deflate,
    zipfile.ZIP_BZIP2: bz2.compress,
    93: zstandard.compress,
    95: lzma.compress,
}


def lzma_member(value: bytes) -> bytes:
    """A member as zipfile compresses it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a", value)
        info = archive.infolist()[0]
    return file.getvalue()[31 : 31 + info.compress_size]


PACKERS[zipfile.ZIP_LZMA] = lzma_member


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED])
def test_members_compressed_by_zipfile_are_read(method: int) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for key, value in VALUES.items():
            archive.writestr(key, value)
    store = zip_of(file.getvalue())
    for key, value in VALUES.items():
        assert store.get(key) == value
        assert store.get(key, ByteRange(100, 5000)) == value[100:5000]
        assert store.get(key, ByteRange(-7)) == value[-7:]


@pytest.mark.parametrize("method", PACKERS)
def test_every_method_is_read_and_broken_streams_are_reported(method: int) -> None:
    packed = PACKERS[method](CHUNK)
    crc = zlib.crc32(CHUNK)
    store = crafted(packed, method, len(CHUNK), crc, len(packed))
    assert store.get("a") == CHUNK
    assert store.get("a", ByteRange(5, 900)) == CHUNK[5:900]
    for broken in (packed[: len(packed) // 2], packed[1:], b"garbage" * 9, b"", packed[:9]):
        with pytest.raises(BrokenBodyError, match=r"^a in memory://x\.zip: .") as caught:
            crafted(broken, method, len(CHUNK), crc, len(broken)).get("a")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", PACKERS)
def test_a_bomb_of_any_method_is_stopped_at_its_announced_size(method: int) -> None:
    packed = PACKERS[method](bytes(10_500_000))
    tracemalloc.start()
    try:
        with pytest.raises(BrokenBodyError):
            crafted(packed, method, 100, 0, len(packed)).get("a")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000  # xz always takes 8 MiB
    finally:
        tracemalloc.stop()


def test_a_stream_that_needs_gigabytes_to_decompress_is_refused() -> None:
    packed = bytearray(lzma_member(CHUNK))
    packed[5:9] = struct.pack("<I", 2**32 - 1)
    assert unpack(zipfile.ZIP_LZMA, bytes(packed), len(CHUNK)) == CHUNK
    parameters = zstandard.ZstdCompressionParameters(window_log=29, write_content_size=False)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    with pytest.raises(ValueError, match="memory"):
        unpack(93, packer.compress(CHUNK) + packer.flush(), 1 << 30)


@given(st.sampled_from(sorted(METHODS)), st.binary(max_size=200), st.integers(0, 1000))
def test_any_input_gives_no_more_bytes_than_requested(method: int, packed: bytes, size: int) -> None:
    if method == zipfile.ZIP_STORED:
        return
    with contextlib.suppress(ValueError):
        assert len(unpack(method, packed, size)) <= size + 1
