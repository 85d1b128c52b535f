"""The axes of arrays in NXdata groups, as coordinates of their dimensions.

NeXus manual, base class NXdata: ``axes`` and ``AXISNAME_indices``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zarrcore.conventions.interface import Find
from zarrcore.conventions.nexus.layout import (
    DATA_CLASS,
    Layout,
    errors_names,
    field,
    layout_around,
    layout_of,
    nexus_class,
)
from zarrcore.errors import MetadataError


def find_axis(array: Any, axis: int, find: Find) -> Any | None:
    """The axis along a dimension of a signal of an NXdata group; None if there is none.

    It has as many elements as the dimension, or one more: then they are the edges of bins.

    Args:
        array: any array.
        axis: the dimension.
        find: returns the node at an absolute path.

    Raises:
        StoreError: the store failed.
    """
    around = layout_around(array, find)
    if around is None:
        return None
    group, layout = around
    if (
        array.name not in _plotted(layout)
        or tuple(array.shape) != tuple(layout.signal.shape)
        or not layout.axes[axis]
    ):
        return None
    node = field(group, layout.axes[axis], find)
    if node is None or node.kind != "array" or node.path == array.path:
        return None
    return node if node.ndim == 1 and node.shape[0] - array.shape[axis] in (0, 1) else None


def further_axes(array: Any, find: Find) -> dict[str, tuple[int, ...]]:
    """Axes of a signal beside those along its dimensions, by name: the dimensions that each spans, in the order of its own.

    Such are the places of scattered points, and axes that span several dimensions.

    Args:
        array: any array; only a signal of an NXdata group, and what is plotted with it, has some.
        find: returns the node at an absolute path.

    Raises:
        StoreError: the store failed.
    """
    around = layout_around(array, find)
    if around is None or tuple(array.shape) != tuple(around[1].signal.shape):
        return {}
    layout = around[1]
    return {name: layout.dimensions[name] for name in layout.others} if array.name in _plotted(layout) else {}


def _plotted(layout: Layout) -> tuple[str, ...]:
    """The names of the signal and of the arrays that are plotted with it."""
    return (layout.signal.name, *layout.auxiliary, *errors_names(layout.signal.name))


def names_in_data(array: Any, find: Find) -> list[str | None] | None:
    """The names of the dimensions of an array in an NXdata group, as those of the axes along them; None for other arrays.

    Edges of bins are one more than the elements between them: such an axis names the dimension of the signal, not its own.

    Args:
        array: any array.
        find: returns the node at an absolute path.

    Raises:
        StoreError: the store failed.
    """
    around = layout_around(array, find)
    if around is None:
        return None
    signal, layout = around[1].signal, around[1]
    axes = [find_axis(signal, axis, find) for axis in range(signal.ndim)]
    of_signal = [None if axis is None else str(axis.name) for axis in axes]
    if array.name in _plotted(layout):
        return of_signal if tuple(array.shape) == tuple(signal.shape) else None
    for name, spans in layout.dimensions.items():
        lengths = tuple(signal.shape[dimension] for dimension in spans)
        if array.name in (name, errors_names(name)[0]) and tuple(array.shape) == lengths:
            return [of_signal[dimension] for dimension in spans]
    return None


def dimension_names(
    group: Any, arrays: Mapping[str, Any]
) -> tuple[dict[str, tuple[str | None, ...]], tuple[str, ...]]:
    """The names of dimensions of arrays of an NXdata group, by array: each dimension has the name of its axis.

    A dimension with one element less, whose axis holds the edges of bins, has a name of its own. Also returns the names of
    further axes, such as those that span several dimensions. A group without a signal names none.

    Args:
        group: any group.
        arrays: all its arrays that can be opened, by name.
    """
    if nexus_class(group) != DATA_CLASS:
        return {}, ()
    try:
        layout = layout_of(group, lambda path: arrays.get(path.rpartition("/")[2]), [*arrays.values()])
    except MetadataError:
        return {}, ()
    told = zip(layout.axes, layout.signal.shape, strict=True)
    of_signal = tuple(_dimension_name(name, length, arrays) for name, length in told)
    named = dict.fromkeys(
        (layout.signal.name, *layout.auxiliary, *errors_names(layout.signal.name)), of_signal
    )
    for name, spans in layout.dimensions.items():
        is_along = len(spans) == 1 and layout.axes[spans[0]] == name and of_signal[spans[0]] is not None
        of_axis = (name,) if is_along else tuple(of_signal[dimension] for dimension in spans)
        named |= {name: of_axis, errors_names(name)[0]: of_axis}
    return named, layout.others


def _dimension_name(axis: str, length: int, arrays: Mapping[str, Any]) -> str | None:
    """The name of a dimension of a signal; None where a dataset could not have that of its axis."""
    if axis not in arrays:
        return axis or None
    bins = f"{axis}_bins"
    if arrays[axis].ndim != 1 or bins in arrays:
        return None
    return {0: axis, 1: bins}.get(arrays[axis].shape[0] - length)
