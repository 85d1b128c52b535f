"""``numcodecs.bz2`` and ``numcodecs.lzma``: version 2's compressors that Python brings itself.

Specification: numcodecs, "BZ2" and "LZMA". Both decode through Python's file objects, which
read no more than asked for, and go from one stream to the next.
"""

from __future__ import annotations

import bz2
import io
import lzma
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import integer
from zarrcore.errors import CodecError, MetadataError


class _FileCodec(BytesToBytesCodec):
    @abstractmethod
    def _open(self, encoded: io.BytesIO) -> bz2.BZ2File | lzma.LZMAFile:
        """A file that decodes ``encoded``, stream after stream."""

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        if not len(encoded):
            raise CodecError("no bytes at all", codec=self.name)
        try:
            with self._open(io.BytesIO(encoded)) as file:
                decoded = file.read(max_nbytes + 1)
        except (OSError, EOFError, lzma.LZMAError, ValueError) as error:
            raise CodecError(f"the stream is broken: {error}", codec=self.name) from error
        if len(decoded) > max_nbytes:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        return decoded


class Bz2Codec(_FileCodec):
    """bzip2 streams."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.bz2", "bz2")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls()

    def _open(self, encoded: io.BytesIO) -> bz2.BZ2File:
        return bz2.BZ2File(encoded)


class LzmaCodec(_FileCodec):
    """xz, lzma or raw streams."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.lzma", "lzma")

    def __init__(self, container: int, filters: list[dict[str, Any]] | None) -> None:
        self._container = container
        self._filters = filters
        try:
            raw = container == lzma.FORMAT_RAW
            lzma.LZMADecompressor(container, filters=filters if raw else None)
        except (lzma.LZMAError, ValueError, TypeError, KeyError, OverflowError) as error:
            raise MetadataError(f"no filter chain of liblzma: {error}", member="filters") from error

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls(integer(configuration, "format", lzma.FORMAT_XZ), configuration.get("filters"))

    def _open(self, encoded: io.BytesIO) -> lzma.LZMAFile:
        raw = self._container == lzma.FORMAT_RAW
        return lzma.LZMAFile(encoded, format=self._container, filters=self._filters if raw else None)
