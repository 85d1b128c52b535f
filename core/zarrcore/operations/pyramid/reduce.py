"""Reducing an array by whole factors: each element of the result stands for a block of elements.

Blocks at the upper edges may be smaller; they count as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from zarrcore.errors import UnsupportedError
from zarrcore.metadata.data_type import is_small_number
from zarrcore.typing import AnyArray

METHODS: Final = ("mean", "mode", "nearest")
"""``mean``; ``mode``, the most frequent value, and the smallest of several; ``nearest``, the first element of each block."""


def reduced_shape(shape: Sequence[int], factors: Sequence[int]) -> tuple[int, ...]:
    """The shape of the result.

    >>> reduced_shape((5, 4, 1), (1, 2, 2))
    (5, 2, 1)
    """
    return tuple(-(-length // factor) for length, factor in zip(shape, factors, strict=True))


def check_method(method: str, dtype: np.dtype[Any]) -> None:
    """Check that a method is possible for elements of a type.

    Raises:
        UnsupportedError: it is not.
    """
    if method not in METHODS:
        raise UnsupportedError("method", method, f"is unknown; known are {', '.join(METHODS)}")
    is_number = dtype.kind in "iufc" or is_small_number(dtype)
    if method == "mean" and not is_number:
        others = "mode or nearest" if dtype.kind == "b" else "nearest"
        raise UnsupportedError("method", "mean", f"is not possible for {dtype}: choose {others}")
    if method == "mode" and dtype.kind not in "biu":
        others = "mean or nearest" if is_number else "nearest"
        raise UnsupportedError("method", "mode", f"is not possible for {dtype}: choose {others}")


def reduce(values: AnyArray, factors: Sequence[int], method: str) -> AnyArray:
    """The reduced array, of the same type. Means of integers are rounded, half to even.

    >>> reduce(np.array([[1, 2, 9], [2, 2, 8]]), (2, 2), "mean").tolist()
    [[2, 8]]
    >>> reduce(np.array([[1, 2, 9], [2, 2, 8]]), (2, 2), "mode").tolist()
    [[2, 8]]
    """
    if method == "nearest":
        return values[tuple(slice(None, None, factor) for factor in factors)]
    result = np.empty(reduced_shape(values.shape, factors), values.dtype)
    parts = [_parts(length, factor) for length, factor in zip(values.shape, factors, strict=True)]
    reduced = _mean if method == "mean" else _mode
    for part in product(*parts):
        inside, place, block = zip(*part, strict=True) if part else ((), (), ())
        result[place] = reduced(values[inside], block)
    return result


def _parts(length: int, factor: int) -> list[tuple[slice, slice, int]]:
    """The whole blocks of a dimension, and the smaller one at the end: elements, places in the result, length of a block."""
    count, rest = divmod(length, factor)
    parts = [(slice(0, count * factor), slice(0, count), factor)] if count else []
    return parts + ([(slice(count * factor, length), slice(count, count + 1), rest)] if rest else [])


def _offsets(values: AnyArray, block: tuple[int, ...]) -> Iterator[AnyArray]:
    """The first elements of all blocks that fill the array, then the second ones, and so on."""
    for offset in product(*map(range, block)):
        yield values[tuple(slice(start, None, length) for start, length in zip(offset, block, strict=True))]


def _mean(values: AnyArray, block: tuple[int, ...]) -> AnyArray:
    dtype, count = values.dtype, math.prod(block)
    if dtype.kind in "iu" and dtype.itemsize == 8:
        return _mean_of_long_integers(values, block)
    if dtype.kind not in "iu":
        wide = np.complex128 if dtype.kind == "c" else np.float64
        with np.errstate(invalid="ignore", over="ignore"):  # infinities, and signalling NaNs
            return np.asarray((_sum(values, block, wide) / count).astype(dtype))
    is_small = count << 8 * dtype.itemsize < 1 << 31
    return _rounded(_sum(values, block, np.int32 if is_small else np.int64), count).astype(dtype)


def _sum(values: AnyArray, block: tuple[int, ...], dtype: Any) -> AnyArray:
    parts = _offsets(values, block)
    total: AnyArray = next(parts).astype(dtype)
    for part in parts:
        np.add(total, part.astype(dtype, copy=False), out=total)
    return total


def _rounded(total: AnyArray, count: int) -> AnyArray:
    """The quotients of integers, rounded half to even."""
    below = total // total.dtype.type(count)
    twice_rest = 2 * (total - below * total.dtype.type(count))
    up = (twice_rest > count) | ((twice_rest == count) & (below % 2 == 1))
    return np.asarray(below + up.astype(total.dtype))


def _mean_of_long_integers(values: AnyArray, block: tuple[int, ...]) -> AnyArray:
    """The mean without sums that overflow, and without floats that cannot hold the integers."""
    dtype, count = values.dtype, math.prod(block)
    wholes, rests = np.divmod(values, dtype.type(count))
    # The rests are small numbers, and so is their sum; the wholes do not exceed the mean.
    total = _sum(rests, block, dtype.type)
    whole = _sum(wholes, block, dtype.type) + total // dtype.type(count)
    rest = total % dtype.type(count)
    up = (2 * rest > count) | ((2 * rest == count) & (whole % 2 == 1))
    return np.asarray(whole + up.astype(dtype))


def _mode(values: AnyArray, block: tuple[int, ...]) -> AnyArray:
    """The value that begins the longest run of equal sorted elements."""
    ordered = np.sort(np.stack([*_offsets(values, block)]), axis=0)
    best: AnyArray = ordered[0].copy()
    longest = run = np.ones(best.shape, np.intp)
    for position in range(1, len(ordered)):
        run = np.where(ordered[position] == ordered[position - 1], run + 1, 1)
        better = run > longest
        longest = np.where(better, run, longest)
        best[better] = ordered[position][better]
    return best
