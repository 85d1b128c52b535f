"""The skeleton of an HDF5 file: all of it but the elements, for which it has room.

Specification: HDF5, "File Format Specification Version 3.0", of which only the earliest formats are used (programs of today's
distributions open no newer ones). Datasets are contiguous: so what is written is metadata, however large the arrays are.

All metadata stand before all elements, and each array's begin on a page of their own: who looks at the metadata, or reads one
array, reads nothing of the others, although systems read whole pages. Between metadata and elements there is a gap for what
systems read ahead of who reads the metadata from end to end. The smallest arrays come first, since these are the coordinates that
readers want at once. The HDF5 library would make such files too, but for each dataset it takes most of a millisecond, ten
kilobytes, and a lock that all of a process share.
"""

from __future__ import annotations

import string
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from zarrcore.errors import UnsupportedError, ZarrError
from zarrcore.filetypes.hdf5.array_attributes import array_attributes
from zarrcore.filetypes.hdf5.attributes import LEFT_OUT_ATTRIBUTE, RESERVED, attribute, is_text
from zarrcore.filetypes.hdf5.datatype import datatype, fixed_text
from zarrcore.filetypes.hdf5.dimensions import (
    NO_COORDINATE_PREFIX,
    Dimension,
    Dimensions,
    group_dimensions,
)
from zarrcore.filetypes.hdf5.elements import Stored, converted, elements_file, stored
from zarrcore.filetypes.hdf5.metadata import Metadata
from zarrcore.filetypes.hdf5.names import file_name
from zarrcore.filetypes.hdf5.object_header import (
    LAYOUT_ADDRESS_AT,
    MAX_MESSAGES,
    dataset_messages,
    group_messages,
    object_header,
)
from zarrcore.filetypes.hdf5.scales import scale_messages, without_coordinate, write_datasets
from zarrcore.filetypes.hdf5.symbol_table import Link, superblock, write_symbol_table
from zarrcore.filetypes.raw import RawFile
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode

_MAX_TOLD = 1000
_MAX_DIMENSIONS = 32
_MAX_ATTRIBUTES = MAX_MESSAGES - 10  # which leaves room for what else a group or a dataset has
_PAGE_NBYTES = 4096
_READ_AHEAD_NBYTES = 512
"""What the HDF5 library reads of a header before it knows how long that is."""
_AHEAD = 8
"""Linux reads ahead at most this many times what a program has read in sequence: what it reads grows fourfold."""
_MAX_GAP_NBYTES = 8 << 20
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

    def file(self) -> RawFile:
        """The elements; not kept, since a file may have room for thousands of arrays."""
        return elements_file(self.array, self.how)


def make_skeleton(nodes: Mapping[str, AnyNode], *, netcdf: bool) -> tuple[bytes, list[Room]]:
    """The beginning of a file of nodes, all its metadata, and where the elements belong, by ascending offset.

    Args:
        nodes: by their paths in the file, groups before what is in them; ``""`` is the root group, if it is among them.
        netcdf: whether types and names are those that NetCDF has.
    """
    metadata = Metadata()
    writer = _Writer(metadata, netcdf)
    root = writer.write(nodes)
    metadata.end_collection()
    metadata.append(bytes(_READ_AHEAD_NBYTES))
    size, rooms = metadata.end, []
    if writer.datasets:
        size += min(_AHEAD * size, _MAX_GAP_NBYTES)
    for address, array, how in sorted(writer.datasets, key=lambda dataset: dataset[1].size):
        room = Room(-(-size // _PAGE_NBYTES) * _PAGE_NBYTES, array, how)
        metadata.put(address + LAYOUT_ADDRESS_AT, struct.pack("<Q", room.offset))
        size = room.offset + room.nbytes
        rooms.append(room)
    metadata.put(0, superblock(root, size))
    return bytes(metadata.content), rooms


@dataclass(slots=True)
class _Group:
    """What is known of a group until it is written."""

    messages: list[bytes]
    tells_coordinates: bool = False
    """Whether it has an attribute ``coordinates`` of its own."""
    names: set[str] = field(default_factory=set)
    """Those of all nodes in it, in the file."""
    arrays: dict[str, tuple[ArrayNode, Stored]] = field(default_factory=dict)
    """By their names in the file, but for what is put before these."""
    datasets: dict[bytes, list[bytes]] = field(default_factory=dict)
    """The messages of each."""
    links: dict[bytes, Link] = field(default_factory=dict)
    """What of it is written already."""


class _Writer:
    """Writes nodes, and remembers what it leaves out."""

    def __init__(self, metadata: Metadata, netcdf: bool) -> None:
        self.datasets: list[tuple[int, ArrayNode, Stored]] = []
        self._metadata = metadata
        self._nbytes = 1 << 40  # more than the metadata will take
        self._netcdf = netcdf
        self._groups = {"": _Group([])}
        self._left_out: list[str] = []

    def write(self, nodes: Mapping[str, AnyNode]) -> Link:
        """Write them all, each group after what is in it; returns the root group."""
        for path, node in nodes.items():
            with self._leaving_out(path):
                self._take(path, node)
        dimensions = self._dimensions()
        while True:
            path, group = self._groups.popitem()
            self._write_arrays(path, group, dimensions.pop(path))
            if not path:
                break
            parent, _, name = path.rpartition("/")
            self._groups[parent].links[file_name(name, netcdf=self._netcdf)] = self._write_group(group)
        if told := self._left_out[:_MAX_TOLD]:
            if len(self._left_out) > _MAX_TOLD:
                told.append(f"and {len(self._left_out) - _MAX_TOLD} more")
            called = LEFT_OUT_ATTRIBUTE.encode()
            group.messages.append(attribute(called, told, self._metadata, netcdf=self._netcdf))
        return self._write_group(group)

    def _take(self, path: str, node: AnyNode) -> None:
        """Nodes wait for the others of their groups."""
        parent, _, name = path.rpartition("/")
        if isinstance(node, BrokenNode):
            raise node.error
        if parent not in self._groups:  # told of already
            return
        if path:
            name = self._take_name(name, self._groups[parent])
        if isinstance(node, ArrayNode):
            how = stored(node.data_type, netcdf=self._netcdf)
            self._groups[parent].arrays[name] = node, how
            return
        if path:
            self._groups[path] = _Group([])
        self._groups[path].messages = self._attributes(path, node.attributes)
        self._groups[path].tells_coordinates = "coordinates" in node.attributes

    def _take_name(self, name: str, group: _Group) -> str:
        """The name in the file of a node, which no other node in its group has."""
        called = file_name(name, netcdf=self._netcdf).decode()
        if called == "." or called in group.names:
            raise UnsupportedError("name", name, "stands for something else there")
        group.names.add(called)
        return called

    def _write_group(self, group: _Group) -> Link:
        table = write_symbol_table(group.links, self._metadata)
        return Link(self._metadata.append(object_header([*group_messages(*table), *group.messages])), table)

    def _dimensions(self) -> dict[str, Dimensions]:
        """Those of each group; what they are called depends on the groups above it, which come before it."""
        found: dict[str, Dimensions] = {}
        lengths: dict[str, dict[str, int]] = {}
        for path, group in self._groups.items():
            above = [*_above(path)]
            found[path] = group_dimensions(
                {name: _dimensions_in_file(*array) for name, array in group.arrays.items()},
                group.names,
                netcdf=self._netcdf,
                above=partial(_first, [lengths[other] for other in above]),
            )
            lengths[path] = found[path].lengths
            hidden = [
                name
                for name in group.arrays
                if name not in found[path].coordinates
                and any(name in found[other].coordinates for other in above)
            ]
            self._call_coordinates(group, hidden)
        return found

    def _call_coordinates(self, group: _Group, names: Sequence[str]) -> None:
        """Have xarray take arrays for coordinates of their group, and not those of the groups above that are called so."""
        told = " ".join(name for name in names if not set(name) & set(string.whitespace))
        if told and not group.tells_coordinates:
            group.messages.append(attribute(b"coordinates", told, self._metadata, netcdf=self._netcdf))

    def _write_arrays(self, path: str, group: _Group, dimensions: Dimensions) -> None:
        avoided = set(dimensions.names.values()) - dimensions.coordinates
        links: dict[str, bytes] = {}
        for name, (array, how) in group.arrays.items():
            inner = f"{path}/{name}".lstrip("/")
            with self._leaving_out(inner):
                link = self._link_name(NO_COORDINATE_PREFIX * (name in avoided) + name, group)
                group.datasets[link] = self._dataset(inner, array, how)
                links[name] = link
        scales, attached = self._scales(path, group, dimensions, links)
        addresses = write_datasets(group.datasets, scales, attached, self._metadata)
        group.links |= {link: Link(address) for link, address in addresses.items()}
        for name, link in links.items():
            if group.arrays[name][0].size:
                self.datasets.append((addresses[link], *group.arrays[name]))

    def _scales(
        self, path: str, group: _Group, dimensions: Dimensions, links: Mapping[str, bytes]
    ) -> tuple[dict[Dimension, bytes], dict[bytes, tuple[Dimension, ...]]]:
        """Make the scales that datasets need, of coordinates or as further ones; returns these, and who has which."""
        scales, attached = {}, {}
        for dimension, name in dimensions.names.items():
            if name in dimensions.coordinates and name in links:
                group.datasets[links[name]] += scale_messages(name)
                scales[dimension] = links[name]
        for name, link in links.items():
            with self._leaving_out(f"{path}/{name}: dimension scales".lstrip("/")):
                for dimension in dimensions.of.get(name, ()):
                    if dimension not in scales:
                        called = self._link_name(dimensions.names[dimension], group)
                        group.datasets[called] = without_coordinate(dimension[1])
                        scales[dimension] = called
                attached[link] = dimensions.of.get(name, ())
        return scales, attached

    def _link_name(self, name: str, group: _Group) -> bytes:
        """The name in the file of what will be in a group, where nothing else has it."""
        called = file_name(name, netcdf=self._netcdf)
        if called in group.links or called in group.datasets:
            raise UnsupportedError("name", name, "stands for something else there")
        return called

    def _dataset(self, path: str, array: ArrayNode, how: Stored) -> list[bytes]:
        """The messages of an array's dataset."""
        shape = array.shape + how.file_shape
        if len(shape) > _MAX_DIMENSIONS:
            raise UnsupportedError("shape", str(shape), f"has more than {_MAX_DIMENSIONS} dimensions")
        nbytes = array.size * how.dtype.itemsize
        if self._nbytes + nbytes + _PAGE_NBYTES > _MAX_NBYTES:
            raise UnsupportedError("shape", str(shape), "is too large for a file, with what is there already")
        kind = (
            fixed_text(how.dtype.itemsize) if how.is_utf8 and how.parts is None else datatype(how.file_dtype)
        )
        # ncdump 4.9 does not survive the fill value of a text.
        has_fill = how.parts is None and how.dtype.kind != "S"
        fill = converted(array.metadata.fill_value, how).tobytes() if has_fill else None
        messages = dataset_messages(shape, kind, nbytes, fill)
        messages += self._attributes(path, array_attributes(array, how))
        self._nbytes += nbytes + _PAGE_NBYTES
        return messages

    def _attributes(self, path: str, attributes: Mapping[str, Any]) -> list[bytes]:
        messages: dict[bytes, bytes] = {}
        for name, value in attributes.items():
            try:
                if name in RESERVED:
                    raise UnsupportedError("name", name, "has a meaning of its own in HDF5")
                if len(messages) == _MAX_ATTRIBUTES:
                    raise UnsupportedError("attribute", name, f"is one of more than {_MAX_ATTRIBUTES:,}")
                called = file_name(name, netcdf=self._netcdf)
                if called in messages:
                    raise UnsupportedError("name", name, "is another one's there")
                messages[called] = attribute(called, value, self._metadata, netcdf=self._netcdf)
                if isinstance(value, str) and not is_text(value):
                    raise UnsupportedError("text", value[:20], "is no text in HDF5: it is there as JSON")
            except ZarrError as error:
                self._leave_out(f"{path}: attribute {name!r}", error)
        return list(messages.values())

    @contextmanager
    def _leaving_out(self, path: str) -> Iterator[None]:
        """What HDF5 cannot hold is told of, and does not keep others out."""
        try:
            yield
        except ZarrError as error:
            self._leave_out(path, error)

    def _leave_out(self, path: str, error: ZarrError) -> None:
        self._left_out.append(f"/{path}: {error}".encode(errors="backslashreplace").decode())


def _above(path: str) -> Iterator[str]:
    """The groups above one, the nearest first."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _first(lengths: Sequence[Mapping[str, int]], name: str) -> int | None:
    return next((known[name] for known in lengths if name in known), None)


def _dimensions_in_file(
    array: ArrayNode, how: Stored
) -> tuple[tuple[str | None, ...] | None, tuple[int, ...]]:
    """The names of a dataset's dimensions, and its shape."""
    names = array.dimension_names
    if how.parts is not None:
        names = (*(names or (None,) * array.ndim), how.parts[0])
    return names, array.shape + how.file_shape
