"""Dimension scales, written as the HDF5 library and NetCDF-4 would.

Specification: HDF5, "HDF5 Dimension Scales". The library's own functions rewrite a scale's list of users with each of them; here
it is written once, where it fits the early file format (readers of NetCDF do not look at it).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import h5py
import numpy as np

from zarrcore.filetypes.hdf5.attributes import space
from zarrcore.filetypes.hdf5.dimensions import Dimension, Dimensions

_LIST: Final = h5py.vlen_dtype(h5py.ref_dtype)
_MAX_USERS: Final = 2000
_NO_COORDINATE: Final = "This is a netCDF dimension but not a netCDF variable. %10d"


def write_scales(group: Any, dimensions: Dimensions, datasets: Mapping[str, Any]) -> None:
    """Make the dimension scales of a group and attach them.

    Args:
        group: the `h5py.h5g.GroupID`.
        dimensions: those of its arrays.
        datasets: the `h5py.h5d.DatasetID` of each array by its name, as far as there is one.
    """
    references: dict[Dimension, Any] = {}
    scales: dict[Dimension, Any] = {}
    lists = {name: attached for name, attached in dimensions.of.items() if name in datasets}
    needed = {dimension for attached in lists.values() for dimension in attached}
    for dimension, name in dimensions.names.items():
        if dimension not in needed and name not in dimensions.coordinates & datasets.keys():
            continue
        scale = datasets.get(name) if name in dimensions.coordinates else None
        told = name if scale is not None else _NO_COORDINATE % dimension[1]
        if scale is None:
            scale = _without_coordinate(group, name, dimension[1])
        h5py.h5ds.set_scale(scale, told.encode())
        scales[dimension] = scale
        references[dimension] = h5py.h5r.create(scale, b".", h5py.h5r.OBJECT)
    users: dict[Dimension, list[tuple[Any, int]]] = {dimension: [] for dimension in scales}
    values = {
        attached: _reference_list([references[dimension] for dimension in attached])
        for attached in set(lists.values())
    }
    kind = h5py.h5t.py_create(_LIST, logical=True)
    for name, attached in lists.items():
        value = values[attached]
        h5py.h5a.create(datasets[name], b"DIMENSION_LIST", kind, space(value.shape)).write(value)
        reference = h5py.h5r.create(datasets[name], b".", h5py.h5r.OBJECT)
        for axis, dimension in enumerate(attached):
            users[dimension].append((reference, axis))
    for dimension, scale in scales.items():
        if 0 < len(users[dimension]) <= _MAX_USERS:
            _write_users(scale, users[dimension])


def _without_coordinate(group: Any, name: str, length: int) -> Any:
    """The scale of a dimension that has a length and nothing else; it takes no room."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_layout(h5py.h5d.CONTIGUOUS)
    properties.set_obj_track_times(False)
    return h5py.h5d.create(group, name.encode(), h5py.h5t.IEEE_F32BE, space((length,)), properties)


def _reference_list(references: list[Any]) -> np.ndarray[Any, Any]:
    """What a dataset says of its scales: for each dimension a list, here of one."""
    value = np.empty(len(references), _LIST)
    for axis, reference in enumerate(references):
        value[axis] = np.array([reference], h5py.ref_dtype)
    return value


def _write_users(scale: Any, users: list[tuple[Any, int]]) -> None:
    value = np.array(users, [("dataset", h5py.ref_dtype), ("dimension", "<i4")])
    kind = h5py.h5t.py_create(value.dtype, logical=True)
    h5py.h5a.create(scale, b"REFERENCE_LIST", kind, space(value.shape)).write(value)
