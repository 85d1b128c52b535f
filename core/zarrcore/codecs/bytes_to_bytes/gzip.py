"""The ``gzip`` codec (RFC 1952), and ``zlib`` (RFC 1950) of Zarr v2.

Specification: zarr-specs, "Gzip codec" (version 1.0). A stream may consist of several members. z5 before 2020 wrote zlib
in Zarr v2 and called it gzip; its first two bytes show it. Both libraries release the GIL. libdeflate decodes a fifth faster
than ISA-L, which is twice as fast as zlib, but does not support several members, and allocates the expected size at once. It
therefore gets zlib streams that can have this size, and gzip streams whose last four bytes announce it. All others, and
broken ones, go through ISA-L's bounded stream object. libdeflate encodes two to three
times as fast as zlib at the same level and compresses as well. ISA-L has only four levels, which all compress less than
level 1.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self

import deflate
from isal import igzip, igzip_lib, isal_zlib

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import integer, known
from zarrcore.errors import CodecError

_SIZE = struct.Struct("<I")
_MOST_OF_ONE: Final = 1032
"""The most bytes that one byte of a deflate stream encodes."""


class GzipCodec(BytesToBytesCodec):
    """Deflate in a gzip stream."""

    names: ClassVar[tuple[str, ...]] = ("gzip",)
    native: ClassVar[str] = "gzip"
    window_bits: ClassVar[int] = 31
    default_level: ClassVar[int] = 5

    def __init__(self, level: int) -> None:
        self._level = level

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "level")
        level = integer(configuration, "level", cls.default_level, minimum=-1, maximum=9)
        return cls(6 if level == -1 else level)  # -1 is zlib's name for its default

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {"level": self._level}

    def native_parameters(self) -> dict[str, int | bytes]:
        return {"level": self._level}

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        if 0 < max_nbytes <= _MOST_OF_ONE * len(encoded) and self._is_probably_whole(encoded, max_nbytes):
            decompress = deflate.gzip_decompress if self.window_bits == 31 else deflate.zlib_decompress
            try:
                decoded = decompress(encoded, max_nbytes)
            except (deflate.DeflateError, ValueError):
                pass  # ISA-L reports what is wrong with it, if anything is
            else:
                # The first member alone is the whole chunk. Anything after it would be too much.
                if len(decoded) == max_nbytes:
                    return decoded
        return self._decode_stream(encoded, max_nbytes)

    def _is_probably_whole(self, encoded: Buffer, max_nbytes: int) -> bool:
        """Whether one stream without members after it may hold all bytes."""
        return self.window_bits == 15 or memoryview(encoded)[-4:] == _SIZE.pack(max_nbytes % 2**32)

    def _decode_stream(self, encoded: Buffer, max_nbytes: int) -> bytes:
        is_zlib = self.window_bits == 15 or _begins_zlib(encoded)
        stream = isal_zlib.decompressobj(wbits=15 if is_zlib else self.window_bits)
        try:
            decoded = stream.decompress(encoded, max_nbytes + 1)
            if stream.unused_data.lstrip(b"\0") and not is_zlib:  # zeros may pad the last member
                decoded = _members(encoded, max_nbytes + 1)
        except (igzip_lib.IsalError, EOFError, OSError) as error:  # type: ignore[misc]  # the stub declares a variable
            raise CodecError(f"the stream is broken: {error}", codec=self.name) from error
        if len(decoded) > max_nbytes:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        if not stream.eof:
            raise CodecError(f"the stream ends early, after {len(encoded):,} bytes", codec=self.name)
        return decoded

    def encode(self, decoded: Buffer) -> Buffer:
        compress = deflate.gzip_compress if self.window_bits == 31 else deflate.zlib_compress
        try:
            return compress(decoded, self._level)
        except (deflate.DeflateError, ValueError, OverflowError) as error:
            raise CodecError(str(error), codec=self.name) from error


def _begins_zlib(encoded: Buffer) -> bool:
    first = bytes(encoded[:2])
    return len(first) == 2 and first[0] & 0x0F == 8 and int.from_bytes(first, "big") % 31 == 0


def _members(encoded: Buffer, max_nbytes: int) -> bytes:
    """The data of all members of a gzip stream, at most ``max_nbytes`` of it."""
    with igzip.IGzipFile(fileobj=io.BytesIO(encoded)) as file:  # type: ignore[no-untyped-call]
        return io.BufferedReader(file).read(max_nbytes)


class ZlibCodec(GzipCodec):
    """Deflate in a zlib stream."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.zlib", "zlib")
    native: ClassVar[str] = "zlib"
    window_bits = 15
    default_level = 1  # numcodecs'
