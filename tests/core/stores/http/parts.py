"""Parts of a value, read from a web server."""

from __future__ import annotations

from tests.core.stores.contract import CHUNK
from zarrcore.stores import ByteRange, ReadableStore

RANGES = [None, ByteRange(0, 10), ByteRange(3, 9), ByteRange(10_000), ByteRange(-9), ByteRange(9, 99_999)]


def check_parts(store: ReadableStore, ranges: list[ByteRange | None] = RANGES) -> None:
    """Check that parts of ``CHUNK``, the value of ``key``, read correctly."""
    for byte_range in ranges:
        start, stop = (byte_range or ByteRange(0)).resolve(len(CHUNK))
        assert store.get("key", byte_range) == CHUNK[start:stop]
