"""Stored elements that mean "missing".

CF conventions 2.5.1, "Missing data": the attributes ``_FillValue`` and ``missing_value`` name them. xarray has two ways. In
Zarr v2, the array's fill value is its ``_FillValue``, whatever the attributes say, unless it is null. In Zarr v3, only the
attributes count, and a float is the base64 of a little-endian float64.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from zarrcore.conventions.cf.signedness import kind_of, reinterpreted_type
from zarrcore.conventions.values import items, number, numbers
from zarrcore.stores.virtual.missing_float import missing_float
from zarrcore.typing import AnyArray

if TYPE_CHECKING:
    from zarrcore.hierarchy import ArrayNode

_NAMES = ("_FillValue", "missing_value")


def missing_values_of(array: Any) -> dict[str, AnyArray]:
    """The missing values of an array, as `missing_values`."""
    fill = array.fill_value if array.fill_value_is_missing else None
    return missing_values(array.attributes, array.dtype, fill)


def missing_values(
    attributes: Mapping[str, Any], dtype: np.dtype[Any], fill_value: Any = None
) -> dict[str, AnyArray]:
    """The missing values of an array, by the attribute that names them, in the type of its elements.

    Args:
        attributes: attributes of the array.
        dtype: a type of integers or floats; other types have no missing values.
        fill_value: the array's fill value, if it is a missing value; it replaces the attribute ``_FillValue``.

    Returns:
        One value, or a list if the attribute is a list. Values that the type cannot hold are left out, unless the attribute
        ``_Unsigned`` says that elements are reinterpreted as a type that can.

    >>> {name: value.tolist() for name, value in missing_values({"missing_value": [-1, 300]}, np.dtype("i1")).items()}
    {'missing_value': [-1]}
    """
    if dtype.kind not in "iuf":
        return {}
    kind = kind_of(attributes, dtype)
    other = None if kind is None else reinterpreted_type(dtype, kind)
    found = {name: _of_type(attributes.get(name), dtype, other) for name in _NAMES}
    if fill_value is not None:
        found["_FillValue"] = np.asarray(fill_value).astype(dtype)
    return {name: value for name, value in found.items() if value is not None}


def attributes_in_zarr_v3(array: ArrayNode) -> Mapping[str, Any]:
    """The attributes of an array of any format, with its missing value where xarray looks for it in Zarr v3.

    Floats become base64, since xarray opens no array of floats of Zarr v3 with another ``_FillValue``. Attributes of Zarr v3
    stay as they are.
    """
    missing = missing_values_of(array).get("_FillValue")
    if array.hierarchy.format.name == "v3" or missing is None or missing.ndim:
        return array.attributes
    if array.dtype.kind == "f":
        return {**array.attributes, "_FillValue": missing_float(float(missing))}
    if array.fill_value_is_missing:
        return {**array.attributes, "_FillValue": int(missing)}
    return array.attributes


def valid_range_of(attributes: Mapping[str, Any]) -> tuple[float, float] | None:
    """The least and the greatest valid number that attributes name, ±inf without one of them; None without both.

    CF conventions 2.5.1: ``valid_range``, or ``valid_min`` and ``valid_max``.

    >>> valid_range_of({"valid_min": 0})
    (0, inf)
    """
    told = items(attributes.get("valid_range"))
    if numbers(told, 2) is not None:
        return told[0], told[1]
    bounds: list[Any] = [attributes.get("valid_min"), attributes.get("valid_max")]
    low, high = (
        none if number(bound) is None else bound
        for bound, none in zip(bounds, (-math.inf, math.inf), strict=True)
    )
    return None if (low, high) == (-math.inf, math.inf) else (low, high)


def _of_type(told: Any, dtype: np.dtype[Any], other: np.dtype[Any] | None) -> AnyArray | None:
    if isinstance(told, list | tuple):
        values = [value for one in told if (value := _one_of_types(one, dtype, other)) is not None]
        return np.stack(values) if values else None
    return _one_of_types(told, dtype, other)


def _one_of_types(value: Any, dtype: np.dtype[Any], other: np.dtype[Any] | None) -> AnyArray | None:
    """A missing value in the type of the elements, which may be told in the type as which they are reinterpreted."""
    found = _one_of_type(value, dtype)
    if found is None and other is not None:
        reinterpreted = _one_of_type(value, other)
        return None if reinterpreted is None else reinterpreted.view(dtype)
    return found


def _one_of_type(value: Any, dtype: np.dtype[Any]) -> AnyArray | None:
    """A missing value in the type of the elements; None if the type cannot hold it."""
    if isinstance(value, str) and dtype.kind == "f":
        try:  # xarray's spelling in Zarr v3
            (value,) = struct.unpack("<d", base64.b64decode(value, validate=True))
        except (binascii.Error, ValueError, struct.error):
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(value).astype(dtype)
    except (OverflowError, TypeError, ValueError):
        return None
    return found if dtype.kind == "f" or found == value else None
