"""Basic selections as in NumPy: integers, slices with any step, and ``...``.

A selection becomes one `AxisRange` per dimension. With a negative step, elements are read in ascending order and returned
through a flipped view, so no other module has to handle negative steps.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, SupportsIndex

import numpy as np

from zarrcore.errors import SelectionError
from zarrcore.metadata import ChunkAxis

Selection = SupportsIndex | slice | EllipsisType | tuple[SupportsIndex | slice | EllipsisType, ...]
"""The index in ``array[…]``."""

Crossing = tuple[int, slice, slice, bool]
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


def normalize(selection: Any, shape: tuple[int, ...]) -> tuple[AxisRange, ...]:
    """One range per dimension of an array of ``shape``.

    Raises:
        SelectionError: an index out of range, too many indices, or not a basic selection.

    >>> normalize((-1, slice(None, None, -2)), (4, 5))[1]
    AxisRange(start=0, step=2, count=3, flipped=True, dropped=False)
    """
    items = selection if isinstance(selection, tuple) else (selection,)
    ellipses = sum(item is Ellipsis for item in items)
    if ellipses > 1:
        raise SelectionError("a selection can contain only one '...'")
    given = len(items) - ellipses
    if given > len(shape):
        raise SelectionError(f"{given} indices for an array of {len(shape)} dimensions")
    everything = (slice(None),) * (len(shape) - given)
    if ellipses:
        position = next(i for i, item in enumerate(items) if item is Ellipsis)
        items = (*items[:position], *everything, *items[position + 1 :])
    else:
        items = (*items, *everything)
    return tuple(
        _axis(item, length, axis) for axis, (item, length) in enumerate(zip(items, shape, strict=True))
    )


def _axis(item: Any, length: int, axis: int) -> AxisRange:
    if isinstance(item, slice):
        try:
            start, stop, step = item.indices(length)
        except (TypeError, ValueError) as error:
            raise SelectionError(f"dimension {axis}: {error}") from error
        count = len(range(start, stop, step))
        if step > 0:
            return AxisRange(start, step, count)
        return AxisRange(start + (count - 1) * step if count else 0, -step, count, flipped=True)
    try:
        if isinstance(item, bool):
            raise TypeError("a boolean is not a basic index")
        index = operator.index(item)
    except TypeError as error:
        raise SelectionError(
            f"dimension {axis}: expected an integer, a slice or '...', found {item!r}"
        ) from error
    if not -length <= index < length:
        raise SelectionError(f"dimension {axis}: indices must be in [0, {length}), found {index}")
    return AxisRange(index % length, 1, 1, dropped=True)


def result_shape(ranges: Sequence[AxisRange]) -> tuple[int, ...]:
    """The shape of the selection."""
    return tuple(axis.count for axis in ranges if not axis.dropped)


def upwards(out: np.ndarray[Any, Any], ranges: Sequence[AxisRange]) -> np.ndarray[Any, Any]:
    """A view of ``out``, which has the selection's shape, with one dimension per range and every range ascending."""
    view: np.ndarray[Any, Any] = out[upwards_index(ranges)]
    return view


def upwards_index(ranges: Sequence[AxisRange]) -> tuple[Any, ...]:
    """The index that `upwards` applies."""
    downwards = slice(None, None, -1)
    index = (None if axis.dropped else downwards if axis.flipped else slice(None) for axis in ranges)
    return (*index, ...)


def crossings(axis: AxisRange, chunks: ChunkAxis) -> Iterator[Crossing]:
    """The chunks that a range crosses.

    >>> from zarrcore.metadata import RegularAxis
    >>> list(crossings(AxisRange(3, 2, 4), RegularAxis(5)))
    [(0, slice(3, 4, 2), slice(0, 1, None), False), (1, slice(0, 5, 2), slice(1, 4, None), False)]
    """
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
