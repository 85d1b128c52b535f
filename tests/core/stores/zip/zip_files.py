"""Helpers of several tests of zip files."""

from __future__ import annotations

import io
import struct
import time
import zipfile
import zlib
from pathlib import Path

from tests.core.stores.contract import VALUES
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    MemoryStore,
    ReadableStore,
    ZipStore,
)


def members(place: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(place) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def rest(store: ReadableStore, seconds: float) -> None:
    """Make a store write its directory no sooner than in this many seconds, or when it is closed."""
    assert isinstance(store, ZipStore)
    assert store._changes is not None
    store._changes._due_s = time.monotonic() + seconds


def replace(place: Path, values: dict[str, bytes]) -> None:
    """Replace a file, as a program does that rewrites it."""
    other = place.with_name("other")
    other.write_bytes(make_zip(values=values))
    other.replace(place)


def make_zip(
    compression: int = zipfile.ZIP_STORED, values: dict[str, bytes] = VALUES, before: bytes = b""
) -> bytes:
    """A zip file of ``values``, with bytes before it like a self-extracting file."""
    file = io.BytesIO()
    file.write(before)
    with zipfile.ZipFile(file, "a", compression) as archive:
        archive.mkdir("empty directory")
        for key, value in values.items():
            archive.writestr(key, value)
    return file.getvalue()


def zip_of(data: bytes) -> ZipStore:
    return ZipStore(MemoryStore(values={"x.zip": data}), "x.zip")


class CountingStore(MemoryStore):
    """Counts the requests of a zip store and their bytes."""

    def __init__(self, data: bytes) -> None:
        super().__init__(values={"x.zip": data})
        self.asked: list[int] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        value = super().get(key, byte_range)
        self.asked.append(len(value or b""))
        return value


def crafted(
    member: bytes, method: int, file_size: int, crc: int, packed_size: int, flags: int = 0
) -> ZipStore:
    """A zip file with one member ``a`` and any directory entry for it."""
    local = (
        struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, method, 0, 33, crc, packed_size, file_size, 1, 0)
        + b"a"
    )
    central = struct.pack(
        "<4s6H3L5H2L",
        b"PK\1\2",
        20,
        20,
        flags,
        method,
        0,
        33,
        crc,
        packed_size,
        file_size,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
    )
    central += b"a"
    offset = len(local) + len(member)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(central), offset, 0)
    return zip_of(local + member + central + end)


def deflate(value: bytes) -> bytes:
    packer = zlib.compressobj(9, wbits=-15)
    return packer.compress(value) + packer.flush()


def one(value: bytes, name: str = "a", **keywords: bool) -> bytes:
    """A zip file with one member."""
    return make_zip(values={name: value}, **keywords)


def with_comment(data: bytes, comment: bytes) -> bytes:
    return data[:-2] + struct.pack("<H", len(comment)) + comment
