"""The skeleton of an HDF5 file: everything except the elements, for which it has room.

Specification: HDF5, "File Format Specification Version 3.0". Only the earliest formats are used, since programs of current
distributions do not open newer ones. Datasets are contiguous, so that only metadata are written, even for large arrays.

All metadata come before all elements, and the elements of each array begin on a new page: reading the metadata or one
array reads nothing of the others, although systems read whole pages. A gap between metadata and elements takes the
read-ahead of a program that reads all metadata in sequence. The smallest arrays come first, since these are the coordinates that
readers need first. The HDF5 library could also make such files, but for each dataset it takes almost a millisecond, ten
kilobytes, and a lock that is shared by the whole process.
"""

from __future__ import annotations

import json
import string
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from zarrcore.errors import UnsupportedError, ZarrError
from zarrcore.filetypes.hdf5.array_attributes import array_attributes
from zarrcore.filetypes.hdf5.attributes import (
    JSON_ATTRIBUTE,
    LEFT_OUT_ATTRIBUTE,
    RESERVED,
    attribute,
    is_text,
)
from zarrcore.filetypes.hdf5.datatype import datatype, fixed_text
from zarrcore.filetypes.hdf5.dimensions import (
    NO_COORDINATE_PREFIX,
    Dimension,
    Dimensions,
    group_dimensions,
)
from zarrcore.filetypes.hdf5.elements import Stored, converted, elements_file, stored
from zarrcore.filetypes.hdf5.metadata import Metadata, MetadataLength
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
from zarrcore.filetypes.hdf5.texts import Texts
from zarrcore.filetypes.interface import VirtualFile
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode

ReadTexts = Callable[[ArrayNode], Texts]
_MAX_TOLD = 1000
_MAX_DIMENSIONS = 32
_MAX_ATTRIBUTES = MAX_MESSAGES - 10  # which leaves room for other messages of a group or a dataset
_PAGE_NBYTES = 4096
_READ_AHEAD_NBYTES = 512
"""Bytes that the HDF5 library reads of a header before it knows the header's length."""
_AHEAD = 8
"""The largest ratio of Linux's read-ahead to the bytes that a program has read in sequence: its window grows fourfold."""
_FIRST_READ_NBYTES = 512 << 10
"""What Linux reads if a program begins with a buffer of 128 KiB, as of Python 3.14, for instance to recognize the file."""
_MAX_GAP_NBYTES = 8 << 20
_MAX_NBYTES = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Room:
    """The place of an array's elements."""

    offset: int
    array: ArrayNode
    how: Stored
    texts: Texts | None = None
    """Elements of variable length, which are read already."""

    @property
    def nbytes(self) -> int:
        """The number of bytes of the elements."""
        return self.array.size * self.how.dtype.itemsize if self.texts is None else self.texts.size

    def file(self) -> VirtualFile:
        """The elements as a file. It is not kept, since there may be thousands of arrays."""
        return elements_file(self.array, self.how) if self.texts is None else self.texts


def make_skeleton(
    nodes: Mapping[str, AnyNode], *, netcdf: bool, read_texts: ReadTexts | None = None
) -> tuple[bytes, list[Room], tuple[str, ...]]:
    """The beginning of a file of nodes, with all its metadata; the places of the elements, by ascending offset; what is omitted.

    Args:
        nodes: nodes by their paths in the file, groups before their content; ``""`` is the root group, if included.
        netcdf: whether only types and names of NetCDF are used.
        read_texts: reads the elements of an array of variable length; without it, such arrays are omitted.

    Raises:
        As `Array.read`, for elements of variable length.
    """
    metadata = Metadata()
    root, placed, size, left_out = _lay_out(nodes, metadata, netcdf, read_texts)
    for address, room in placed:
        if room.texts is not None:
            room.texts.place_at(room.offset)
        metadata.put(address + LAYOUT_ADDRESS_AT, struct.pack("<Q", room.offset))
    metadata.put(0, superblock(root, size))
    return bytes(metadata.content), [room for _, room in placed], tuple(left_out)


def file_size(nodes: Mapping[str, AnyNode], *, netcdf: bool) -> int:
    """The size of a file of nodes, in bytes; no byte of the file is kept. The arguments are those of `make_skeleton`."""
    _, _, size, _ = _lay_out(nodes, MetadataLength(), netcdf)
    return size


def _lay_out(
    nodes: Mapping[str, AnyNode], metadata: Metadata, netcdf: bool, read_texts: ReadTexts | None = None
) -> tuple[Link, list[tuple[int, Room]], int, list[str]]:
    """Write all metadata without the addresses of elements.

    Returns the root group, the place of each array's elements with the address of its header, the size of the file, and what is
    omitted.
    """
    writer = _Writer(metadata, netcdf, read_texts)
    root = writer.write(nodes)
    metadata.end_collection()
    metadata.append(bytes(_READ_AHEAD_NBYTES))
    size, placed = metadata.end, []
    nbytes = sum(array.size * how.dtype.itemsize for _, array, how in writer.datasets)
    if writer.datasets:
        size += min(_AHEAD * size + min(_FIRST_READ_NBYTES, nbytes), _MAX_GAP_NBYTES)
    for address, array, how in sorted(writer.datasets, key=lambda dataset: dataset[1].size):
        texts = writer.texts.get(id(array))
        room = Room(-(-size // _PAGE_NBYTES) * _PAGE_NBYTES, array, how, texts)
        size = room.offset + room.nbytes
        placed.append((address, room))
    return root, placed, size, writer.left_out


@dataclass(slots=True)
class _Group:
    """A group before it is written."""

    messages: list[bytes]
    tells_coordinates: bool = False
    """Whether it has an attribute ``coordinates`` of its own."""
    names: set[str] = field(default_factory=set)
    """The names of all nodes in it, in the file."""
    arrays: dict[str, tuple[ArrayNode, Stored]] = field(default_factory=dict)
    """Arrays by their names in the file, without a prefix."""
    datasets: dict[bytes, list[bytes]] = field(default_factory=dict)
    """The messages of each dataset."""
    links: dict[bytes, Link] = field(default_factory=dict)
    """The links that are already written."""


class _Writer:
    """Writes nodes, and records omitted content."""

    def __init__(self, metadata: Metadata, netcdf: bool, read_texts: ReadTexts | None) -> None:
        self.datasets: list[tuple[int, ArrayNode, Stored]] = []
        self.texts: dict[int, Texts] = {}
        """The elements of variable length of arrays, by the identity of the array."""
        self._read_text_array = read_texts
        self._metadata = metadata
        self._nbytes = 1 << 40  # an upper limit for the metadata
        self._netcdf = netcdf
        self._groups = {"": _Group([])}
        self.left_out: list[str] = []

    def write(self, nodes: Mapping[str, AnyNode]) -> Link:
        """Write all nodes, each group after its content; returns the root group."""
        for path, node in nodes.items():
            with self._leaving_out(path):
                self._take(path, node)
        self._read_texts()
        dimensions = self._dimensions()
        while True:
            path, group = self._groups.popitem()
            self._write_arrays(path, group, dimensions.pop(path))
            if not path:
                break
            parent, _, name = path.rpartition("/")
            self._groups[parent].links[file_name(name, netcdf=self._netcdf)] = self._write_group(group)
        if told := self.left_out[:_MAX_TOLD]:
            if len(self.left_out) > _MAX_TOLD:
                told.append(f"and {len(self.left_out) - _MAX_TOLD} more")
            called = LEFT_OUT_ATTRIBUTE.encode()
            group.messages.append(attribute(called, told, self._metadata, netcdf=self._netcdf))
        return self._write_group(group)

    def _take(self, path: str, node: AnyNode) -> None:
        """Collect the nodes of each group before they are written."""
        parent, _, name = path.rpartition("/")
        if isinstance(node, BrokenNode):
            raise node.error
        if parent not in self._groups:  # already reported
            return
        if path:
            name = self._take_name(name, self._groups[parent])
        if isinstance(node, ArrayNode):
            has_texts = self._read_text_array is not None
            how = stored(node.data_type, netcdf=self._netcdf, has_texts=has_texts)
            self._groups[parent].arrays[name] = node, how
            return
        if path:
            self._groups[path] = _Group([])
        self._groups[path].messages = self._attributes(path, node.attributes)
        self._groups[path].tells_coordinates = "coordinates" in node.attributes

    def _read_texts(self) -> None:
        """Read elements of variable length. A store that fails ends this: it must not look as if HDF5 lacked something."""
        for path, group in self._groups.items():
            for name, (array, how) in [*group.arrays.items()]:
                if how.variable is None or self._read_text_array is None:
                    continue
                try:
                    self.texts[id(array)] = self._read_text_array(array)
                except UnsupportedError as error:
                    del group.arrays[name]
                    self._leave_out(f"{path}/{name}".lstrip("/"), error)

    def _take_name(self, name: str, group: _Group) -> str:
        """The name of a node in the file, which no other node in its group has."""
        called = file_name(name, netcdf=self._netcdf).decode()
        if called == "." or called in group.names:
            raise UnsupportedError("name", name, "is already used in the file")
        group.names.add(called)
        return called

    def _write_group(self, group: _Group) -> Link:
        table = write_symbol_table(group.links, self._metadata)
        return Link(self._metadata.append(object_header([*group_messages(*table), *group.messages])), table)

    def _dimensions(self) -> dict[str, Dimensions]:
        """The dimensions of each group. Their names depend on the groups above, which come first."""
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
        """Make xarray use arrays as coordinates of their group instead of arrays with their names in groups above."""
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
        """Make the scales that datasets need, of coordinates or as new datasets; returns them, and each dataset's dimensions."""
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
                        group.datasets[called] = [*without_coordinate(dimension[1])]
                        scales[dimension] = called
                attached[link] = dimensions.of.get(name, ())
        return scales, attached

    def _link_name(self, name: str, group: _Group) -> bytes:
        """The name of a new object of a group in the file, which must be free."""
        called = file_name(name, netcdf=self._netcdf)
        if called in group.links or called in group.datasets:
            raise UnsupportedError("name", name, "is already used in the file")
        return called

    def _dataset(self, path: str, array: ArrayNode, how: Stored) -> list[bytes]:
        """The messages of an array's dataset."""
        shape = array.shape + how.file_shape
        if len(shape) > _MAX_DIMENSIONS:
            raise UnsupportedError("shape", str(shape), f"has more than {_MAX_DIMENSIONS} dimensions")
        nbytes = array.size * how.dtype.itemsize
        if self._nbytes + nbytes + _PAGE_NBYTES > _MAX_NBYTES:
            raise UnsupportedError("shape", str(shape), "is too large for the rest of the file")
        kind = (
            fixed_text(how.dtype.itemsize)
            if how.is_utf8 and how.parts is None
            else how.variable or datatype(how.file_dtype)
        )
        # ncdump 4.9 crashes on the fill value of a text.
        has_fill = how.parts is None and how.dtype.kind != "S" and how.variable is None
        fill = converted(array.metadata.fill_value, how).tobytes() if has_fill else None
        messages = dataset_messages(shape, kind, nbytes, fill)
        messages += self._attributes(path, array_attributes(array, how))
        self._nbytes += nbytes + _PAGE_NBYTES
        return messages

    def _attributes(self, path: str, attributes: Mapping[str, Any]) -> list[bytes]:
        messages: dict[bytes, bytes] = {}
        marked: list[str] = []
        for name, value in attributes.items():
            try:
                if name in RESERVED:
                    raise UnsupportedError("name", name, "has a special meaning in HDF5")
                if len(messages) == _MAX_ATTRIBUTES:
                    raise UnsupportedError(
                        "attribute", name, f"exceeds the limit of {_MAX_ATTRIBUTES:,} attributes"
                    )
                called = file_name(name, netcdf=self._netcdf)
                if called in messages:
                    raise UnsupportedError("name", name, "is the name of another attribute in the file")
                messages[called] = attribute(
                    called, value, self._metadata, netcdf=self._netcdf, marked=marked
                )
                if isinstance(value, str) and not is_text(value):
                    raise UnsupportedError("text", value[:20], "is not text in HDF5: it is stored as JSON")
            except ZarrError as error:
                self._leave_out(f"{path}: attribute {name!r}", error)
        if marked:
            called, names = JSON_ATTRIBUTE.encode(), json.dumps(marked, ensure_ascii=False)
            messages[called] = attribute(called, names, self._metadata, netcdf=self._netcdf)
        return list(messages.values())

    @contextmanager
    def _leaving_out(self, path: str) -> Iterator[None]:
        """Report content that HDF5 cannot hold, and continue without it."""
        try:
            yield
        except ZarrError as error:
            self._leave_out(path, error)

    def _leave_out(self, path: str, error: ZarrError) -> None:
        self.left_out.append(f"/{path}: {error}".encode(errors="backslashreplace").decode())


def _above(path: str) -> Iterator[str]:
    """The groups above a path, the nearest first."""
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
