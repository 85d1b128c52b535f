"""Blocks: the parts of an array that are copied in one piece.

A block holds whole chunks of the destination, so that two blocks never write the same chunk. As far as memory allows, it
also covers whole chunks of the source, so that none is decoded twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from zarrcore.metadata.chunk_grid import ChunkAxis

Box = tuple[slice, ...]
"""A part of an array: a slice with start and stop for each dimension."""

_MAX_BITS = 1 << 28


@dataclass(frozen=True, slots=True)
class BlockAxis:
    """One dimension in blocks of ``factor`` chunks."""

    chunks: ChunkAxis
    """The chunks of this dimension."""
    extent: int
    """The array's length."""
    factor: int = 1
    """Chunks in a block; the last block may have fewer."""

    @property
    def count(self) -> int:
        """The number of blocks."""
        return -(-self.chunks.count(self.extent) // self.factor)

    def place(self, index: int) -> slice:
        """The elements of the block at ``index``."""
        last = min((index + 1) * self.factor, self.chunks.count(self.extent)) - 1
        start, (final, length) = self.chunks.place(index * self.factor)[0], self.chunks.place(last)
        return slice(start, min(final + length, self.extent))

    def crossed(self, part: slice) -> range:
        """The blocks with elements of ``part``, which is not empty and ends within the array."""
        return range(
            self.chunks.find(part.start) // self.factor, self.chunks.find(part.stop - 1) // self.factor + 1
        )


@dataclass(frozen=True, slots=True)
class BlockGrid:
    """The blocks of an array, numbered in C order.

    >>> from zarrcore.metadata.chunk_grid import RegularAxis
    >>> grid = BlockGrid((BlockAxis(RegularAxis(3), 10, 2), BlockAxis(RegularAxis(4), 4)))
    >>> grid.count, grid.box(1), list(grid.crossed((slice(5, 7), slice(0, 1))))
    (2, (slice(6, 10, None), slice(0, 4, None)), [0, 1])
    """

    axes: tuple[BlockAxis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Blocks per dimension."""
        return tuple(axis.count for axis in self.axes)

    @property
    def count(self) -> int:
        """The number of blocks."""
        return math.prod(self.shape)

    @property
    def chunks(self) -> BlockGrid:
        """The same array in blocks of one chunk."""
        return BlockGrid(tuple(replace(axis, factor=1) for axis in self.axes))

    def box(self, number: int) -> Box:
        """The elements of a block."""
        index = []
        for axis in reversed(self.axes):
            number, along = divmod(number, axis.count)
            index.append(along)
        return tuple(axis.place(along) for axis, along in zip(self.axes, reversed(index), strict=True))

    def crossed(self, box: Box) -> Iterator[int]:
        """The numbers of the blocks with elements of ``box``, which is not empty and ends within the array."""
        for index in product(*(axis.crossed(part) for axis, part in zip(self.axes, box, strict=True))):
            number = 0
            for axis, along in zip(self.axes, index, strict=True):
                number = number * axis.count + along
            yield number


def nbytes_of(box: Box, itemsize: int) -> int:
    """The number of bytes of the elements of ``box``."""
    size: int = math.prod(part.stop - part.start for part in box)
    return size * itemsize


def block_factors(
    shape: Sequence[int], chunk_shape: Sequence[int], source_shape: Sequence[int], limit: int, most: int
) -> tuple[int, ...]:
    """The number of chunks of a block along each dimension.

    Args:
        shape: shape of the array.
        chunk_shape: shape of the destination's chunks.
        source_shape: shape of the smallest part of the source that is decoded as a whole.
        limit: a good number of elements for a block.
        most: the most elements of a block, if that avoids decoding twice; a block of one chunk may exceed it.

    >>> block_factors((100, 100), (10, 10), (25, 50), 10_000, 10_000)
    (10, 10)
    >>> block_factors((100, 100), (10, 10), (25, 50), 500, 2_500)
    (5, 5)
    >>> block_factors((100, 100), (10, 10), (25, 50), 1, 1)
    (1, 1)
    """
    counts = [max(1, -(-length // chunk)) for length, chunk in zip(shape, chunk_shape, strict=True)]
    factors = [1] * len(counts)

    def room(limit: int) -> int:
        lengths = (
            min(n * chunk, length) for n, chunk, length in zip(factors, chunk_shape, shape, strict=True)
        )
        return max(1, limit // max(1, math.prod(lengths)))

    # First whole chunks of the source, then neighbours along the dimension that is contiguous in storage.
    for axis in reversed(range(len(counts))):
        wanted = math.lcm(chunk_shape[axis], source_shape[axis]) // chunk_shape[axis]
        factors[axis] = min(wanted, counts[axis], room(most))
    for axis in reversed(range(len(counts))):
        factors[axis] = min(counts[axis], factors[axis] * room(limit))
    return tuple(factors)


class NumberSet:
    """A set of numbers below ``count``: one bit for each if that is small, otherwise a set.

    >>> numbers = NumberSet(100)
    >>> numbers.add(70); numbers.add(3); numbers.add(70)
    >>> list(numbers), 3 in numbers, 4 in numbers
    ([3, 70], True, False)
    """

    def __init__(self, count: int) -> None:
        self._bits = bytearray(-(-count // 8)) if count <= _MAX_BITS else None
        self._numbers: set[int] = set()

    def add(self, number: int) -> None:
        if self._bits is None:
            self._numbers.add(number)
        else:
            self._bits[number >> 3] |= 1 << (number & 7)

    def __contains__(self, number: int) -> bool:
        if self._bits is None:
            return number in self._numbers
        return bool(self._bits[number >> 3] >> (number & 7) & 1)

    def __iter__(self) -> Iterator[int]:
        """The numbers in increasing order."""
        if self._bits is None:
            yield from sorted(self._numbers)
            return
        for position, byte in enumerate(self._bits):
            if byte:
                yield from (8 * position + bit for bit in range(8) if byte >> bit & 1)
