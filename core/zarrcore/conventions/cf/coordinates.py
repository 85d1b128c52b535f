"""Coordinate variables: where they are, and their values.

CF conventions, 4 "Coordinate Types" and 5 "Coordinate Systems and Domain": a one-dimensional array with the name of its dimension
holds the coordinates. CF, 2.7 "Groups", and xarray's trees of datasets: those of the groups above count, too.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

import numpy as np

from zarrcore.conventions.cf.packing import packing_of
from zarrcore.conventions.cf.times import decode_times, shortest
from zarrcore.conventions.interface import Find
from zarrcore.conventions.units import LATITUDES, LONGITUDES
from zarrcore.conventions.values import text
from zarrcore.errors import NodeNotFoundError, SelectionError
from zarrcore.typing import AnyArray

_EVEN: Final = 1e-3
"""How far a coordinate may be from its place in an even grid, in steps: coordinates are often stored as float32."""


class Direction(Enum):
    """Where greater coordinates lie: on a map with the north at its top, or in a vertical section."""

    UP = "up"
    DOWN = "down"
    RIGHT = "right"


_NORTHWARD: Final = ("lat", "latitude", "grid_latitude", "projection_y_coordinate")
_EASTWARD: Final = ("lon", "longitude", "grid_longitude", "projection_x_coordinate")
_PRESSURES: Final = ("Pa", "hPa", "mb", "mbar", "millibar", "bar", "decibar", "dbar", "atm", "atmosphere")


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


def direction_of(coordinate: Any) -> Direction | None:
    """Where greater coordinates lie on a map or in a section; None if that is not told.

    CF conventions 4.1 "Latitude Coordinate", 4.2 "Longitude Coordinate", 4.3 "Vertical (Height or Depth) Coordinate": heights and
    depths have the attribute ``positive``, which is "down" for pressures by default.

    Args:
        coordinate: a one-dimensional array of coordinates.
    """
    attributes = coordinate.attributes
    units, axis = text(attributes.get("units")), text(attributes.get("axis")).upper()
    name = text(attributes.get("standard_name")) or coordinate.name.lower()
    positive = text(attributes.get("positive")).lower()
    if positive in ("up", "down"):
        return Direction(positive)
    if units in LATITUDES or axis == "Y" or name in _NORTHWARD:
        return Direction.UP
    if units in LONGITUDES or axis == "X" or name in _EASTWARD:
        return Direction.RIGHT
    return Direction.DOWN if units in _PRESSURES else None


def is_latitude(coordinate: Any) -> bool:
    """Whether an array holds latitudes, not those of a rotated pole."""
    return _is_angle(coordinate, "latitude", LATITUDES)


def is_longitude(coordinate: Any) -> bool:
    """Whether an array holds longitudes, not those of a rotated pole."""
    return _is_angle(coordinate, "longitude", LONGITUDES)


def _is_angle(coordinate: Any, name: str, spellings: tuple[str, ...]) -> bool:
    attributes = coordinate.attributes
    standard_name, units = text(attributes.get("standard_name")), text(attributes.get("units"))
    if standard_name:
        return standard_name == name
    is_named = coordinate.name.lower() in (name, name[:3])
    return units in spellings or (is_named and units in ("", "degrees", "degree"))


def coordinate_values(array: Any) -> tuple[AnyArray, str]:
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


def even_spacing(values: AnyArray) -> tuple[float, float] | None:
    """The first of evenly spaced numbers, and their distance, which is not 0; None for other values, and for fewer than two.

    >>> even_spacing(np.array([2.0, 1.5, 1.0])), even_spacing(np.array([0, 1, 5]))
    ((2.0, -0.5), None)
    """
    if values.dtype.kind not in "iuf" or values.size < 2:
        return None
    numbers = values.astype(np.float64)
    step = (numbers[-1] - numbers[0]) / (numbers.size - 1)
    if not np.isfinite(step) or step == 0:
        return None
    even = numbers[0] + step * np.arange(numbers.size)
    return (float(numbers[0]), float(step)) if np.abs(numbers - even).max() <= _EVEN * abs(step) else None
