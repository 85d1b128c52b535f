"""Dimension scales, written as the HDF5 library and NetCDF-4 would.

Specification: HDF5, "HDF5 Dimension Scales". The library's own functions rewrite a scale's list of users with each of them; here
it is written once, where it fits the early file format (readers of NetCDF do not look at it).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import h5py
import numpy as np

from zarrcore.filetypes.hdf5.attributes import space
from zarrcore.filetypes.hdf5.dimensions import Dimension, Dimensions

_LIST: Final = h5py.vlen_dtype(h5py.ref_dtype)
_MAX_USERS: Final = 2000
_NO_COORDINATE: Final = "This is a netCDF dimension but not a netCDF variable. %10d"


class ScaleWriter:
    """Makes the dimension scales of a group's arrays; coordinates have to come first.

    No dataset is kept open: the library takes some ten kilobytes for each.

    Args:
        group: the `h5py.h5g.GroupID`.
        dimensions: those of its arrays.
    """

    def __init__(self, group: Any, dimensions: Dimensions) -> None:
        self._group = group
        self._dimensions = dimensions
        self._references: dict[Dimension, Any] = {}
        self._users: dict[Dimension, list[tuple[Any, int]]] = {}
        self._lists: dict[tuple[Dimension, ...], np.ndarray[Any, Any]] = {}

    def add(self, name: str, dataset: Any) -> None:
        """Make an array's `h5py.h5d.DatasetID` a scale, or give it its scales."""
        if name in self._dimensions.coordinates:
            self._make_scale((name, dataset.shape[0]), dataset, name)
        elif attached := self._dimensions.of.get(name):
            if attached not in self._lists:
                self._lists[attached] = _reference_list(
                    [self._reference(dimension) for dimension in attached]
                )
            value = self._lists[attached]
            h5py.h5a.create(dataset, b"DIMENSION_LIST", _list_type(), space(value.shape)).write(value)
            reference = h5py.h5r.create(dataset, b".", h5py.h5r.OBJECT)
            for axis, dimension in enumerate(attached):
                if len(self._users[dimension]) <= _MAX_USERS:
                    self._users[dimension].append((reference, axis))

    def finish(self) -> None:
        """Tell the scales whose they are."""
        for dimension, users in self._users.items():
            if 0 < len(users) <= _MAX_USERS:
                name = self._dimensions.names[dimension]
                _write_users(h5py.h5d.open(self._group, name.encode()), users)

    def _reference(self, dimension: Dimension) -> Any:
        if dimension not in self._references:
            scale = _without_coordinate(self._group, self._dimensions.names[dimension], dimension[1])
            self._make_scale(dimension, scale, _NO_COORDINATE % dimension[1])
        return self._references[dimension]

    def _make_scale(self, dimension: Dimension, scale: Any, told: str) -> None:
        h5py.h5ds.set_scale(scale, told.encode())
        self._references[dimension] = h5py.h5r.create(scale, b".", h5py.h5r.OBJECT)
        self._users[dimension] = []


def _without_coordinate(group: Any, name: str, length: int) -> Any:
    """The scale of a dimension that has a length and nothing else; it takes no room."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_layout(h5py.h5d.CONTIGUOUS)
    properties.set_obj_track_times(False)
    return h5py.h5d.create(group, name.encode(), h5py.h5t.IEEE_F32BE, space((length,)), properties)


@cache
def _list_type() -> Any:
    return h5py.h5t.py_create(_LIST, logical=True)


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
