"""The skeleton of an HDF5 file: all of it but the elements, for which h5py leaves room and tells where it is.

Specification: HDF5, "File Format Specification Version 3.0", of which only the earliest formats are used (programs of today's
distributions open no newer ones). Datasets are contiguous and never filled: so what is written is metadata, however large the
arrays are.

All metadata stand before all elements, and each array's begin on a page of their own: who looks at the metadata, or reads one
array, reads nothing of the others, although systems read whole pages. So the file is made in two steps, the second of which makes
room, smallest arrays first, since these are the coordinates that readers want at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import h5py
import numpy as np

from zarrcore.errors import UnsupportedError, ZarrError
from zarrcore.filetypes.hdf5.array_attributes import array_attributes
from zarrcore.filetypes.hdf5.attributes import (
    RESERVED,
    file_name,
    number_type,
    put_attribute,
    space,
    text_type,
)
from zarrcore.filetypes.hdf5.dimensions import NO_COORDINATE_PREFIX, group_dimensions
from zarrcore.filetypes.hdf5.elements import Stored, converted, stored
from zarrcore.filetypes.hdf5.scales import ScaleWriter
from zarrcore.filetypes.hdf5.sparse_file import SparseFile
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode

LEFT_OUT_ATTRIBUTE: Final = "_zarrscope_left_out"
_MAX_TOLD = 1000
_MAX_DIMENSIONS = 32
_PAGE_NBYTES = 4096
_MAX_NBYTES = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Room:
    """Where the elements of an array belong."""

    offset: int
    array: ArrayNode
    how: Stored

    @property
    def nbytes(self) -> int:
        """How many bytes they are."""
        return self.array.size * self.how.dtype.itemsize


def make_skeleton(nodes: Mapping[str, AnyNode], *, netcdf: bool) -> tuple[SparseFile, list[Room]]:
    """The skeleton of a file of nodes, and where the elements belong, by ascending offset.

    Args:
        nodes: by their paths in the file, groups before what is in them; ``""`` is the root group, if it is among them.
        netcdf: whether types are those that NetCDF has.
    """
    file = SparseFile()
    formats = ("earliest", "v110")
    with h5py.File(file, "w", libver=formats, track_order=False) as metadata:
        writer = _Writer(metadata.id, netcdf)
        writer.write(nodes)
    pages = {"alignment_threshold": 1, "alignment_interval": _PAGE_NBYTES}
    rooms = []
    with h5py.File(file, "r+", libver=formats, **pages) as elements:
        for path, array, how in sorted(writer.datasets, key=lambda dataset: dataset[1].size):
            rooms.append(
                Room(
                    _make_room(h5py.h5d.open(elements.id, path), array.ndim + len(how.file_shape)), array, how
                )
            )
    return file, sorted(rooms, key=lambda room: room.offset)


def _make_room(dataset: Any, ndim: int) -> int:
    """Have the library allocate a dataset's room, by writing an element that nobody sees; where it is."""
    everything = dataset.get_space()
    if ndim:
        everything.select_hyperslab((0,) * ndim, (1,) * ndim)
    kind = dataset.get_type()
    dataset.write(space(()), everything, np.zeros(kind.get_size(), np.uint8), kind)
    return int(dataset.get_offset())


class _Writer:
    """Writes nodes, and remembers what it leaves out."""

    def __init__(self, root: Any, netcdf: bool) -> None:
        self.datasets: list[tuple[bytes, ArrayNode, Stored]] = []
        self._nbytes = 1 << 40  # more than the metadata will take
        self._netcdf = netcdf
        self._groups = {"": root}
        self._paths = {"": b""}
        self._kept_properties: dict[tuple[np.dtype[Any], bytes | None], Any] = {}
        self._arrays: dict[str, dict[str, tuple[ArrayNode, Stored]]] = {}
        self._names: dict[str, list[str]] = {}
        self._left_out: list[str] = []

    def write(self, nodes: Mapping[str, AnyNode]) -> None:
        """Write them all."""
        for path, node in nodes.items():
            with self._leaving_out(path):
                self._take(path, node)
        for parent, arrays in self._arrays.items():
            self._write_arrays(parent, arrays)
        told = self._left_out
        if len(told) > _MAX_TOLD:
            told = [*told[:_MAX_TOLD], f"and {len(told) - _MAX_TOLD} more"]
        if told:
            put_attribute(self._groups[""], LEFT_OUT_ATTRIBUTE.encode(), told, netcdf=self._netcdf)

    @contextmanager
    def _leaving_out(self, path: str) -> Iterator[None]:
        """What HDF5 cannot hold is told of, and does not keep others out."""
        try:
            yield
        # h5py has whatever exception for what the library refuses.
        except (ZarrError, OSError, OverflowError, RuntimeError, TypeError, ValueError) as error:
            self._left_out.append(f"/{path}: {error}")

    def _take(self, path: str, node: AnyNode) -> None:
        """Make a group; arrays wait for the others of theirs."""
        parent, _, name = path.rpartition("/")
        if isinstance(node, BrokenNode):
            raise node.error
        if parent not in self._groups:  # told of already
            return
        if path:
            self._names.setdefault(parent, []).append(name)
        if isinstance(node, ArrayNode):
            how = stored(node.data_type, netcdf=self._netcdf)
            self._arrays.setdefault(parent, {})[name] = node, how
            return
        if path:
            called = file_name(name, netcdf=self._netcdf)
            self._groups[path] = h5py.h5g.create(self._groups[parent], called)
            self._paths[path] = self._paths[parent] + called + b"/"
        self._put_attributes(path, self._groups[path], node.attributes)

    def _write_arrays(self, parent: str, arrays: Mapping[str, tuple[ArrayNode, Stored]]) -> None:
        group = self._groups[parent]
        dimensions = group_dimensions(
            {name: _dimensions_in_file(*array) for name, array in arrays.items()},
            self._names[parent],
            netcdf=self._netcdf,
        )
        avoided = set(dimensions.names.values()) - dimensions.coordinates
        scales = ScaleWriter(group, dimensions)
        for name in sorted(arrays, key=lambda name: name not in dimensions.coordinates):
            array, how = arrays[name]
            path = f"{parent}/{name}".lstrip("/")
            with self._leaving_out(path):
                called = file_name(NO_COORDINATE_PREFIX * (name in avoided) + name, netcdf=self._netcdf)
                dataset = self._make_dataset(group, called, array, how)
                if array.size:
                    self.datasets.append((self._paths[parent] + called, array, how))
                self._put_attributes(path, dataset, array_attributes(array, how))
                with self._leaving_out(f"{path}: dimension scales"):
                    scales.add(name, dataset)
        with self._leaving_out(f"{parent}: dimension scales"):
            scales.finish()

    def _make_dataset(self, group: Any, name: bytes, array: ArrayNode, how: Stored) -> Any:
        """The dataset of an array, an `h5py.h5d.DatasetID`."""
        shape = array.shape + how.file_shape
        if len(shape) > _MAX_DIMENSIONS:
            raise UnsupportedError("shape", str(shape), f"has more than {_MAX_DIMENSIONS} dimensions")
        nbytes = array.size * how.dtype.itemsize + _PAGE_NBYTES
        if self._nbytes + nbytes > _MAX_NBYTES:
            raise UnsupportedError("shape", str(shape), "is too large for a file, with what is there already")
        self._nbytes += nbytes
        kind = (
            text_type(how.dtype.itemsize)
            if how.is_utf8 and how.parts is None
            else number_type(how.file_dtype)
        )
        return h5py.h5d.create(group, name, kind, space(shape), self._properties(array, how))

    def _properties(self, array: ArrayNode, how: Stored) -> Any:
        # ncdump 4.9 does not survive the fill value of a text.
        fill = (
            None
            if how.parts is not None or how.dtype.kind == "S"
            else converted(array.metadata.fill_value, how)
        )
        key = (how.file_dtype, None if fill is None else fill.tobytes())
        if key not in self._kept_properties:
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_layout(h5py.h5d.CONTIGUOUS)
            properties.set_alloc_time(h5py.h5d.ALLOC_TIME_LATE)
            properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            properties.set_obj_track_times(False)
            if fill is not None:
                properties.set_fill_value(fill)
            self._kept_properties[key] = properties
        return self._kept_properties[key]

    def _put_attributes(self, path: str, place: Any, attributes: Mapping[str, Any]) -> None:
        for name, value in attributes.items():
            with self._leaving_out(f"{path}: attribute {name!r}"):
                if name in RESERVED:
                    raise UnsupportedError("name", name, "has a meaning of its own in HDF5")
                put_attribute(place, file_name(name, netcdf=self._netcdf), value, netcdf=self._netcdf)


def _dimensions_in_file(
    array: ArrayNode, how: Stored
) -> tuple[tuple[str | None, ...] | None, tuple[int, ...]]:
    """The names of a dataset's dimensions, and its shape."""
    names = array.dimension_names
    if how.parts is not None:
        names = (*(names or (None,) * array.ndim), how.parts[0])
    return names, array.shape + how.file_shape
