"""The ``gzip`` codec (RFC 1952), and version 2's ``zlib`` (RFC 1950).

Specification: zarr-specs, "Gzip codec" (version 1.0). A stream may consist of several members. ISA-L decodes about twice as
fast as zlib and releases the GIL; its bounded stream object is what stops a bomb.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from isal import igzip_lib, isal_zlib

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.errors import CodecError


class GzipCodec(BytesToBytesCodec):
    """Deflate in a gzip stream."""

    names: ClassVar[tuple[str, ...]] = ("gzip",)
    window_bits: ClassVar[int] = 31

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:  # noqa: ARG003 - the level matters to encoders
        return cls()

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:  # noqa: ARG002
        parts: list[bytes] = []
        decoded_nbytes = 0
        rest: Buffer = encoded
        while len(rest):
            stream = isal_zlib.decompressobj(wbits=self.window_bits)
            try:
                part = stream.decompress(rest, max_nbytes - decoded_nbytes + 1)
            except igzip_lib.IsalError as error:  # type: ignore[misc]  # the stub declares a function
                raise CodecError(f"no {self.name} stream: {error}", codec=self.name) from error
            decoded_nbytes += len(part)
            if decoded_nbytes > max_nbytes:
                raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
            if not stream.eof:
                raise CodecError(f"the stream breaks off after {len(encoded):,} bytes", codec=self.name)
            parts.append(part)
            # gzip's specification allows padding with zeros after the last member
            rest = stream.unused_data.lstrip(b"\0") if self.window_bits == 31 else stream.unused_data
        if not parts:
            raise CodecError("no bytes at all", codec=self.name)
        return parts[0] if len(parts) == 1 else b"".join(parts)


class ZlibCodec(GzipCodec):
    """Deflate in a zlib stream."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.zlib", "zlib")
    window_bits = 15
