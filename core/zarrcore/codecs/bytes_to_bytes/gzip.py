"""The ``gzip`` codec (RFC 1952), and version 2's ``zlib`` (RFC 1950).

Specification: zarr-specs, "Gzip codec" (version 1.0). A stream may consist of several members. ISA-L decodes about twice as
fast as zlib and releases the GIL; its bounded stream object is what stops a bomb.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from isal import igzip, igzip_lib, isal_zlib

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.errors import CodecError


class GzipCodec(BytesToBytesCodec):
    """Deflate in a gzip stream."""

    names: ClassVar[tuple[str, ...]] = ("gzip",)
    window_bits: ClassVar[int] = 31

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls()

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        stream = isal_zlib.decompressobj(wbits=self.window_bits)
        try:
            decoded = stream.decompress(encoded, max_nbytes + 1)
            if stream.unused_data.lstrip(b"\0") and self.window_bits == 31:  # zeros may pad the last member
                decoded = _members(encoded, max_nbytes + 1)
        except (igzip_lib.IsalError, EOFError, OSError) as error:  # type: ignore[misc]  # the stub declares a variable
            raise CodecError(f"the stream is broken: {error}", codec=self.name) from error
        if len(decoded) > max_nbytes:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        if not stream.eof:
            raise CodecError(f"the stream breaks off after {len(encoded):,} bytes", codec=self.name)
        return decoded


def _members(encoded: Buffer, max_nbytes: int) -> bytes:
    """The data of all members of a gzip stream, or the first ``max_nbytes`` of it."""
    with igzip.IGzipFile(fileobj=io.BytesIO(encoded)) as file:  # type: ignore[no-untyped-call]
        return io.BufferedReader(file).read(max_nbytes)


class ZlibCodec(GzipCodec):
    """Deflate in a zlib stream."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.zlib", "zlib")
    window_bits = 15
