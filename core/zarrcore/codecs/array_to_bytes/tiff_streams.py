"""Segments that are one stream of bytes, read as libtiff does: it stops once it has the segment, whatever follows.

"TIFF Revision 6.0", sections 9 (PackBits) and 13 (LZW); the registered compressions deflate, LZMA and zstd.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Mapping
from typing import Final

import zstandard

_MOST_LZMA_NBYTES: Final = 1 << 30


def _deflate(data: bytes, most: int) -> bytes:
    return zlib.decompressobj().decompress(data, most)


def _zstd(data: bytes, most: int) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(data) as stream:
        return stream.read(most)


def _lzma(data: bytes, most: int) -> bytes:
    return lzma.LZMADecompressor(memlimit=_MOST_LZMA_NBYTES).decompress(data, most)


def _lzw(data: bytes, most: int) -> bytes:
    from imagecodecs import lzw_decode  # late: an optional package, which has decoded a segment before

    return bytes(lzw_decode(data, out=most))


def _packbits(data: bytes, most: int) -> bytes:
    found, at = bytearray(), 0
    while at < len(data) and len(found) < most:
        head = data[at]
        if head < 128:
            found += data[at + 1 : at + 2 + head]
            at += 2 + head
        else:
            found += data[at + 1 : at + 2] * (257 - head if head > 128 else 0)
            at += 2 if head > 128 else 1
    return bytes(found[:most])


_STREAMS: Final[Mapping[int, Callable[[bytes, int], bytes]]] = {
    5: _lzw,
    8: _deflate,
    32946: _deflate,
    50013: _deflate,
    32773: _packbits,
    34925: _lzma,
    34926: _zstd,
    50000: _zstd,
}


def first_bytes(data: bytes, compression: int, most: int) -> bytes | None:
    """The first decoded bytes of a segment; fewer if its stream has fewer.

    Args:
        data: the segment as it is stored.
        compression: the number of the compression.
        most: how many bytes are wanted, at least 1.

    Returns:
        None if the compression is none of these streams, or the stream is broken before that.

    >>> first_bytes(zlib.compress(b"abcd") + b"???", 8, 3), first_bytes(b"\\2abc\\xfed", 32773, 9)
    (b'abc', b'abcddd')
    """
    decode = _STREAMS.get(compression)
    if decode is None:
        return None
    try:
        return decode(data, most)
    except (zlib.error, lzma.LZMAError, zstandard.ZstdError, RuntimeError):  # the last is of imagecodecs
        return None
