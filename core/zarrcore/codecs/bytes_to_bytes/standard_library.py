"""``numcodecs.bz2`` and ``numcodecs.lzma``: version 2's compressors that Python brings itself.

Specification: numcodecs, "BZ2" and "LZMA". Both decode through a bounded stream.
"""

from __future__ import annotations

import bz2
import lzma
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import integer
from zarrcore.errors import CodecError, MetadataError


class _StreamCodec(BytesToBytesCodec):
    @abstractmethod
    def _decompressor(self) -> bz2.BZ2Decompressor | lzma.LZMADecompressor:
        """A new bounded stream."""

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:  # noqa: ARG002
        parts: list[bytes] = []
        decoded_nbytes = 0
        rest: Buffer = encoded
        while len(rest):
            stream = self._decompressor()
            try:
                part = stream.decompress(rest, max_nbytes - decoded_nbytes + 1)
                if not stream.eof:  # the end mark may follow the last byte of data
                    part += stream.decompress(b"", max_nbytes - decoded_nbytes - len(part) + 1)
            except (OSError, EOFError, lzma.LZMAError, ValueError) as error:
                raise CodecError(f"no such stream: {error}", codec=self.name) from error
            decoded_nbytes += len(part)
            if decoded_nbytes > max_nbytes:
                raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
            if not stream.eof:
                raise CodecError(f"the stream breaks off after {len(encoded):,} bytes", codec=self.name)
            parts.append(part)
            rest = stream.unused_data
        if not parts:
            raise CodecError("no bytes at all", codec=self.name)
        return b"".join(parts)


class Bz2Codec(_StreamCodec):
    """bzip2 streams."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.bz2", "bz2")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:  # noqa: ARG003 - the level matters to encoders
        return cls()

    def _decompressor(self) -> bz2.BZ2Decompressor:
        return bz2.BZ2Decompressor()


class LzmaCodec(_StreamCodec):
    """xz, lzma or raw streams."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.lzma", "lzma")

    def __init__(self, container: int, filters: list[dict[str, Any]] | None) -> None:
        self._container = container
        self._filters = filters
        try:
            self._decompressor()
        except (lzma.LZMAError, ValueError, TypeError, KeyError) as error:
            raise MetadataError(f"no filter chain of liblzma: {error}", member="filters") from error

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls(integer(configuration, "format", lzma.FORMAT_XZ), configuration.get("filters"))

    def _decompressor(self) -> lzma.LZMADecompressor:
        raw = self._container == lzma.FORMAT_RAW
        return lzma.LZMADecompressor(self._container, filters=self._filters if raw else None)
