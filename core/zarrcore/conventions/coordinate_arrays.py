"""The array with the coordinates of a dimension, whichever convention names it."""

from __future__ import annotations

from typing import Any

from zarrcore.conventions.cf.coordinates import find_coordinate
from zarrcore.conventions.interface import Find
from zarrcore.conventions.nexus.axes import find_axis


def coordinate_array(array: Any, axis: int, find: Find) -> Any | None:
    """The coordinate variable of a dimension (CF), or the axis along it (NeXus); None if there is neither.

    An axis of NeXus may have one element more than the dimension: the edges of bins.

    Args:
        array: an array.
        axis: the dimension.
        find: returns the node at an absolute path.

    Raises:
        StoreError: the store failed.
    """
    is_named = array.dimension_names is not None and array.dimension_names[axis]
    found = find_coordinate(array, axis, find) if is_named else None
    return find_axis(array, axis, find) if found is None else found
