"""Blocks: what of an array is copied in one piece.

A block holds whole chunks of the destination, so that no two blocks write the same one, and as many of them as it takes to
cover whole chunks of the source, so that none is decoded twice, as far as memory allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from zarrcore.metadata.chunk_grid import ChunkAxis

Box = tuple[slice, ...]
"""A part of an array: a slice with start and stop for each dimension."""

_MAX_BITS = 1 << 28


@dataclass(frozen=True, slots=True)
class BlockAxis:
    """One dimension in blocks of ``factor`` chunks."""

    chunks: ChunkAxis
    """Where chunks begin."""
    extent: int
    """The array's length."""
    factor: int = 1
    """Chunks in a block; fewer in the last one."""

    @property
    def count(self) -> int:
        """Blocks."""
        return -(-self.chunks.count(self.extent) // self.factor)

    def place(self, index: int) -> slice:
        """The elements of the block at ``index``."""
        last = min((index + 1) * self.factor, self.chunks.count(self.extent)) - 1
        start, (final, length) = self.chunks.place(index * self.factor)[0], self.chunks.place(last)
        return slice(start, min(final + length, self.extent))

    def crossed(self, part: slice) -> range:
        """The blocks that hold elements of ``part``, which is not empty and ends within the array."""
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
        """Blocks."""
        return math.prod(self.shape)

    def box(self, number: int) -> Box:
        """The elements of a block."""
        index = []
        for axis in reversed(self.axes):
            number, along = divmod(number, axis.count)
            index.append(along)
        return tuple(axis.place(along) for axis, along in zip(self.axes, reversed(index), strict=True))

    def crossed(self, box: Box) -> Iterator[int]:
        """The numbers of the blocks that hold elements of ``box``, which is not empty and ends within the array."""
        for index in product(*(axis.crossed(part) for axis, part in zip(self.axes, box, strict=True))):
            number = 0
            for axis, along in zip(self.axes, index, strict=True):
                number = number * axis.count + along
            yield number


def nbytes_of(box: Box, itemsize: int) -> int:
    """Bytes of the elements of ``box``."""
    size: int = math.prod(part.stop - part.start for part in box)
    return size * itemsize


def block_factors(
    shape: Sequence[int], chunk_shape: Sequence[int], source_shape: Sequence[int], limit: int, most: int
) -> tuple[int, ...]:
    """How many chunks a block holds along each dimension.

    Args:
        shape: the array's.
        chunk_shape: the destination's chunks'.
        source_shape: the shape of what is decoded as a whole in the source.
        limit: as many elements make a good block.
        most: elements of a block at most, if that spares decoding twice; but for a block of one chunk.

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

    # First whole chunks of the source, then neighbours along the dimension that is stored together.
    for axis in reversed(range(len(counts))):
        wanted = math.lcm(chunk_shape[axis], source_shape[axis]) // chunk_shape[axis]
        factors[axis] = min(wanted, counts[axis], room(most))
    for axis in reversed(range(len(counts))):
        factors[axis] = min(counts[axis], factors[axis] * room(limit))
    return tuple(factors)


class NumberSet:
    """Numbers below ``count``: a bit for each as long as that is little, else those that are in it.

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
        """The numbers from the smallest on."""
        if self._bits is None:
            yield from sorted(self._numbers)
            return
        for position, byte in enumerate(self._bits):
            if byte:
                yield from (8 * position + bit for bit in range(8) if byte >> bit & 1)
