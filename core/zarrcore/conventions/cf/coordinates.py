"""Coordinate variables: where they are, and their values.

CF conventions, 4 "Coordinate Types" and 5 "Coordinate Systems and Domain": a one-dimensional array with the name of its dimension
holds the coordinates. CF, 2.7 "Groups", and xarray's trees of datasets: those of the groups above count, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.conventions.cf.packing import packing_of
from zarrcore.conventions.cf.times import decode_times, shortest
from zarrcore.conventions.interface import Find
from zarrcore.conventions.values import text
from zarrcore.errors import NodeNotFoundError, SelectionError


def find_coordinate(array: Any, axis: int, find: Find) -> Any | None:
    """The coordinate variable of a dimension, from the group of the array or the nearest group above; None if there is none.

    Args:
        array: an array with names of dimensions, or another node at its path.
        axis: the dimension.
        find: returns the node at an absolute path.

    Raises:
        StoreError: the store failed.
    """
    name, length = array.dimension_names[axis], array.shape[axis]
    group = array.path.rpartition("/")[0]
    while name:
        try:
            node = find(f"{group}/{name}")
        except (NodeNotFoundError, SelectionError):
            node = None
        if node is not None and node.kind == "array" and tuple(node.shape) == (length,):
            return node
        if not group:
            break
        group = group.rpartition("/")[0]
    return None


def coordinate_values(array: Any) -> tuple[NDArray[Any], str]:
    """The elements of an array as coordinates, and their unit.

    They are unpacked; times become datetime64, or texts in calendars that NumPy does not have, and have no unit.

    Raises:
        ZarrError: the array cannot be read.
    """
    values, units = np.asarray(array.read()), text(array.attributes.get("units"))
    packing = packing_of(array)
    if packing is not None:
        values = packing.unpacked(values)
    dates = decode_times(values, units, text(array.attributes.get("calendar")))
    if dates is not None:
        return dates, ""
    if values.dtype.kind == "M":
        return shortest(values), ""
    return (values.astype(np.int8) if values.dtype.kind == "b" else values), units
