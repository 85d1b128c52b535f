"""``n5_lz4``: the LZ4 stream of lz4-java's ``LZ4BlockOutputStream``, which N5 calls ``lz4``.

An internal name, never written to a document: Zarr v3 has no such codec. A stream is a sequence of blocks and an empty one at the
end. A block is ``LZ4Block``, a byte for method and size class, the encoded and the decoded size, a checksum of the decoded bytes
(all little-endian), and the bytes. Other writers use ``lz4`` for other content: z5 for a bare LZ4 block, zarr-python 2 for a
block after its decoded size. Both are recognised by their beginning, and read.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, Self

import xxhash

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import integer, known
from zarrcore.errors import ChecksumError, CodecError
from zarrcore.late_imports import imported

lz4 = imported("numcodecs.lz4")

_HEADER = struct.Struct("<8sBIII")
_MAGIC = b"LZ4Block"
_STORED, _LZ4 = 0x10, 0x20
_CHECKSUM_SEED, _CHECKSUM_MASK = 0x9747B28C, 0x0FFFFFFF
_MIN_BLOCK_NBYTES, _MAX_BLOCK_NBYTES = 64, 1 << 25
_MAX_ALONE_NBYTES = 0x7E000000  # of any LZ4 block
_SIZE = struct.Struct("<I")


class N5Lz4Codec(BytesToBytesCodec):
    """LZ4 blocks of at most ``blockSize`` decoded bytes."""

    names: ClassVar[tuple[str, ...]] = ("n5_lz4",)

    def __init__(self, block_nbytes: int) -> None:
        self._block_nbytes = block_nbytes

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "blockSize")
        # For other content it is a compression level, or absent.
        return cls(integer(configuration, "blockSize", 1 << 16, minimum=1, maximum=_MAX_BLOCK_NBYTES))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {"blockSize": self._block_nbytes}

    def max_encoded_nbytes(self, decoded_nbytes: int) -> int:
        blocks = decoded_nbytes // _MIN_BLOCK_NBYTES + 2
        return decoded_nbytes + blocks * _HEADER.size

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        data, left = memoryview(encoded), max_nbytes
        if data[: len(_MAGIC)] != _MAGIC[: len(data)]:
            return _decode_alone(bytes(data), max_nbytes)
        parts: list[bytes] = []
        while True:
            header, data = data[: _HEADER.size], data[_HEADER.size :]
            if len(header) < _HEADER.size:
                raise CodecError(f"the stream ends early, after {len(encoded):,} bytes", codec=self.name)
            magic, method, encoded_nbytes, decoded_nbytes, checksum = _HEADER.unpack(header)
            if magic != _MAGIC:
                raise CodecError(
                    f"expected a block that begins with {_MAGIC!r}, found {magic!r}", codec=self.name
                )
            if not decoded_nbytes:
                return b"".join(parts)
            if decoded_nbytes > left or encoded_nbytes > len(data):
                raise CodecError(
                    f"a block announces {encoded_nbytes:,} bytes for {decoded_nbytes:,}, but {len(data):,} are "
                    f"left for at most {left:,}",
                    codec=self.name,
                )
            parts.append(_decode_block(method & 0xF0, data[:encoded_nbytes], decoded_nbytes, checksum))
            data, left = data[encoded_nbytes:], left - decoded_nbytes

    def encode(self, decoded: Buffer) -> Buffer:
        data, parts = memoryview(decoded), []
        block_nbytes = max(_MIN_BLOCK_NBYTES, self._block_nbytes)
        size_class = max(0, (block_nbytes - 1).bit_length() - 10)
        for start in range(0, len(data), block_nbytes):
            block = bytes(data[start : start + block_nbytes])
            body, method = lz4.compress(block)[_SIZE.size :], _LZ4
            if len(body) >= len(block):
                body, method = block, _STORED
            parts.append(
                _HEADER.pack(_MAGIC, method | size_class, len(body), len(block), _checksum(block)) + body
            )
        parts.append(_HEADER.pack(_MAGIC, _STORED | size_class, 0, 0, 0))
        return b"".join(parts)


def _decode_alone(block: bytes, nbytes: int) -> bytes:
    """An LZ4 block instead of a stream, with or without its decoded size before it."""
    if nbytes > _MAX_ALONE_NBYTES:
        raise CodecError(f"one block cannot hold {nbytes:,} bytes", codec="n5_lz4")
    size = _SIZE.pack(nbytes)
    if block.startswith(size):
        with suppress(RuntimeError, ValueError):
            behind_size: bytes = lz4.decompress(block)
            return behind_size
    try:
        decoded: bytes = lz4.decompress(size + block)
    except (RuntimeError, ValueError) as error:
        raise CodecError(str(error), codec="n5_lz4") from error
    return decoded


def _decode_block(method: int, body: memoryview, decoded_nbytes: int, checksum: int) -> bytes:
    if method == _LZ4:
        try:
            block: bytes = lz4.decompress(_SIZE.pack(decoded_nbytes) + bytes(body))
        except (RuntimeError, ValueError) as error:
            raise CodecError(str(error), codec="n5_lz4") from error
    elif method == _STORED:
        block = bytes(body)
    else:
        raise CodecError(f"a block of the undefined method {method:#x}", codec="n5_lz4")
    if len(block) != decoded_nbytes:
        raise CodecError(
            f"expected a block of {decoded_nbytes:,} bytes, found {len(block):,}", codec="n5_lz4"
        )
    if _checksum(block) != checksum:
        raise ChecksumError(
            f"stored checksum {checksum:#010x}, found {_checksum(block):#010x}", codec="n5_lz4"
        )
    return block


def _checksum(block: bytes) -> int:
    return xxhash.xxh32_intdigest(block, _CHECKSUM_SEED) & _CHECKSUM_MASK
