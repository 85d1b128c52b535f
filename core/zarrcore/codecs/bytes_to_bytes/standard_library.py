"""``numcodecs.bz2``, ``numcodecs.lzma`` and ``numcodecs.base64``: codecs of Zarr v2 in Python's standard library.

Specification: numcodecs, "BZ2", "LZMA" and "Base64". The compressors decode through Python's file objects, which read no
more than requested and continue from one stream to the next.
"""

from __future__ import annotations

import base64
import bz2
import io
import lzma
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import integer, known
from zarrcore.errors import CodecError, MetadataError

_LZMA_ERRORS = (lzma.LZMAError, ValueError, TypeError, KeyError, OverflowError)


class _FileCodec(BytesToBytesCodec):
    @abstractmethod
    def _open(self, encoded: io.BytesIO) -> bz2.BZ2File | lzma.LZMAFile:
        """A file that decodes ``encoded``, stream after stream."""

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        if not len(encoded):
            raise CodecError("expected at least one byte, found none", codec=self.name)
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

    def __init__(self, level: int) -> None:
        self._level = level

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "level")
        return cls(integer(configuration, "level", 1, minimum=1, maximum=9))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {"level": self._level}

    def encode(self, decoded: Buffer) -> Buffer:
        return bz2.compress(decoded, self._level)

    def _open(self, encoded: io.BytesIO) -> bz2.BZ2File:
        return bz2.BZ2File(encoded)


class LzmaCodec(_FileCodec):
    """xz, lzma or raw streams."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.lzma", "lzma")

    def __init__(
        self, container: int, check: int, preset: int | None, filters: list[dict[str, Any]] | None
    ) -> None:
        self._container = container
        self._check = check
        self._preset = preset
        self._filters = filters
        try:
            raw = container == lzma.FORMAT_RAW
            lzma.LZMADecompressor(container, filters=filters if raw else None)
        except _LZMA_ERRORS as error:
            raise MetadataError(f"not a filter chain of liblzma: {error}", member="filters") from error

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "format", "check", "preset", "filters")
        preset = configuration.get("preset")
        return cls(
            integer(configuration, "format", lzma.FORMAT_XZ),
            integer(configuration, "check", -1),
            None if preset is None else integer(configuration, "preset", minimum=0),
            configuration.get("filters"),
        )

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        try:
            self._compress(b"")
        except _LZMA_ERRORS as error:
            raise MetadataError(f"liblzma cannot write that: {error}", member=self.name) from error
        return {
            "format": self._container,
            "check": self._check,
            "preset": self._preset,
            "filters": self._filters,
        }

    def encode(self, decoded: Buffer) -> Buffer:
        try:
            return self._compress(decoded)
        except _LZMA_ERRORS as error:
            raise CodecError(f"liblzma cannot write that: {error}", codec=self.name) from error

    def _compress(self, data: Buffer) -> bytes:
        return lzma.compress(data, self._container, self._check, self._preset, self._filters)

    def _open(self, encoded: io.BytesIO) -> lzma.LZMAFile:
        raw = self._container == lzma.FORMAT_RAW
        return lzma.LZMAFile(encoded, format=self._container, filters=self._filters if raw else None)


class Base64Codec(BytesToBytesCodec):
    """Bytes as ASCII text."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.base64",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {}

    def encoded_nbytes(self, decoded_nbytes: int) -> int:
        return 4 * -(-decoded_nbytes // 3)

    def encode(self, decoded: Buffer) -> Buffer:
        return base64.standard_b64encode(decoded)

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        try:
            decoded = base64.b64decode(encoded, validate=True)
        except ValueError as error:
            raise CodecError(f"the text is broken: {error}", codec=self.name) from error
        if len(decoded) > max_nbytes:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        return decoded
