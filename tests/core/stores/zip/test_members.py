"""The values of members: which bytes are fetched, and what is checked."""

from __future__ import annotations

import io
import os
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.core.stores.contract import CHUNK
from tests.core.stores.zip.zip_files import (
    CountingStore,
    crafted,
    deflate,
    make_zip,
    zip_of,
)
from zarrcore.errors import (
    BrokenBodyError,
    UnsupportedError,
)
from zarrcore.stores import (
    ByteRange,
    ZipStore,
)


def test_only_what_is_needed_is_fetched() -> None:
    values = {f"c/{number}": bytes([number % 256]) * 10_000 for number in range(500)}
    source = CountingStore(make_zip(values=values))
    store = ZipStore(source, "x.zip")
    assert store.get("c/7") == values["c/7"]
    assert len(source.asked) <= 3
    assert sum(source.asked) < 150_000
    source.asked.clear()
    assert store.get("c/400") == values["c/400"]
    assert len(source.asked) == 1
    source.asked.clear()
    assert store.get("c/3", ByteRange(100, 200)) == values["c/3"][100:200]
    assert store.get("c/3", ByteRange(-5)) == values["c/3"][-5:]
    assert source.asked == [33, 100, 5]


def test_the_beginning_of_a_deflated_member_is_inflated_no_further() -> None:
    value = b"".join(bytes([number % 256]) * 4000 for number in range(2_000)) + os.urandom(2_000_000)
    source = CountingStore(make_zip(zipfile.ZIP_DEFLATED, {"a": value}))
    store = ZipStore(source, "x.zip")
    list(store.list())
    source.asked.clear()
    tracemalloc.start()
    try:
        assert store.get("a", ByteRange(0, 1001)) == value[:1001]
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert sum(source.asked) < 500_000
    assert store.get("a", ByteRange(0, 8_500_000)) == value[:8_500_000]
    assert store.get("a", ByteRange(10, 20)) == value[10:20]
    assert store.get("a", ByteRange(0, 10**9)) == value


def test_a_bomb_is_stopped_at_its_announced_size() -> None:
    bomb = deflate(b"\0" * 50_000_000)
    with pytest.raises(BrokenBodyError, match="1 bytes were announced, 2 or more were found"):
        crafted(bomb, zipfile.ZIP_DEFLATED, 1, 0, len(bomb)).get("a")
    with pytest.raises(BrokenBodyError, match="cannot hold"):
        crafted(b"\3\0", zipfile.ZIP_DEFLATED, 2**32 - 2, 0, 2).get("a")


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wrong_checksum_is_reported(compression: int) -> None:
    packed = deflate(b"value") if compression == zipfile.ZIP_DEFLATED else b"value"
    store = crafted(packed, compression, 5, 1234, len(packed))
    with pytest.raises(BrokenBodyError, match=r"a in .*checksum differs"):
        store.get("a")


def test_sizes_that_differ_or_exceed_the_file_are_reported() -> None:
    with pytest.raises(BrokenBodyError, match="two sizes differ"):
        crafted(b"value", zipfile.ZIP_STORED, 4, 0, 5).get("a", ByteRange(0, 3))
    with pytest.raises(BrokenBodyError, match="too early"):
        crafted(b"value", zipfile.ZIP_STORED, 5000, 0, 5000).get("a")
    with pytest.raises(BrokenBodyError):
        crafted(b"garbage", zipfile.ZIP_DEFLATED, 50, 0, 7).get("a")


def test_unsupported_features_are_named() -> None:
    for method, name in ((9, "'deflate64'"), (98, "'ppmd'"), (99, "'AES encryption'"), (4711, "'4711'")):
        with pytest.raises(
            UnsupportedError, match=rf"{name} of a in memory://x\.zip is not supported; recompress"
        ):
            crafted(b"value", method, 5, 0, 5).get("a")
    with pytest.raises(UnsupportedError, match="is encrypted; unpack"):
        crafted(b"value", 0, 5, 0, 5, flags=1).get("a", ByteRange(0, 2))


def test_a_broken_member_is_reported_even_if_only_its_beginning_is_read() -> None:
    for member in (deflate(b"short"), b"garbage"):
        with pytest.raises(BrokenBodyError):
            crafted(member, zipfile.ZIP_DEFLATED, 60, 0, len(member)).get("a", ByteRange(0, 50))


def test_sizes_after_a_member_are_found(tmp_path: Path) -> None:
    class Pipe(io.RawIOBase):
        """An output that cannot seek, so that zipfile writes sizes after the members."""

        written = b""

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.written += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", CHUNK)
        archive.writestr("b", b"")
    assert b"PK\x07\x08" in pipe.written
    store = zip_of(pipe.written)
    assert store.get("a") == CHUNK
    assert store.get("b") == b""


def test_overlapping_members_are_right_or_reported() -> None:
    data = make_zip(values={"a": b"one", "b": b"two"})
    end = data.index(b"PK\1\2")
    second = data.index(b"PK\1\2", end + 4)
    second = data.index(b"PK\1\2", second + 4)  # the header of "b", after those of a directory and "a"
    first = data.index(b"PK\3\4", 31)
    crossed = bytearray(data)
    crossed[second + 42 : second + 46] = struct.pack("<L", first)
    store = zip_of(bytes(crossed))
    assert store.get("a") == b"one"
    for read in (store.get, lambda key: store.get(key, ByteRange(0, 2))):
        with pytest.raises(BrokenBodyError, match=r"b in .*does not begin where"):
            read("b")
    crossed[second + 42 : second + 46] = struct.pack("<L", 2**31)
    with pytest.raises(BrokenBodyError, match="b in "):
        zip_of(bytes(crossed)).get("b")
