"""The selections of ``array[…]``: basic ones, outer ones, and points, told apart as in zarr-python.

https://zarr.readthedocs.io/en/stable/user-guide/arrays/#advanced-indexing. Where zarr-python accepts a selection, its meaning
is the same here. It differs from NumPy's in two cases: if an array is separated from an integer by a slice, the dimension of the
array stays where it is; and several masks are combined as by ``oindex``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.array.selection.basic import BasicSelection, normalize
from zarrcore.array.selection.outer import Outer, OuterSelection, is_index_array, normalize_outer
from zarrcore.array.selection.points import Points, PointSelection, index_array, normalize_points
from zarrcore.errors import SelectionError

Selection = BasicSelection | OuterSelection | PointSelection
"""The index in ``array[…]``."""


def normalize_any(selection: Any, shape: tuple[int, ...]) -> Outer | Points:
    """A selection of an array of ``shape``.

    - Integers, slices and ``...`` are a basic selection.
    - One array of integers, or mask of a dimension, beside them is an outer selection, and so are masks for all dimensions.
    - Arrays of integers, or integers, for all dimensions are points, and so are the true elements of a mask of ``shape``.

    Raises:
        SelectionError: an index out of range, or another selection: ``oindex`` and ``vindex`` say which one is meant.
    """
    items = selection if isinstance(selection, tuple) else (selection,)
    arrays = {
        position: index_array(item, position) for position, item in enumerate(items) if is_index_array(item)
    }
    if not arrays:
        return Outer(normalize(selection, shape))
    items = tuple(arrays.get(position, item) for position, item in enumerate(items))
    if _are_points(items, arrays, shape):
        return normalize_points(items, shape)
    if len(arrays) > 1 and not (len(arrays) == len(items) == len(shape)):
        raise SelectionError(
            "several arrays beside slices may mean two things: use oindex to combine each index of one with each of the "
            "others, or vindex with one array per dimension to select points"
        )
    return normalize_outer(items, shape)


def _are_points(
    items: tuple[Any, ...], arrays: dict[int, NDArray[np.intp] | NDArray[np.bool_]], shape: tuple[int, ...]
) -> bool:
    if any(array.dtype == bool for array in arrays.values()):
        return len(items) == 1 and len(shape) != 1 and items[0].shape == shape
    return len(items) == len(shape) and not any(isinstance(item, slice) or item is Ellipsis for item in items)
