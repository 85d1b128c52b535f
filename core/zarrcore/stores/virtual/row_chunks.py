"""Arrays that a file stores as a whole, in C order, as chunks of consecutive bytes: a slice reads only its range."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

_AIMED_NBYTES: Final = 4 << 20
_MOST_TRIED: Final = 10_000
"""Numbers of chunks: more would take longer than reading a chunk."""


class Rows(NamedTuple):
    """The bytes of a chunk within those of the array."""

    offset: int
    nbytes: int
    """Of a whole chunk."""
    stored_nbytes: int
    """Fewer at the end of the divided dimension."""


def row_chunk_shape(shape: tuple[int, ...], item_nbytes: int) -> tuple[int, ...]:
    """The shape of the chunks of an array. A divisor of the divided length is preferred: then all chunks are whole.

    >>> row_chunk_shape((100, 1000, 1000), 4), row_chunk_shape((7,), 1), row_chunk_shape((1, 3, 40_000_000), 1)
    ((1, 1000, 1000), (7,), (1, 1, 4000000))
    """
    chunk = [max(1, length) for length in shape]
    for dimension, length in enumerate(chunk):
        below = item_nbytes * math.prod(chunk[dimension + 1 :])
        if below * length <= _AIMED_NBYTES:
            break
        most = max(1, _AIMED_NBYTES // below)
        fewest = -(-length // most)
        counts = range(fewest, min(length // max(1, most // 4), fewest + _MOST_TRIED) + 1)
        chunk[dimension] = next((length // count for count in counts if length % count == 0), most)
        if below <= _AIMED_NBYTES:
            break
    return tuple(chunk)


def rows_of(
    shape: tuple[int, ...], chunk_shape: tuple[int, ...], index: tuple[int, ...], item_nbytes: int
) -> Rows:
    """Where the chunk at an index is.

    >>> rows_of((5, 10), (2, 10), (2, 0), 4)
    Rows(offset=160, nbytes=80, stored_nbytes=40)
    """
    offset, stride, stored = 0, item_nbytes, item_nbytes
    for i, chunk, length in zip(reversed(index), reversed(chunk_shape), reversed(shape), strict=True):
        offset += i * chunk * stride
        stride *= length
        stored *= min(chunk, length - i * chunk)
    return Rows(offset, math.prod(chunk_shape) * item_nbytes, stored)
