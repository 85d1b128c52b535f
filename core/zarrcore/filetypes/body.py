"""The elements of a selection as one run of bytes, C order, little-endian, readable at any offset.

A run of elements is a handful of boxes of the selection: the rest of a row, whole rows, the beginning of a row; each is read as
a selection of its own. So no offset costs more than the chunks it touches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from zarrcore.array import Array, Selection
from zarrcore.array.selection import AxisRange, normalize, result_shape, upwards
from zarrcore.metadata.chunk_grid import RegularChunkGrid

Box = tuple[tuple[int, int], ...]


class ArrayBody:
    """The bytes of ``array[selection]``.

    Attributes:
        shape: the selection's shape.
        nbytes: how many bytes there are.
        dimension_names: the names of the selection's dimensions, None where one has none.

    Raises:
        SelectionError: the array has no such selection.
    """

    def __init__(self, array: Array, selection: Selection = ...) -> None:
        self.array = array
        self._ranges = normalize(selection, array.shape)
        self.shape = result_shape(self._ranges)
        self.nbytes = math.prod(self.shape) * array.itemsize
        names = array.dimension_names or (None,) * array.ndim
        self.dimension_names = tuple(
            name for name, axis in zip(names, self._ranges, strict=True) if not axis.dropped
        )

    def readinto(self, offset: int, buffer: memoryview) -> None:
        """Fill ``buffer`` with the bytes from ``offset`` on; all of them have to lie in the body.

        Raises:
            As `Array.read`.
        """
        read_boxes(self.shape, self.array.dtype, offset, buffer, self._read_box)

    def prefetch(self, offset: int, nbytes: int) -> None:
        """Decode the chunks of a range of bytes into the array's chunk cache.

        Raises:
            As `Array.read`.
        """
        if self.array.chunk_cache is not None:
            for box in self._boxes(offset, nbytes):
                self.array.read_ranges(self._axis_ranges(box), None)

    def is_cached(self, offset: int, nbytes: int) -> bool:
        """Whether a range of bytes can be had without I/O and decoding."""
        return all(self.array.is_cached(self._axis_ranges(box)) for box in self._boxes(offset, nbytes))

    def _boxes(self, offset: int, nbytes: int) -> Iterator[Box]:
        itemsize = self.array.itemsize
        start, stop = max(0, offset), min(self.nbytes, offset + nbytes)
        if start < stop:
            yield from boxes(self.shape, start // itemsize, -(-stop // itemsize))

    @property
    def kept(self) -> tuple[int, ...]:
        """Which of the array's dimensions the selection has."""
        return tuple(axis for axis, taken in enumerate(self._ranges) if not taken.dropped)

    @property
    def indices(self) -> tuple[range, ...]:
        """The selected indices of each of the array's dimensions, also of those that it selects away."""
        upwards = (range(taken.start, taken.last + 1, taken.step) for taken in self._ranges)
        return tuple(
            found[::-1] if taken.flipped else found
            for found, taken in zip(upwards, self._ranges, strict=True)
        )

    @property
    def chunk_shape(self) -> tuple[int, ...]:
        """How long chunks are along the selection's dimensions."""
        chunks = zip(self.array.inner_chunk_shape, self._ranges, strict=True)
        return tuple(-(-length // axis.step) for length, axis in chunks if not axis.dropped)

    def read_box(self, box: Box) -> np.ndarray[Any, Any]:
        """A part of the selection as an array.

        Raises:
            As `Array.read`.
        """
        values = np.empty(tuple(stop - start for start, stop in box), self.array.dtype)
        self._read_box(box, values)
        return values

    @cached_property
    def slab_nbytes(self) -> int:
        """Bytes from one boundary of chunks along the first dimension to the next; 0 where the body begins at none."""
        kept = [axis for axis, taken in enumerate(self._ranges) if not taken.dropped]
        if not kept or not isinstance(self.array.metadata.chunk_grid, RegularChunkGrid):
            return 0
        first, length = self._ranges[kept[0]], self.array.inner_chunk_shape[kept[0]]
        if first.step != 1 or first.flipped or first.start % length:
            return 0
        return length * math.prod(self.shape[1:]) * self.array.itemsize

    def _read_box(self, box: Box, out: np.ndarray[Any, Any]) -> None:
        ranges = self._axis_ranges(box)
        # Who reads on comes to chunks that were read whole no more.
        self.array.read_ranges(ranges, upwards(out, self._ranges), keep=not self._are_whole_chunks(ranges))

    def _are_whole_chunks(self, ranges: list[AxisRange]) -> bool:
        return isinstance(self.array.metadata.chunk_grid, RegularChunkGrid) and all(
            axis.step == 1
            and axis.start % length == 0
            and (axis.start + axis.count == extent or axis.count % length == 0)
            for axis, length, extent in zip(
                ranges, self.array.inner_chunk_shape, self.array.shape, strict=True
            )
        )

    def _axis_ranges(self, box: Box) -> list[AxisRange]:
        """The box in the array's own indices, all upwards."""
        kept = iter(box)
        ranges = []
        for axis in self._ranges:
            start, stop = (0, 1) if axis.dropped else next(kept)
            first = axis.count - stop if axis.flipped else start
            ranges.append(AxisRange(axis.start + first * axis.step, axis.step, stop - start))
        return ranges


def read_boxes(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    offset: int,
    buffer: memoryview,
    read_box: Callable[[Box, np.ndarray[Any, Any]], None],
) -> None:
    """Fill ``buffer`` with the bytes from ``offset`` on of elements of ``shape``, of which ``read_box`` reads any box."""
    first, last = offset // dtype.itemsize, -(-(offset + len(buffer)) // dtype.itemsize)
    aligned = offset % dtype.itemsize == 0 and len(buffer) % dtype.itemsize == 0
    target = np.frombuffer(buffer, dtype) if aligned else np.empty(last - first, dtype)
    done = 0
    for box in boxes(shape, first, last):
        lengths = tuple(stop - start for start, stop in box)
        count = math.prod(lengths)
        read_box(box, target[done : done + count].reshape(lengths))
        done += count
    if not aligned:
        skipped = offset - first * dtype.itemsize
        buffer[:] = target.view(np.uint8).data[skipped : skipped + len(buffer)]


def boxes(shape: tuple[int, ...], start: int, stop: int) -> Iterator[Box]:
    """The boxes, in order, that make up elements ``[start, stop)`` of an array of ``shape`` in C order.

    >>> list(boxes((4, 3), 2, 10))
    [((0, 1), (2, 3)), ((1, 3), (0, 3)), ((3, 4), (0, 1))]
    """
    if start >= stop:
        return
    if not shape:
        yield ()
        return
    row = math.prod(shape[1:])
    (first, within), (last, beyond) = divmod(start, row), divmod(stop, row)
    if first == last:
        for box in boxes(shape[1:], within, beyond):
            yield ((first, first + 1), *box)
        return
    if within:
        for box in boxes(shape[1:], within, row):
            yield ((first, first + 1), *box)
        first += 1
    if first < last:
        yield ((first, last), *((0, length) for length in shape[1:]))
    if beyond:
        for box in boxes(shape[1:], 0, beyond):
            yield ((last, last + 1), *box)
