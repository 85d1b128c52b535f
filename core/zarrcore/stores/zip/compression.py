"""The compression methods of zip members. None returns more bytes than requested, whatever its input.

Zip specification (APPNOTE), 4.4.5 "compression method" and 5.8 "LZMA".
"""

from __future__ import annotations

import bz2
import io
import lzma
import struct
from collections.abc import Callable
from typing import Final

from isal import igzip_lib, isal_zlib

from zarrcore.stores.interface import BytesLike

STORED: Final = 0
DEFLATED: Final = 8

LARGEST_RATIO: Final = 1032
"""The maximum compression ratio of deflate; a member that claims more is not a deflate stream."""

_LZMA_HEADER: Final = struct.Struct("<2xHBI")
_SMALLEST_DICTIONARY: Final = 4096
_XZ_MEMORY: Final = 256 << 20
"""More memory than the strongest setting of xz needs."""

_UNSUPPORTED: Final = {1: "shrink", 6: "implode", 9: "deflate64", 98: "ppmd", 99: "AES encryption"}


def method_name(method: int) -> str:
    """The names of methods that are not supported."""
    return _UNSUPPORTED.get(method, str(method))


def unpack(method: int, packed: BytesLike, size: int) -> BytesLike:
    """The bytes of a member; one more than ``size`` if the stream is longer and this is cheap to detect.

    Raises:
        ValueError: the bytes are not a stream of this method.
    """
    import zstandard

    try:
        return METHODS[method](packed, size)
    except (
        igzip_lib.IsalError,  # type: ignore[misc]  # the stub declares a function
        zstandard.ZstdError,
        lzma.LZMAError,
        OSError,  # of bz2
        EOFError,
    ) as error:
        raise ValueError(str(error) or "it is not a stream of this method") from error


def _stored(packed: BytesLike, _size: int) -> BytesLike:
    return packed


def _deflated(packed: BytesLike, size: int) -> bytes:
    return isal_zlib.decompressobj(-15).decompress(packed, size + 1)


def _bzip2(packed: BytesLike, size: int) -> bytes:
    return bz2.BZ2Decompressor().decompress(packed, size + 1)


def _lzma(packed: BytesLike, size: int) -> bytes:
    if len(packed) < _LZMA_HEADER.size:
        raise ValueError("it is not an LZMA stream")
    length, properties, dictionary = _LZMA_HEADER.unpack_from(packed)
    if length != 5 or properties >= 9 * 5 * 5:
        raise ValueError("it is not an LZMA stream")
    described = {
        "id": lzma.FILTER_LZMA1,
        # A dictionary larger than the value is useless, and the stream may ask for one of 4 GiB.
        "dict_size": min(dictionary, max(size, _SMALLEST_DICTIONARY)),
        "lc": properties % 9,
        "lp": properties // 9 % 5,
        "pb": properties // 45,
    }
    decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[described])
    # Not one byte more: a stream may have no end mark.
    return decoder.decompress(memoryview(packed)[_LZMA_HEADER.size :], size)


def _xz(packed: BytesLike, size: int) -> bytes:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY).decompress(packed, size + 1)


def _zstd(packed: BytesLike, size: int) -> bytes:
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)) as stream:
        return stream.read(size + 1)


METHODS: Final[dict[int, Callable[[BytesLike, int], BytesLike]]] = {
    STORED: _stored,
    DEFLATED: _deflated,
    12: _bzip2,
    14: _lzma,
    93: _zstd,
    95: _xz,
}
"""The methods that are supported."""
