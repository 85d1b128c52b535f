"""What a selection takes in one dimension, and the chunks that this crosses.

A selection becomes one `AxisRange` or `AxisIndices` per dimension. Both are ascending: with a negative step, or indices in
another order, elements are read in ascending order and returned through a flipped view, or rearranged. So no other module has
to handle order or duplicates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zarrcore.codecs.region import Part, as_part
from zarrcore.metadata import ChunkAxis
from zarrcore.typing import AnyArray

Crossing = tuple[int, Part, slice, bool]
"""A chunk that a range crosses: its index, the part to take, its place in the result, whether it is taken from end to end."""


@dataclass(frozen=True, slots=True)
class AxisRange:
    """The selected indices of one dimension: ``start, start + step, …``, ``count`` of them."""

    start: int
    step: int
    """At least 1."""
    count: int
    flipped: bool = False
    """Whether the result has them in descending order."""
    dropped: bool = False
    """Whether the result lacks this dimension, because an integer selects in it."""

    @property
    def last(self) -> int:
        """The greatest selected index; meaningless if `count` is 0."""
        return self.start + (self.count - 1) * self.step


@dataclass(frozen=True, slots=True, eq=False)
class AxisIndices:
    """The selected indices of one dimension, which are not evenly spaced."""

    indices: NDArray[np.intp]
    """At least three, ascending, none twice."""
    flipped: ClassVar[bool] = False
    dropped: ClassVar[bool] = False

    @property
    def count(self) -> int:
        """How many indices there are."""
        return len(self.indices)

    @property
    def start(self) -> int:
        """The least selected index."""
        return int(self.indices[0])

    @property
    def last(self) -> int:
        """The greatest selected index."""
        return int(self.indices[-1])


Axis = AxisRange | AxisIndices
"""The selected indices of one dimension."""


def axis_of(indices: NDArray[np.intp]) -> Axis:
    """Ascending indices of one dimension, none twice.

    >>> axis_of(np.array([3, 5, 7]))
    AxisRange(start=3, step=2, count=3, flipped=False, dropped=False)
    """
    part = as_part(indices)
    if isinstance(part, slice):
        return AxisRange(part.start, part.step, len(indices))
    return AxisIndices(part)


def result_shape(axes: Sequence[Axis]) -> tuple[int, ...]:
    """The shape of the selection."""
    return tuple(axis.count for axis in axes if not axis.dropped)


def upwards(out: AnyArray, axes: Sequence[Axis]) -> AnyArray:
    """A view of ``out``, which has the selection's shape, with one dimension per axis and every axis ascending."""
    view: AnyArray = out[upwards_index(axes)]
    return view


def upwards_index(axes: Sequence[Axis]) -> tuple[Any, ...]:
    """The index that `upwards` applies."""
    downwards = slice(None, None, -1)
    index = (None if axis.dropped else downwards if axis.flipped else slice(None) for axis in axes)
    return (*index, ...)


def crossings(axis: Axis, chunks: ChunkAxis) -> Iterator[Crossing]:
    """The chunks that the selected indices of one dimension cross.

    >>> from zarrcore.metadata import RegularAxis
    >>> list(crossings(AxisRange(3, 2, 4), RegularAxis(5)))
    [(0, slice(3, 4, 2), slice(0, 1, None), False), (1, slice(0, 5, 2), slice(1, 4, None), False)]
    """
    return _index_crossings(axis, chunks) if isinstance(axis, AxisIndices) else _range_crossings(axis, chunks)


def _range_crossings(axis: AxisRange, chunks: ChunkAxis) -> Iterator[Crossing]:
    done = chunk = 0
    while done < axis.count:
        first = axis.start + done * axis.step
        chunk = chunk + 1 if done and axis.step == 1 else chunks.find(first)
        origin, length = chunks.place(chunk)
        until = min(axis.count, -(-(origin + length - axis.start) // axis.step))
        last = axis.start + (until - 1) * axis.step
        is_whole = axis.step == 1 and last - first + 1 == length
        yield chunk, slice(first - origin, last - origin + 1, axis.step), slice(done, until), is_whole
        done = until


def _index_crossings(axis: AxisIndices, chunks: ChunkAxis) -> Iterator[Crossing]:
    numbers, within = chunks.locate(axis.indices)
    begins = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist()]
    for begin, end in pairwise([*begins, axis.count]):
        chunk = int(numbers[begin])
        yield chunk, as_part(within[begin:end]), slice(begin, end), end - begin == chunks.place(chunk)[1]
