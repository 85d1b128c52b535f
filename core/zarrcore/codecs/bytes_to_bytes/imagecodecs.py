"""Compressors by their names in the package imagecodecs: ``imagecodecs_lzw``, ``…_packbits``, ``…_zlib``, ``…_zstd`` and others.

Specification: the documentation of imagecodecs, and of the compressions in TIFF. Streams of deflate, zstd, bzip2 and xz are
decoded as those of other names are, without the package.
"""

from __future__ import annotations

import lzma
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.bytes_to_bytes.gzip import ZlibCodec
from zarrcore.codecs.bytes_to_bytes.hdf5_imagecodecs import Hdf5SzipCodec
from zarrcore.codecs.bytes_to_bytes.standard_library import Bz2Codec, LzmaCodec
from zarrcore.codecs.bytes_to_bytes.zstd import ZstdCodec
from zarrcore.codecs.imagecodecs_package import imagecodecs_package
from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.optional_package import failure
from zarrcore.codecs.parameters import boolean, choice, integer, known
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata.json_document import describe

_DEFAULT_LEVEL = 6
_SIZE_NBYTES = 4
_BLOSC2_NAMED = ("compressor", "shuffle", "splitmode")
"""Parameters of Blosc2 that are names or numbers."""
_CHECKS = {
    "NONE": lzma.CHECK_NONE,
    "CRC32": lzma.CHECK_CRC32,
    "CRC64": lzma.CHECK_CRC64,
    "SHA256": lzma.CHECK_SHA256,
}


class _PackageCodec(BytesToBytesCodec):
    of_encoding: ClassVar[tuple[str, ...]] = ()
    """Parameters that only encoders use."""

    def __init__(self) -> None:
        self._module: Any = imagecodecs_package(self.name)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, *cls.of_encoding)
        return cls()

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {}

    def max_encoded_nbytes(self, decoded_nbytes: int) -> int:
        return 2 * decoded_nbytes + 4096  # a byte alone can take two

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        try:
            # One byte more: decoders of LZW stop without an error where the output is full.
            decoded: Buffer = self._decoded(bytes(encoded), max_nbytes + 1)
        except Exception as error:
            raise failure(error, self.name) from error
        if len(decoded) > max_nbytes:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        return decoded

    def encode(self, decoded: Buffer) -> Buffer:
        try:
            encoded: Buffer = self._encoded(bytes(decoded))
        except Exception as error:
            raise failure(error, self.name) from error
        return encoded

    @abstractmethod
    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        """The decoded bytes, at most that many of them."""

    @abstractmethod
    def _encoded(self, decoded: bytes) -> Any:
        """The encoded bytes."""


class LzwCodec(_PackageCodec):
    """LZW as in TIFF files: codes of up to 12 bits."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_lzw",)

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        return self._module.lzw_decode(encoded, out=max_nbytes)

    def _encoded(self, decoded: bytes) -> Any:
        return self._module.lzw_encode(decoded)


class PackbitsCodec(_PackageCodec):
    """Runs of bytes, as in TIFF files."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_packbits",)
    of_encoding = ("axis",)  # written by releases of imagecodecs before 2026.5

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        return self._module.packbits_decode(encoded, out=max_nbytes)

    def _encoded(self, decoded: bytes) -> Any:
        return self._module.packbits_encode(decoded)


class ImagecodecsLzfCodec(_PackageCodec):
    """LZF, after the decoded size or, as in HDF5 files, without it."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_lzf",)

    def __init__(self, *, header: bool) -> None:
        super().__init__()
        self._header = header

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "header")
        return cls(header=boolean(configuration, "header", True))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {"header": self._header}

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        if not self._header:
            return self._module.lzf_decode(encoded, header=False, out=max_nbytes)
        return self._module.lzf_decode(encoded, header=True, out=_told_size(encoded, 0, max_nbytes))

    def _encoded(self, decoded: bytes) -> Any:
        return self._module.lzf_encode(decoded, header=self._header)


class ImagecodecsBlosc2Codec(_PackageCodec):
    """A chunk of Blosc2 without a frame."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_blosc2",)
    of_encoding = ("level", "compressor", "shuffle", "splitmode", "typesize", "blocksize", "numthreads")

    def __init__(self, parameters: Mapping[str, int | str]) -> None:
        super().__init__()
        self._parameters = dict(parameters)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, *cls.of_encoding)
        told = {name: value for name, value in configuration.items() if value is not None}
        for name, value in told.items():
            if type(value) is not int and not (type(value) is str and name in _BLOSC2_NAMED):
                raise MetadataError(f"expected an integer, found {describe(value)}", member=name)
        return cls(told)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return dict(self._parameters)

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        nbytes = _told_size(encoded, 4, max_nbytes)
        _told_size(encoded, 12, len(encoded) + 1)  # of the whole chunk, beyond which the decoder may read
        decoded = bytearray(nbytes)  # a broken chunk must not show what was in memory
        return self._module.blosc2_decode(encoded, numthreads=1, out=decoded) if nbytes else b""

    def _encoded(self, decoded: bytes) -> Any:
        return self._module.blosc2_encode(decoded, **self._parameters)


def _told_size(encoded: bytes, at: int, max_nbytes: int) -> int:
    """The decoded size that four bytes state.

    Raises:
        ValueError: they are missing, or it is not below ``max_nbytes``.
    """
    size = int.from_bytes(encoded[at : at + _SIZE_NBYTES], "little")
    if len(encoded) < at + _SIZE_NBYTES or size >= max_nbytes:
        raise ValueError(f"expected fewer than {max_nbytes:,} bytes, found {size:,}")
    return size


class ImagecodecsSzipCodec(Hdf5SzipCodec):
    """szip after the decoded size, as in HDF5 files."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_szip",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "header", "options_mask", *cls.parameters[1:])
        if not boolean(configuration, "header", True):
            raise UnsupportedError("codec", cls.names[0], "without a header is not supported")
        told = {name: configuration[name] for name in cls.parameters[1:] if name in configuration}
        return cls({"mask": integer(configuration, "options_mask"), **told})

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        told = {name: self._parameters[name] for name in self.parameters[1:]}
        return {"options_mask": self._parameters["mask"], **told, "header": True}

    def max_encoded_nbytes(self, decoded_nbytes: int) -> int:
        return 2 * decoded_nbytes + 4096

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        if int.from_bytes(bytes(encoded[:4]), "little") > max_nbytes or len(encoded) < _SIZE_NBYTES:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        return super().decode(encoded, max_nbytes, out)

    def encode(self, decoded: Buffer) -> Buffer:
        data = bytes(decoded)
        try:
            encoded: Buffer = self._module.szip_encode(data, *self._parameters.values(), header=True)
        except Exception as error:
            raise failure(error, self.name) from error
        # Numbers of fewer bits than their bytes have lose the others.
        if bytes(self.decode(encoded, len(data))) != data:
            raise CodecError("the values do not fit into the bits per pixel", codec=self.name)
        return encoded


def _level(configuration: Mapping[str, Any], *, minimum: int, maximum: int) -> int | None:
    if configuration.get("level") is None:  # imagecodecs spells its default so
        return None
    return integer(configuration, "level", minimum=minimum, maximum=maximum)


class ImagecodecsZlibCodec(ZlibCodec):
    """Deflate in a zlib stream."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_zlib", "imagecodecs_zlibng")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "level")
        level = _level(configuration, minimum=-1, maximum=9)
        return cls(_DEFAULT_LEVEL if level in (None, -1) else level)


class ImagecodecsZstdCodec(ZstdCodec):
    """Zstandard frames."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_zstd",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "level")
        level = _level(configuration, minimum=-131072, maximum=22)
        return cls(0 if level is None else level, checksum=False)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {"level": self._level}


class ImagecodecsBz2Codec(Bz2Codec):
    """bzip2 streams."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_bz2",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "level")
        level = _level(configuration, minimum=1, maximum=9)
        return cls(9 if level is None else level)


class ImagecodecsLzmaCodec(LzmaCodec):
    """xz streams."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_lzma",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "level", "check")
        level, check = _level(configuration, minimum=0, maximum=9), configuration.get("check")
        if isinstance(check, str):
            number = _CHECKS[choice(configuration, "check", tuple(_CHECKS), None)]
        else:
            number = -1 if check is None else integer(configuration, "check")
        return cls(lzma.FORMAT_XZ, number, level, None)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        found: dict[str, Any] = {} if self._preset is None else {"level": self._preset}
        return found if self._check == -1 else {**found, "check": self._check}
