"""``hdf5.lz4`` and ``imagecodecs_lz4h5``: HDF5 filter 32004, blocks of LZ4.

The first name is internal, and never written to a store; the package imagecodecs has the other one. The decoded size (8 bytes)
and the size of a block (4 bytes), then for each block its encoded size (4 bytes) and its bytes, which are not encoded if they
have the size of a block. All numbers are big-endian.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.imagecodecs_package import imagecodecs_package
from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.optional_package import failure
from zarrcore.codecs.parameters import integer, known
from zarrcore.errors import CodecError
from zarrcore.late_imports import imported

lz4 = imported("numcodecs.lz4")

_MAX_INT = 2**31 - 1


class Hdf5Lz4Codec(BytesToBytesCodec):
    """Blocks of LZ4."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.lz4",)
    native: ClassVar[str] = "lz4_blocks"

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def max_encoded_nbytes(self, decoded_nbytes: int) -> int:
        return 2 * decoded_nbytes + 4096  # blocks may be small

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        data = memoryview(encoded)
        nbytes = int.from_bytes(data[:8], "big")
        block = int.from_bytes(data[8:12], "big")
        if len(data) < 12 or nbytes > max_nbytes or (nbytes and not block):
            raise CodecError(f"expected at most {max_nbytes:,} bytes, found {nbytes:,}", codec=self.name)
        decoded, at = bytearray(), 12
        while len(decoded) < nbytes:
            size = int.from_bytes(data[at : at + 4], "big")
            part, wanted = data[at + 4 : at + 4 + size], min(block, nbytes - len(decoded))
            if len(part) < size or not size:
                raise CodecError("the blocks end early", codec=self.name)
            decoded += part if size == wanted else lz4_block(part, wanted, self.name)
            at += 4 + size
        return decoded


class ImagecodecsLz4h5Codec(Hdf5Lz4Codec):
    """The same, which the package imagecodecs also encodes."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_lz4h5",)

    def __init__(self, parameters: Mapping[str, int]) -> None:
        self._parameters = dict(parameters)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "level", "blocksize")
        told = {name: value for name, value in configuration.items() if value is not None}
        return cls({name: integer(told, name, minimum=0, maximum=_MAX_INT) for name in told})

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {**self._parameters}

    def encode(self, decoded: Buffer) -> Buffer:
        try:
            encoded: Buffer = imagecodecs_package(self.name).lz4h5_encode(bytes(decoded), **self._parameters)
        except Exception as error:
            raise failure(error, self.name) from error
        return encoded


def lz4_block(part: memoryview, nbytes: int, codec: str) -> bytes:
    """A block of LZ4 of known decoded size.

    Raises:
        CodecError: it does not decode to that size.
    """
    try:
        decoded: bytes = lz4.decompress(nbytes.to_bytes(4, "little") + bytes(part))
    except (RuntimeError, ValueError) as error:
        raise CodecError(str(error), codec=codec) from error
    if len(decoded) != nbytes:
        raise CodecError(f"expected a block of {nbytes:,} bytes, found {len(decoded):,}", codec=codec)
    return decoded
