"""The bytes → bytes codecs of numcodecs: ``numcodecs.lz4``, ``.shuffle`` and the checksums.

Specification: numcodecs' documentation of each codec; zarr-extensions, "numcodecs.*". Their decoded size is known from the
encoded bytes, and is compared with what the metadata allows before numcodecs is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import choice, integer, known
from zarrcore.errors import ChecksumError, CodecError, MetadataError, UnsupportedError
from zarrcore.late_imports import imported

numcodecs = imported("numcodecs")

_MAX_INT = 2**31 - 1
_ERRORS = (RuntimeError, ValueError, TypeError, IndexError, OverflowError)


class _NumcodecsCodec(BytesToBytesCodec):
    parameters: ClassVar[tuple[str, ...]] = ()

    def __init__(self, configuration: Mapping[str, Any]) -> None:
        parameters = {name: value for name, value in configuration.items() if name != "id"}
        known(parameters, *self.parameters)
        self._given = parameters
        try:
            self._codec = numcodecs.get_codec({"id": self.name.removeprefix("numcodecs."), **parameters})
        except (TypeError, ValueError, OverflowError) as error:
            raise MetadataError(f"{error}", member=self.name) from error
        except ImportError as error:
            raise UnsupportedError("codec", self.name, f"needs another package: {error}") from error

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls(configuration)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        parameters = self._codec.get_config() | self._given
        return {name: value for name, value in parameters.items() if name != "id"}

    def _decoded(self, encoded: Buffer, out: memoryview | None = None) -> Buffer:
        try:
            decoded = self._codec.decode(encoded, out)
        except _ERRORS as error:
            raise CodecError(str(error), codec=self.name) from error
        if out is not None:
            return out
        return np.ascontiguousarray(decoded).reshape(-1).view(np.uint8).data

    def encode(self, decoded: Buffer) -> Buffer:
        try:
            encoded = self._codec.encode(decoded)
        except _ERRORS as error:
            raise CodecError(str(error), codec=self.name) from error
        return encoded if isinstance(encoded, bytes) else np.asarray(encoded).data


class Lz4Codec(_NumcodecsCodec):
    """An LZ4 block after its decoded size."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.lz4", "lz4")
    native: ClassVar[str] = "lz4"
    parameters = ("acceleration",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        integer(configuration, "acceleration", 1, minimum=-_MAX_INT, maximum=_MAX_INT)
        return cls(configuration)

    def native_parameters(self) -> dict[str, int | bytes]:
        return {"level": int(self._codec.acceleration)}

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        decoded_nbytes = int.from_bytes(memoryview(encoded)[:4], "little")
        if len(encoded) < 4 or decoded_nbytes > max_nbytes:
            raise CodecError(
                f"the header announces {decoded_nbytes:,} bytes; at most {max_nbytes:,} are expected",
                codec=self.name,
            )
        return self._decoded(encoded) if decoded_nbytes else b""


class ShuffleCodec(_NumcodecsCodec):
    """Bytes of the same significance side by side.

    HDF5 also shuffles data that is not a whole number of elements, such as what another filter encoded. The bytes left
    over stay at the end.
    """

    names: ClassVar[tuple[str, ...]] = ("numcodecs.shuffle", "shuffle")
    native: ClassVar[str] = "shuffle"
    parameters = ("elementsize",)

    def __init__(self, configuration: Mapping[str, Any]) -> None:
        super().__init__(configuration)
        self._item_nbytes: int = max(1, self._codec.elementsize)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        integer(configuration, "elementsize", 4, minimum=0, maximum=_MAX_INT)
        return cls(configuration)

    def encoded_nbytes(self, decoded_nbytes: int) -> int:
        return decoded_nbytes

    def native_parameters(self) -> dict[str, int | bytes]:
        return {"width": self._item_nbytes}

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        if len(encoded) > max_nbytes:
            raise CodecError(
                f"expected at most {max_nbytes:,} bytes, found {len(encoded):,}", codec=self.name
            )
        rest = len(encoded) % self._item_nbytes
        if not rest:
            return self._decoded(encoded, out if out is not None and len(out) == len(encoded) else None)
        whole = memoryview(encoded)[: len(encoded) - rest]
        return b"".join((self._decoded(whole), memoryview(encoded)[len(whole) :]))


class _ChecksumCodec(_NumcodecsCodec):
    is_checksum: ClassVar[bool] = True

    def encoded_nbytes(self, decoded_nbytes: int) -> int:
        return decoded_nbytes + 4

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        if not 4 <= len(encoded) <= max_nbytes + 4:
            raise CodecError(
                f"expected at most {max_nbytes + 4:,} bytes, found {len(encoded):,}", codec=self.name
            )
        try:
            return self._decoded(encoded)
        except CodecError as error:
            raise ChecksumError(error.reason or "the stored checksum differs", codec=self.name) from error


class _LocatedChecksumCodec(_ChecksumCodec):
    parameters = ("location",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        if configuration.get("location") is not None:
            choice(configuration, "location", ("start", "end"), None)
        return cls(configuration)


class Crc32Codec(_LocatedChecksumCodec):
    """A CRC-32 before or after the data."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.crc32",)


class NumcodecsCrc32cCodec(_LocatedChecksumCodec):
    """A CRC32C before or after the data."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.crc32c",)


class Adler32Codec(_LocatedChecksumCodec):
    """An Adler-32 before or after the data."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.adler32",)


class Fletcher32Codec(_ChecksumCodec):
    """A Fletcher-32 after the data, as HDF5 writes it."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.fletcher32",)
    native: ClassVar[str] = "fletcher32"


class JenkinsLookup3Codec(_ChecksumCodec):
    """Jenkins' lookup3 after the data, as HDF5 writes it."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.jenkins_lookup3",)
    parameters = ("initval", "prefix")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        integer(configuration, "initval", 0, minimum=0, maximum=2**32 - 1)
        return cls(configuration)
