"""Point selections as in NumPy: one array of integers per dimension, broadcast against each other, or a mask.

Points have no order, so they are sorted by the unit of decoding that contains them. Then each unit is decoded once, and its
points are one slice of the sorted result. All of this takes memory per point, not per unit of the array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zarrcore.errors import SelectionError

PointSelection = ArrayLike | tuple[ArrayLike, ...]
"""The index in ``array.vindex[…]``."""


@dataclass(frozen=True, slots=True)
class Points:
    """Selected elements."""

    positions: tuple[NDArray[np.intp], ...]
    """Their indices per dimension, none of them negative, which broadcast to ``shape``."""
    shape: tuple[int, ...]
    """The shape of the result."""

    @property
    def count(self) -> int:
        """How many points there are."""
        return math.prod(self.shape)

    def flat(self, values: NDArray[np.intp]) -> NDArray[np.intp]:
        """One value per point, in C order, of values that broadcast to ``shape``."""
        return np.broadcast_to(values, self.shape).reshape(-1)


class PointIndexer:
    """``array.vindex``: reads points.

    Args:
        read: returns the elements of a point selection as an array.
    """

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[PointSelection], np.ndarray[Any, Any]]) -> None:
        self._read = read

    def __getitem__(self, selection: PointSelection) -> Any:
        """The selected elements: an array, or a scalar if an integer selects in every dimension."""
        result = self._read(selection)
        return result if result.ndim else result[()]


def normalize_points(selection: PointSelection, shape: tuple[int, ...]) -> Points:
    """The selected points of an array of ``shape``.

    Raises:
        SelectionError: an index out of range, not one index per dimension, indices that are not integers or do not
            broadcast, or a mask of another shape.

    >>> normalize_points(([0, -1], 2), (4, 5))
    Points(positions=(array([0, 3]), array(2)), shape=(2,))
    """
    items = selection if isinstance(selection, tuple) else (selection,)
    arrays = [_as_array(item, axis) for axis, item in enumerate(items)]
    if len(arrays) == 1 and arrays[0].dtype == bool:
        return _masked(arrays[0], shape)
    if len(arrays) != len(shape):
        raise SelectionError(f"expected {len(shape)} indices, one per dimension, found {len(arrays)}")
    positions = tuple(map(_positions, arrays, shape, range(len(shape))))
    try:
        return Points(positions, np.broadcast_shapes(*(array.shape for array in positions)))
    except ValueError as error:
        raise SelectionError(f"the indices do not broadcast: {error}") from error


def _as_array(item: Any, axis: int) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(item)
    except ValueError as error:  # lists of different lengths
        raise SelectionError(f"dimension {axis}: {error}") from error
    if array.size == 0 and not isinstance(item, np.ndarray):
        array = array.astype(np.intp)  # as in NumPy, an empty list is one of integers
    # Large integers of Python become objects, and `_positions` says that they are out of range.
    if array.dtype.kind not in "iub" and not isinstance(item, int):
        found = type(item).__name__ if array.dtype == object else array.dtype
        raise SelectionError(f"dimension {axis}: expected an integer or an array of integers, found {found}")
    return array


def _masked(mask: NDArray[np.bool_], shape: tuple[int, ...]) -> Points:
    if mask.shape != shape:
        raise SelectionError(f"expected a mask of shape {shape}, found one of {mask.shape}")
    return Points(np.nonzero(mask) if shape else (), (int(np.count_nonzero(mask)),))


def _positions(indices: np.ndarray[Any, Any], length: int, axis: int) -> NDArray[np.intp]:
    if indices.dtype == bool:
        raise SelectionError(f"dimension {axis}: a mask must be the only index")
    # As integers of Python, because NumPy cannot compare the largest unsigned ones with a negative one.
    for index in (int(indices.min()), int(indices.max())) if indices.size else ():
        if not -length <= index < length:
            raise SelectionError(f"dimension {axis}: indices must be in [0, {length}), found {index}")
    positions = indices.astype(np.intp)
    positions[positions < 0] += length
    return positions


def group_points(
    units: Iterable[tuple[NDArray[np.intp], int]], points: Points
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The points sorted by unit, as positions in C order, and where each unit's points begin and the last one's end.

    Args:
        units: per dimension, the indices of the units that contain the points, and how many units there are. In all
            dimensions, there are fewer than 2⁶³.
        points: at least one.

    >>> group_points([(np.array([2, 0, 2]), 3)], Points((np.array([25, 3, 21]),), (3,)))[1]
    array([0, 1, 3])
    """
    number = np.zeros((), np.intp)
    for indices, count in units:
        number = number * count + indices
    number = points.flat(number)
    order = np.argsort(number)
    begins = np.flatnonzero(np.diff(number[order])) + 1
    return order, np.concatenate(([0], begins, [len(order)]))
