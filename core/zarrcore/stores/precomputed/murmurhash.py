"""MurmurHash3_x86_128 of numbers of 8 bytes, with seed 0.

Algorithm: Austin Appleby, MurmurHash3. A number is shorter than a block of 16 bytes: only the tail and the end of
the algorithm remain.
"""

from __future__ import annotations

from typing import Final

_MASK: Final = 0xFFFFFFFF
_C1, _C2, _C3 = 0x239B961B, 0xAB0E9789, 0x38B34AE5
_NBYTES: Final = 8


def murmurhash3_x86_128(number: int) -> int:
    """The first 8 bytes of the hash of a number, as a little-endian number.

    >>> hex(murmurhash3_x86_128(0)), hex(murmurhash3_x86_128(2**64 - 1))
    ('0x4772b084e028ae41', '0x574f66bd212b5d1a')
    """
    high, low = number >> 32 & _MASK, number & _MASK
    h2 = _rotated(high * _C2 & _MASK, 16) * _C3 & _MASK ^ _NBYTES
    h1 = _rotated(low * _C1 & _MASK, 15) * _C2 & _MASK ^ _NBYTES
    h3 = h4 = _NBYTES
    h1 = h1 + h2 + h3 + h4 & _MASK
    h2, h3, h4 = h2 + h1 & _MASK, h3 + h1 & _MASK, h4 + h1 & _MASK
    h1, h2, h3, h4 = map(_mixed, (h1, h2, h3, h4))
    h1 = h1 + h2 + h3 + h4 & _MASK
    return (h2 + h1 & _MASK) << 32 | h1


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> 32 - bits) & _MASK


def _mixed(h: int) -> int:
    h = (h ^ h >> 16) * 0x85EBCA6B & _MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & _MASK
    return h ^ h >> 16
