"""Whether a chunk holds only the fill value, so that it need not be stored.

Accepted specification, "Chunk encoding": a missing chunk reads as the fill value. Equal means equal bits: ``-0.0``
is not ``0.0``, and every NaN keeps its payload.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zarrcore.metadata import Element
from zarrcore.typing import AnyArray

_BLOCK_SIZE = 1 << 16


def is_fill(chunk: AnyArray, fill_value: Element) -> bool:
    """Whether every element of ``chunk`` has the bits of ``fill_value``; strings and objects are compared by value.

    ``fill_value`` has the type of ``chunk``, in any byte order.

    >>> is_fill(np.zeros((3, 3)), np.zeros(())), is_fill(np.full((3, 3), -0.0), np.zeros(()))
    (True, False)
    """
    if chunk.dtype.kind == "T" or chunk.dtype.hasobject:
        return _is_value(chunk, fill_value)
    fill_value = fill_value.astype(chunk.dtype, copy=False)
    nbytes = chunk.dtype.itemsize
    if nbytes in (1, 2, 4, 8):
        bits: np.dtype[Any] = np.dtype(f"u{nbytes}")
        words, fill = chunk.view(bits), fill_value.view(bits)
        # Most chunks differ in their first element.
        return not words.size or (words.item(0) == fill.item() and _all_equal(words, fill))
    # An element of several words is a row of them.
    word = next(size for size in (8, 4, 2, 1) if nbytes % size == 0)
    rows = np.ascontiguousarray(chunk).reshape(-1).view(f"u{word}").reshape(chunk.size, nbytes // word)
    return _all_equal(rows, fill_value.reshape(1).view(f"u{word}"))


def _is_value(chunk: AnyArray, fill_value: Element) -> bool:
    fill = fill_value[()]
    return all(type(element) is type(fill) and bool(element == fill) for element in chunk.flat)


def _all_equal(chunk: AnyArray, bits: AnyArray) -> bool:
    """Compare block by block: a mask of a whole chunk would cost memory."""
    if chunk.size <= _BLOCK_SIZE:
        return bool((chunk == bits).all())
    if chunk.flags.c_contiguous and not bits.ndim:
        flat = chunk.reshape(-1)
        blocks = range(0, flat.size, _BLOCK_SIZE)
        return all((flat[first : first + _BLOCK_SIZE] == bits).all() for first in blocks)
    if chunk.ndim == 1 or (bits.ndim and chunk.ndim == 2):
        step = max(1, _BLOCK_SIZE * len(chunk) // chunk.size)
        return all((chunk[first : first + step] == bits).all() for first in range(0, len(chunk), step))
    return all(_all_equal(part, bits) for part in chunk)
