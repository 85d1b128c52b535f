"""Segments that are one stream of bytes, of which libtiff reads no more than it needs, whatever follows.

The rest of a stream with a checksum is read, too: otherwise a damaged segment would be taken for one that is followed by more.

"TIFF Revision 6.0", sections 9 (PackBits) and 13 (LZW); the registered compressions deflate, LZMA and zstd.
"""

from __future__ import annotations

import itertools
import lzma
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import zstandard

_MOST_LZMA_NBYTES: Final = 1 << 30
_PIECE_NBYTES: Final = 1 << 16
_MOST_REST_NBYTES: Final = 1 << 26


def _deflate(data: bytes, most: int) -> bytes:
    stream = zlib.decompressobj()
    found = stream.decompress(data, most)
    _check_rest(stream, iter(lambda: stream.decompress(stream.unconsumed_tail, _PIECE_NBYTES), b""))
    return found


def _lzma(data: bytes, most: int) -> bytes:
    stream = lzma.LZMADecompressor(memlimit=_MOST_LZMA_NBYTES)
    found = stream.decompress(data, most)
    _check_rest(stream, iter(lambda: b"" if stream.eof else stream.decompress(b"", _PIECE_NBYTES), b""))
    return found


def _zstd(data: bytes, most: int) -> bytes:
    stream = zstandard.ZstdDecompressor().decompressobj()
    # It has no bound, so it gets few bytes at once, which are 8 MiB at most.
    parts = (data[at : at + 256] for at in range(0, len(data), 256))
    pieces = (stream.decompress(part) for part in parts if not stream.eof)
    found = bytearray()
    while len(found) < most and (piece := next(pieces, None)) is not None:
        found += piece
    _check_rest(stream, itertools.chain([bytes(found[most:])], pieces))
    return bytes(found[:most])


def _check_rest(stream: Any, pieces: Iterable[bytes]) -> None:
    """Read what follows the segment in its stream: at the end, the decoder compares the checksum.

    Raises:
        _NoEndError: more follows, and no end; or too much, as in a bomb.
    """
    rest = 0
    for piece in pieces:
        rest += len(piece)
        if rest > _MOST_REST_NBYTES:
            raise _NoEndError
    if rest and not stream.eof:
        raise _NoEndError


class _NoEndError(Exception):
    """The stream goes on after the segment, and its end is not found."""


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
    except (zlib.error, lzma.LZMAError, zstandard.ZstdError, _NoEndError, RuntimeError):
        # The last is of imagecodecs.
        return None
