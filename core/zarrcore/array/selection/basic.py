"""Basic selections as in NumPy: integers, slices with any step, and ``...``."""

from __future__ import annotations

import operator
from types import EllipsisType
from typing import Any, SupportsIndex

from zarrcore.array.selection.axes import AxisRange
from zarrcore.errors import SelectionError

BasicSelection = SupportsIndex | slice | EllipsisType | tuple[SupportsIndex | slice | EllipsisType, ...]
"""Integers, slices and ``...``."""


def normalize(selection: Any, shape: tuple[int, ...]) -> tuple[AxisRange, ...]:
    """One range per dimension of an array of ``shape``.

    Raises:
        SelectionError: an index out of range, too many indices, or not a basic selection.

    >>> normalize((-1, slice(None, None, -2)), (4, 5))[1]
    AxisRange(start=0, step=2, count=3, flipped=True, dropped=False)
    """
    items = items_of(selection, len(shape))
    return tuple(
        basic_axis(item, length, axis) for axis, (item, length) in enumerate(zip(items, shape, strict=True))
    )


def items_of(selection: Any, ndim: int) -> tuple[Any, ...]:
    """One item per dimension: ``...`` and missing ones are replaced by slices of everything.

    Raises:
        SelectionError: too many indices, or more than one ``...``.
    """
    items = selection if isinstance(selection, tuple) else (selection,)
    ellipses = [position for position, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise SelectionError("a selection can contain only one '...'")
    given = len(items) - len(ellipses)
    if given > ndim:
        raise SelectionError(f"{given} indices for an array of {ndim} dimensions")
    position = ellipses[0] if ellipses else given
    return (*items[:position], *(slice(None),) * (ndim - given), *items[position + len(ellipses) :])


def basic_axis(item: Any, length: int, axis: int) -> AxisRange:
    """The indices that an integer or a slice selects in a dimension.

    Raises:
        SelectionError: an index out of range, or another item.
    """
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
            f"dimension {axis}: expected an integer, a slice, '...' or an array, found {item!r}"
        ) from error
    if not -length <= index < length:
        raise SelectionError(f"dimension {axis}: indices must be in [0, {length}), found {index}")
    return AxisRange(index % length, 1, 1, dropped=True)
