"""``hdf5.bitshuffle``: HDF5 filter 32008, bits of the same significance side by side, in blocks that may be compressed.

An internal name, never written to a store. A compressed chunk begins with the decoded size (8 bytes) and the decoded bytes of a
block (4 bytes); each block follows its encoded size (4 bytes). All numbers are big-endian. Up to seven elements at the end are
stored as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numcodecs.zstd import Zstd

from zarrcore.codecs.bytes_to_bytes.hdf5_lz4 import lz4_block
from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import choice, integer, known
from zarrcore.errors import CodecError

_TARGET_NBYTES = 8192
_LEAST_ELEMENTS = 128
_MAX_INT = 2**31 - 1


class Hdf5BitshuffleCodec(BytesToBytesCodec):
    """Bits of the same significance side by side."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.bitshuffle",)

    def __init__(self, item_nbytes: int, block: int, compression: str) -> None:
        self._item_nbytes = item_nbytes
        self._block = block or max(_LEAST_ELEMENTS, _TARGET_NBYTES // item_nbytes // 8 * 8)
        self._compression = compression

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "elementsize", "blocksize", "compression")
        return cls(
            integer(configuration, "elementsize", minimum=1, maximum=_MAX_INT),
            integer(configuration, "blocksize", 0, minimum=0, maximum=_MAX_INT),
            choice(configuration, "compression", ("none", "lz4", "zstd"), "none"),
        )

    def max_encoded_nbytes(self, decoded_nbytes: int) -> int:
        return decoded_nbytes + 8 if self._compression == "none" else 2 * decoded_nbytes + 4096

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        data, item = memoryview(encoded), self._item_nbytes
        if data[:8] == b"\xff" * 8 and len(data) <= max_nbytes + 8:  # the filter was skipped for this chunk
            return data[8:]
        if self._compression == "none":
            nbytes, block_nbytes, at = len(data), self._block * item, 0
        else:
            nbytes, block_nbytes, at = int.from_bytes(data[:8], "big"), int.from_bytes(data[8:12], "big"), 12
        if nbytes > max_nbytes or not block_nbytes or block_nbytes % (8 * item):
            raise CodecError(
                f"expected at most {max_nbytes:,} bytes in blocks of eight elements, found {nbytes:,}",
                codec=self.name,
            )
        decoded = bytearray()
        shuffled = nbytes - nbytes % (8 * item)
        while len(decoded) < shuffled:
            wanted = min(block_nbytes, shuffled - len(decoded))
            if self._compression == "none":
                part: Buffer = data[at : at + wanted]
                at += wanted
            else:
                size = int.from_bytes(data[at : at + 4], "big")
                part = self._decompressed(data[at + 4 : at + 4 + size], wanted)
                at += 4 + size
            if len(part) != wanted:
                raise CodecError("a block has a wrong size", codec=self.name)
            decoded += unshuffled(part, item)
        decoded += data[at : at + nbytes - shuffled]
        return decoded

    def _decompressed(self, part: memoryview, nbytes: int) -> Buffer:
        if self._compression == "lz4":
            return lz4_block(part, nbytes, self.name)
        try:
            decoded: Buffer = Zstd().decode(bytes(part), np.empty(nbytes, "u1"))
        except (RuntimeError, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error
        return memoryview(decoded)


def unshuffled(data: Buffer, item_nbytes: int) -> bytes:
    """The elements of a block whose number is a multiple of eight."""
    rows = np.frombuffer(data, "u1").reshape(8 * item_nbytes, -1)
    bits = np.unpackbits(rows, axis=1, bitorder="little")
    return np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little").tobytes()
