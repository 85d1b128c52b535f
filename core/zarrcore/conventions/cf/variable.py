"""Variables and datasets of CF.

CF conventions, 2 "NetCDF Files and Components", 3 "Description of the Data", 4 "Coordinate Types". An array is recognised by
attributes that CF defines, a group by its attribute ``Conventions``. xarray does not write this one: see `dataset_of_children`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import numpy as np

from zarrcore.conventions.axis import Axis
from zarrcore.conventions.cf.coordinates import find_coordinate
from zarrcore.conventions.cf.dataset import TITLE, is_coordinate, read_dataset, titled, version_of
from zarrcore.conventions.cf.flags import flags_of
from zarrcore.conventions.cf.missing_values import missing_values_of, valid_range_of
from zarrcore.conventions.cf.packing import Packing, packing_of
from zarrcore.conventions.cf.signedness import kind_of, reinterpreted_bound
from zarrcore.conventions.cf.times import is_time
from zarrcore.conventions.geo.georeference import georeference_of
from zarrcore.conventions.interface import Convention, Find
from zarrcore.conventions.signs import OF_CF
from zarrcore.conventions.units import LATITUDES, LONGITUDES
from zarrcore.conventions.values import mapping, text
from zarrcore.conventions.variable import Dataset, Variable

_MOST_CHILDREN: Final = 200
_KINDS: Final = {"X": "longitude", "Y": "latitude", "Z": "vertical", "T": "time"}
"""The kinds of axes, by the attribute ``axis``."""
_KIND_OF_UNIT: Final = {**dict.fromkeys(LATITUDES, "latitude"), **dict.fromkeys(LONGITUDES, "longitude")}


def _recognise(node: Any) -> str | None:
    if node.kind == "group":
        return Dataset.kind if version_of(node.attributes) is not None else None
    if node.kind != "array" or not any(_says_something(node.attributes.get(sign)) for sign in OF_CF):
        return None
    return Variable.kind if node.dimension_names or "standard_name" in node.attributes else None


def _says_something(value: Any) -> bool:
    """Whether an attribute says something."""
    return isinstance(value, str | int | float | list | tuple) and value not in ("", [], ())


def _read(node: Any, find: Find) -> Variable | Dataset:
    return read_dataset(node) if node.kind == "group" else read_variable(node, find)


def read_variable(array: Any, find: Find) -> Variable:
    """The variable of an array, with the kinds and units of its dimensions' coordinates.

    Raises:
        ZarrError: a coordinate variable cannot be read.
        StoreError: the store failed.
    """
    attributes = array.attributes
    packing = packing_of(array)
    listed = [np.ravel(told) for told in missing_values_of(array).values()]
    missing = [value for told in listed for value in (packing or Packing()).reinterpreted(told).tolist()]
    parent = find(array.path.rpartition("/")[0] or "/")
    return Variable(
        titled(mapping(getattr(parent, "attributes", {}))),
        text(attributes.get("standard_name")) or array.name,
        text(attributes.get("long_name")),
        text(attributes.get("units")),
        tuple(_axis(array, axis, find) for axis in range(array.ndim)),
        tuple(array.shape),
        is_coordinate(array),
        text(attributes.get("calendar")),
        packing.scale if packing else 1.0,
        packing.offset if packing else 0.0,
        tuple(dict.fromkeys(value for value in missing if not _is_nan(value))),
        _valid_range(array),
        flags_of(attributes),
        tuple(text(attributes.get("coordinates")).split()),
        text(attributes.get("bounds")),
        text(attributes.get("cell_methods")),
        None if is_coordinate(array) else georeference_of(array, find),
        kind_of(attributes, array.dtype),
    )


def _valid_range(array: Any) -> tuple[float, float] | None:
    valid, kind = valid_range_of(array.attributes), kind_of(array.attributes, array.dtype)
    if valid is None or kind is None:
        return valid
    low, high = (reinterpreted_bound(bound, array.dtype, kind) for bound in valid)
    return low, high


def _is_nan(value: Any) -> bool:
    """Whether a value is NaN, which means "missing" anyway."""
    return isinstance(value, float) and math.isnan(value)


def _axis(array: Any, axis: int, find: Find) -> Axis:
    """A dimension, as its coordinate variable describes it."""
    name = array.dimension_names[axis] if array.dimension_names else None
    if not name:
        return Axis(name)
    is_itself = array.ndim == 1 and name == array.name
    coordinate = array if is_itself else find_coordinate(array, axis, find)
    if coordinate is None:
        return Axis(name)
    attributes = coordinate.attributes
    units = text(attributes.get("units"))
    kind = (
        _KINDS.get(text(attributes.get("axis")).upper())
        or _KIND_OF_UNIT.get(units)
        or ("time" if is_time(units) else "")
        or ("vertical" if attributes.get("positive") else "")
    )
    return Axis(name, kind, units, text(attributes.get("long_name")))


def dataset_of_children(group: Any) -> Dataset | None:
    """The dataset that a group without ``Conventions`` is, as xarray writes it, to judge by its arrays; None if it is not one.

    At least one array must be the coordinates of a dimension, or have attributes of CF and named dimensions. A group with more
    than 200 children is not looked at, because each of them may take a request.

    Raises:
        ListingUnsupportedError: the store cannot list.
        StoreError: the store failed.
    """
    if group.kind != "group" or len([*islice(group.child_names(), _MOST_CHILDREN + 1)]) > _MOST_CHILDREN:
        return None
    children = [*group.children()]
    arrays = [child for child in children if child.kind == "array"]
    has_signs = any(_recognise(array) is not None for array in arrays)
    if not has_signs and not any(is_coordinate(array) for array in arrays):
        return None
    return replace(read_dataset(group, children), convention=TITLE if has_signs else "xarray")


CF: Final = Convention(
    "cf",
    TITLE,
    "https://cfconventions.org/cf-conventions/cf-conventions.html",
    (Dataset.kind, Variable.kind),
    _recognise,
    _read,
)
