"""The elements of a selection as one run of bytes, C order, little-endian, readable at any offset.

A run of elements consists of a few boxes of the selection: the rest of a row, whole rows, the beginning of a row. Each is read
as a separate selection, so reading at any offset only costs the chunks that it touches.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from zarrcore.array import Array, Selection
from zarrcore.array.plan import ReadPlan
from zarrcore.array.selection.axes import AxisRange, result_shape, upwards_index
from zarrcore.array.selection.basic import normalize
from zarrcore.filetypes.plan import Box, BoxPlan, BytesPlan, ElementBytes
from zarrcore.metadata.chunk_grid import RegularChunkGrid
from zarrcore.typing import AnyArray


class ArrayBody:
    """The bytes of ``array[selection]``.

    Attributes:
        shape: the selection's shape.
        nbytes: the number of bytes.
        dimension_names: the names of the selection's dimensions; None for one without a name.

    Raises:
        SelectionError: the selection is invalid or outside the array.
    """

    def __init__(self, array: Array, selection: Selection = ...) -> None:
        self.array = array
        self._ranges = normalize(selection, array.shape)
        self._upwards = upwards_index(self._ranges)
        self.shape = result_shape(self._ranges)
        self.nbytes = math.prod(self.shape) * array.itemsize
        names = array.dimension_names or (None,) * array.ndim
        self.dimension_names = tuple(
            name for name, axis in zip(names, self._ranges, strict=True) if not axis.dropped
        )

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        """A plan to read ``nbytes`` bytes from ``offset``, all of them within the body."""
        return ElementBytes(self.shape, self.array.dtype, offset, nbytes, self.plan_box)

    @property
    def kept(self) -> tuple[int, ...]:
        """The array's dimensions that the selection keeps."""
        return tuple(axis for axis, taken in enumerate(self._ranges) if not taken.dropped)

    @property
    def indices(self) -> tuple[range, ...]:
        """The selected indices of each of the array's dimensions, including dropped ones."""
        upwards = (range(taken.start, taken.last + 1, taken.step) for taken in self._ranges)
        return tuple(
            found[::-1] if taken.flipped else found
            for found, taken in zip(upwards, self._ranges, strict=True)
        )

    @property
    def chunk_shape(self) -> tuple[int, ...]:
        """The lengths of chunks along the selection's dimensions."""
        chunks = zip(self.array.inner_chunk_shape, self._ranges, strict=True)
        return tuple(-(-length // axis.step) for length, axis in chunks if not axis.dropped)

    def read_box(self, box: Box) -> AnyArray:
        """A part of the selection as an array.

        Raises:
            As `Array.read`.
        """
        values = np.empty(tuple(stop - start for start, stop in box), self.array.dtype)
        self.plan_box(box).read_into(values)
        return values

    def plan_box(self, box: Box) -> BoxPlan:
        """A plan to read a part of the selection."""
        return _SelectedBox(self.array.plan(self._axis_ranges(box)), self._upwards)

    @cached_property
    def slab_nbytes(self) -> int:
        """Bytes from one boundary of chunks along the first dimension to the next; 0 if the body does not begin at one."""
        kept = [axis for axis, taken in enumerate(self._ranges) if not taken.dropped]
        if not kept or not isinstance(self.array.metadata.chunk_grid, RegularChunkGrid):
            return 0
        first, length = self._ranges[kept[0]], self.array.inner_chunk_shape[kept[0]]
        if first.step != 1 or first.flipped or first.start % length:
            return 0
        return length * math.prod(self.shape[1:]) * self.array.itemsize

    def _axis_ranges(self, box: Box) -> list[AxisRange]:
        """The box in the array's own indices, all ascending."""
        kept = iter(box)
        ranges = []
        for axis in self._ranges:
            start, stop = (0, 1) if axis.dropped else next(kept)
            first = axis.count - stop if axis.flipped else start
            ranges.append(AxisRange(axis.start + first * axis.step, axis.step, stop - start))
        return ranges


class _SelectedBox:
    """A box of a selection of an array. Readers of files continue with the next box."""

    __slots__ = ("_plan", "_upwards", "is_ready", "prefetch")

    def __init__(self, plan: ReadPlan, upwards: tuple[Any, ...]) -> None:
        self._plan = plan
        self._upwards = upwards
        self.is_ready = plan.is_ready
        self.prefetch = plan.prefetch

    def read_into(self, out: AnyArray) -> None:
        self._plan.read_into(out[self._upwards], in_sequence=True)
