"""Bodies that a server sends compressed: RFC 9110, "Content-Encoding"."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from zarrcore.stores.connection.bodies import BodyError

COMPRESSED: Final = ("gzip", "deflate")
"""The encodings that are decoded."""
_UNREADABLE: Final = ("br", "compress", "zstd")
_STEP: Final = 1 << 20
_ANY_HEADER: Final = zlib.MAX_WBITS + 32
"""The mode of zlib that takes streams of gzip and of zlib."""


def compression_of(header: str) -> str:
    """The compression that a header names; empty if there is none.

    Object stores keep every text that was sent with a value. Some texts are about its transfer, or mean nothing.

    >>> compression_of("gzip,aws-chunked"), compression_of("X-GZIP"), compression_of("utf-8")
    ('gzip', 'gzip', '')
    """
    for name in header.lower().split(","):
        found = name.strip().removeprefix("x-")
        if found in COMPRESSED or found in _UNREADABLE:
            return found
    return ""


def inflated(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The pieces of a body, decoded: each at most `_STEP` bytes, whatever a compressed piece becomes.

    Args:
        pieces: of the body.
        encoding: one of `COMPRESSED`.

    Raises:
        BodyError: the body ended early.
        zlib.error: it is damaged.
    """
    inflate = zlib.decompressobj(_ANY_HEADER)
    for number, raw in enumerate(pieces):
        if number == 0 and encoding == "deflate" and not _has_zlib_header(raw):
            inflate = zlib.decompressobj(-zlib.MAX_WBITS)  # what some servers send
        piece = inflate.decompress(raw, _STEP)
        while piece:
            yield piece
            piece = inflate.decompress(inflate.unconsumed_tail, _STEP)
    if not inflate.eof:
        raise BodyError("Interrupted")


def _has_zlib_header(raw: bytes) -> bool:
    return len(raw) > 1 and raw[0] & 15 == zlib.DEFLATED and int.from_bytes(raw[:2]) % 31 == 0
