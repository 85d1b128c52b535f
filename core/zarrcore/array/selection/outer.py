"""Outer selections, also called orthogonal: each of the indices of one dimension is combined with each of the others.

A dimension is selected by an integer, a slice, an array of integers in any order, or a mask of the dimension's length.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zarrcore.array.selection.axes import Axis, axis_of, result_shape
from zarrcore.array.selection.basic import basic_axis, items_of
from zarrcore.array.selection.points import index_array, positions_in
from zarrcore.errors import SelectionError
from zarrcore.typing import AnyArray

OuterSelection = (
    SupportsIndex
    | slice
    | EllipsisType
    | ArrayLike
    | tuple[SupportsIndex | slice | EllipsisType | ArrayLike, ...]
)
"""The index in ``array.oindex[…]``."""


@dataclass(frozen=True, slots=True, eq=False)
class Rearranged:
    """Indices of one dimension that are not ascending, or occur twice."""

    places: NDArray[np.intp]
    """For each of them, its place among the ascending ones."""
    last: NDArray[np.intp]
    """For each ascending one, where it is last among them: as in NumPy, the last of several values stays."""


@dataclass(frozen=True, slots=True, eq=False)
class Outer:
    """A selection that combines the indices of all dimensions."""

    axes: tuple[Axis, ...]
    """The selected indices by dimension."""
    rearranged: tuple[Rearranged | None, ...] = ()
    """How they are rearranged, by dimension of the result; empty if they are not."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        shape = result_shape(self.axes)
        for dimension, order in enumerate(self.rearranged):
            if order is not None:
                shape = (*shape[:dimension], len(order.places), *shape[dimension + 1 :])
        return shape

    def arrange(self, found: AnyArray) -> AnyArray:
        """The result, given the selected elements in ascending order."""
        for dimension, order in enumerate(self.rearranged):
            if order is not None:
                found = found.take(order.places, dimension)
        return found

    def ascending(self, values: AnyArray) -> AnyArray:
        """The values to write in ascending order, given values of the result's shape."""
        for dimension, order in enumerate(self.rearranged):
            if order is not None:
                values = values.take(order.last, dimension)
        return values


def normalize_outer(selection: OuterSelection, shape: tuple[int, ...]) -> Outer:
    """The outer selection of an array of ``shape``.

    Raises:
        SelectionError: an index out of range, too many indices, an index array of several dimensions, a mask of another
            length than its dimension, or another item.

    >>> outer = normalize_outer(([3, 0, 3], -1, slice(2)), (4, 5, 6))
    >>> outer.axes[0], outer.shape, outer.rearranged[0].places
    (AxisRange(start=0, step=3, count=2, flipped=False, dropped=False), (3, 2), array([1, 0, 1]))
    """
    axes: list[Axis] = []
    rearranged: list[Rearranged | None] = []
    for dimension, (item, length) in enumerate(zip(items_of(selection, len(shape)), shape, strict=True)):
        axis, order = _axis(item, length, dimension)
        axes.append(axis)
        if not axis.dropped:
            rearranged.append(order)
    return Outer(tuple(axes), tuple(rearranged) if any(rearranged) else ())


def is_index_array(item: Any) -> bool:
    """Whether an item of a selection is an array of indices, or a mask, and neither an integer nor a slice."""
    if isinstance(item, slice | EllipsisType | str | bytes | None):
        return False
    ndim = getattr(item, "ndim", None)
    return hasattr(item, "__len__") if ndim is None else ndim > 0


def _axis(item: Any, length: int, dimension: int) -> tuple[Axis, Rearranged | None]:
    if not is_index_array(item):
        return basic_axis(item, length, dimension), None
    indices = index_array(item, dimension)
    if indices.ndim != 1:
        raise SelectionError(
            f"dimension {dimension}: an array that selects in one dimension must have one, found {indices.ndim}"
        )
    if indices.dtype == bool:
        if len(indices) != length:
            raise SelectionError(
                f"dimension {dimension}: expected a mask of length {length}, found {len(indices)}"
            )
        return axis_of(np.flatnonzero(indices)), None
    return _ascending(positions_in(indices, length, dimension))


def _ascending(positions: NDArray[np.intp]) -> tuple[Axis, Rearranged | None]:
    if (np.diff(positions) > 0).all():
        return axis_of(positions), None
    found, last, places = np.unique(positions[::-1], return_index=True, return_inverse=True)
    return axis_of(found), Rearranged(places[::-1], len(positions) - 1 - last)
