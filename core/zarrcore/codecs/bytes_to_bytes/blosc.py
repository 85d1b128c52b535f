"""The ``blosc`` codec: the Blosc 1 container.

Specification: zarr-specs, "Blosc codec" (version 1.0); the container: c-blosc, README_CHUNK_FORMAT. c-blosc trusts the
sizes in the header, so every one of them is checked before the call.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numcodecs.blosc
import numpy as np

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.errors import CodecError

_HEADER = struct.Struct("<BBBBIII")
_MEMCPYED = 0x02


class BloscCodec(BytesToBytesCodec):
    """Blocks that are shuffled and compressed, with a header that names how."""

    names: ClassVar[tuple[str, ...]] = ("blosc",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls()

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        decoded_nbytes = _checked_nbytes(encoded, max_nbytes)
        if decoded_nbytes == 0:
            return b""
        try:
            if out is not None and len(out) == decoded_nbytes:
                numcodecs.blosc.decompress(encoded, out)
                return out
            decoded: bytes = numcodecs.blosc.decompress(encoded)
        except (RuntimeError, ValueError) as error:
            raise CodecError(str(error), codec="blosc") from error
        return decoded


def _checked_nbytes(encoded: Buffer, max_nbytes: int) -> int:
    if len(encoded) < _HEADER.size:
        raise CodecError(f"{len(encoded)} bytes are shorter than the header of {_HEADER.size}", codec="blosc")
    version, _, flags, type_nbytes, nbytes, block_nbytes, encoded_nbytes = _HEADER.unpack_from(encoded)
    if nbytes > max_nbytes:
        raise CodecError(
            f"the header announces {nbytes:,} bytes where at most {max_nbytes:,} are expected", codec="blosc"
        )
    if encoded_nbytes != len(encoded):
        raise CodecError(
            f"the header announces {encoded_nbytes:,} bytes, found {len(encoded):,}", codec="blosc"
        )
    if (
        version not in (1, 2)
        or type_nbytes == 0
        or (nbytes and not 0 < block_nbytes <= max(nbytes, type_nbytes))
    ):
        raise CodecError("the header is not that of a Blosc 1 container", codec="blosc")
    if flags & _MEMCPYED:
        if encoded_nbytes != nbytes + _HEADER.size:
            raise CodecError("stored bytes of another size than the header announces", codec="blosc")
    elif nbytes:
        _check_block_starts(encoded, -(-nbytes // block_nbytes))
    return int(nbytes)


def _check_block_starts(encoded: Buffer, blocks: int) -> None:
    first = _HEADER.size + 4 * blocks
    if first > len(encoded):
        raise CodecError(f"the header breaks off within the table of {blocks:,} blocks", codec="blosc")
    starts = np.frombuffer(encoded, "<u4", blocks, _HEADER.size)
    if int(starts.min()) < first or int(starts.max()) > len(encoded) - 4:
        raise CodecError("a block starts outside the container", codec="blosc")
