"""The ``crc32c`` codec: a checksum (RFC 3720) of four bytes after the data.

Specification: zarr-specs, "CRC32C checksum codec" (version 1.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import google_crc32c

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import known
from zarrcore.errors import ChecksumError, CodecError


class Crc32cCodec(BytesToBytesCodec):
    """Data, then its CRC32C, little-endian."""

    names: ClassVar[tuple[str, ...]] = ("crc32c",)
    native: ClassVar[str] = "crc32c"
    is_checksum: ClassVar[bool] = True

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def encoded_nbytes(self, decoded_nbytes: int) -> int:
        return decoded_nbytes + 4

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        if not 4 <= len(encoded) <= max_nbytes + 4:
            raise CodecError(
                f"expected at most {max_nbytes + 4:,} bytes, found {len(encoded):,}", codec=self.name
            )
        view = memoryview(encoded)
        data, stored = view[:-4], int.from_bytes(view[-4:], "little")
        found = google_crc32c.value(bytes(data))  # the library accepts only bytes
        if found != stored:
            raise ChecksumError(f"stored checksum {stored:#010x}, found {found:#010x}", codec=self.name)
        return data

    def encode(self, decoded: Buffer) -> Buffer:
        data = bytes(decoded)
        checksum: int = google_crc32c.value(data)
        return data + checksum.to_bytes(4, "little")

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {}
