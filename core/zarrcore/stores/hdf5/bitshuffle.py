"""HDF5 filter 32008 without compression, for chunks that skipped it.

Bits of elements that have the same significance are stored together. The elements of a block are shuffled on their own. Up to
seven elements at the end are stored as they are.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from zarrcore.stores.interface import BytesLike

_TARGET_NBYTES: Final = 8192
_LEAST_ELEMENTS: Final = 128


def default_block(item_nbytes: int) -> int:
    """The number of elements in a block if the writer left it to the filter.

    >>> default_block(4)
    2048
    """
    return max(_LEAST_ELEMENTS, _TARGET_NBYTES // item_nbytes // 8 * 8)


def shuffled(elements: BytesLike | bytearray, item_nbytes: int, block: int) -> bytes:
    """Elements as the filter stores them.

    Args:
        elements: any number of bytes.
        item_nbytes: the size of an element.
        block: the number of elements in a block, a multiple of eight.

    Raises:
        ValueError: it is not.

    >>> shuffled(bytes([1, 0, 0, 0, 0, 0, 0, 3, 7]), 1, 128).hex()
    '818000000000000007'
    """
    if block % 8 or not block:
        raise ValueError(f"expected blocks of eight elements, found {block:,}")
    data = np.frombuffer(elements, "u1")
    whole = len(data) - len(data) % (8 * item_nbytes)
    parts = []
    for start in range(0, whole, block * item_nbytes):
        part = data[start : min(start + block * item_nbytes, whole)].reshape(-1, item_nbytes)
        bits = np.unpackbits(part, axis=1, bitorder="little")
        parts.append(np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little").tobytes())
    return b"".join((*parts, data[whole:].tobytes()))
