"""Chunks as filters of HDF5 write them, made by NumPy and numcodecs."""

from __future__ import annotations

import numpy as np
from numcodecs import lz4, zstd


def bit_rows(data: bytes, item: int) -> bytes:
    """The bits of the elements, those of the same significance together."""
    bits = np.unpackbits(np.frombuffer(data, "u1").reshape(-1, item), axis=1, bitorder="little")
    return np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little").tobytes()


def bitshuffled(plain: bytes, item: int, block_nbytes: int, compression: str) -> bytes:
    """Filter 32008: bits side by side in blocks, which are compressed by ``lz4`` or ``zstd``, or not (``none``)."""
    end = len(plain) - len(plain) % (8 * item)
    blocks = [bit_rows(plain[at : min(at + block_nbytes, end)], item) for at in range(0, end, block_nbytes)]
    if compression == "none":
        return b"".join((*blocks, plain[end:]))
    # numcodecs writes the decoded size before a block of LZ4
    packed = [
        bytes(lz4.compress(block))[4:] if compression == "lz4" else zstd.compress(block) for block in blocks
    ]
    header = len(plain).to_bytes(8, "big") + block_nbytes.to_bytes(4, "big")
    return b"".join((header, *(len(part).to_bytes(4, "big") + part for part in packed), plain[end:]))


def lz4_blocks(plain: bytes, block_nbytes: int) -> bytes:
    """Filter 32004: blocks of LZ4, of which those that do not become smaller are stored as they are."""
    parts = [len(plain).to_bytes(8, "big"), block_nbytes.to_bytes(4, "big")]
    for at in range(0, len(plain), block_nbytes):
        block = plain[at : at + block_nbytes]
        packed = bytes(lz4.compress(block))[4:]
        part = packed if len(packed) < len(block) else block
        parts += [len(part).to_bytes(4, "big"), part]
    return b"".join(parts)
