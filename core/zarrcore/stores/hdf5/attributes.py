"""Attributes of objects, and links of groups.

HDF5 File Format Specification, "The Attribute Message", "Attribute Info Message", "The Link Message", "Link Info Message",
"Symbol Table Message".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from struct import Struct
from typing import Any, Final, NamedTuple

from zarrcore.stores.hdf5.btree2 import records
from zarrcore.stores.hdf5.datatype import Datatype, Kind, parse_datatype
from zarrcore.stores.hdf5.elements import array_json
from zarrcore.stores.hdf5.heaps.fractal_heap import FractalHeap
from zarrcore.stores.hdf5.heaps.global_heaps import GlobalHeaps
from zarrcore.stores.hdf5.heaps.room import Room
from zarrcore.stores.hdf5.object_header import (
    ATTRIBUTE,
    ATTRIBUTE_INFO,
    DATASPACE,
    DATATYPE,
    Message,
    ObjectHeader,
    dataspace,
    shared,
    shared_message,
)
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned

_HEAD: Final = Struct("<BBHHH")
"""The version and flags of an attribute, and the sizes of its name, type and shape."""
_MAX_NBYTES: Final = 1 << 26
"""What the attributes of one object may take. No document is larger."""


def room_for_attributes() -> Room:
    """What the attributes of one object may still take, at the beginning."""
    return Room(_MAX_NBYTES, "the attributes of an object")


class Attribute(NamedTuple):
    """An attribute as it is stored."""

    name: str
    type: Datatype
    shape: tuple[int, ...] | None
    data: bytes

    def json(self, heaps: GlobalHeaps, room: Room | None = None) -> Any:
        """Its value as JSON; a single value of one dimension is a scalar, as NetCDF and xarray have it.

        Args:
            room: what the attributes of its object may still take; by default, as if it were the only one.

        Raises:
            BrokenFileError: it is broken, or takes too much.
        """
        if self.shape is None:
            return "" if self.type.kind in (Kind.TEXT, Kind.VARIABLE) else None
        shape = () if self.shape == (1,) else self.shape
        return array_json(self.type, shape, self.data, heaps, room or room_for_attributes())


def attributes(
    reader: FileReader, header: ObjectHeader, faults: dict[str, str] | None = None
) -> Iterator[Attribute]:
    """The attributes of an object, in the order in which they were made if it is known.

    Args:
        reader: the file.
        header: of the object.
        faults: gets why each broken attribute cannot be read, by names of our own; without it, one raises.

    Raises:
        BrokenFileError: they are broken.
    """
    for number, read in enumerate(_stored(reader, header)):
        try:
            attribute = read()
        except BrokenFileError as error:
            if faults is None:
                raise
            faults[f"broken attribute {number}"] = str(error)
        else:
            yield attribute


def _stored(reader: FileReader, header: ObjectHeader) -> Iterator[Callable[[], Attribute]]:
    """What reads each attribute."""
    for data in header.all(ATTRIBUTE):
        yield partial(_attribute, reader, data)
    info = header.first(ATTRIBUTE_INFO)
    if info is None:
        return
    at = 4 if info[1] & 1 else 2
    heap, names = unsigned(info, at, 8), unsigned(info, at + 8, 8)
    if heap == UNDEFINED or names == UNDEFINED:
        return
    found = sorted(records(reader, names, 8), key=lambda record: unsigned(record, 9, 4))
    objects = FractalHeap(reader, heap)
    for record in found:
        yield partial(_heaped, reader, objects, record)


def _heaped(reader: FileReader, objects: FractalHeap, record: bytes) -> Attribute:
    is_shared = record[8] & 2
    data = shared_message(reader, ATTRIBUTE, record[:8]) if is_shared else objects.object(record[:8])
    return _attribute(reader, data)


def _attribute(reader: FileReader, data: bytes) -> Attribute:
    if len(data) < _HEAD.size:
        raise BrokenFileError("an attribute ends early")
    version, flags, *sizes = _HEAD.unpack_from(data)
    if version not in (1, 2, 3):
        raise BrokenFileError(f"an attribute has version {version}")
    at, parts = 9 if version == 3 else 8, []
    if at + sum(sizes) > len(data):
        raise BrokenFileError(f"its name, type and shape have {sum(sizes):,} bytes, more than are stored")
    for nbytes in sizes:
        parts.append(data[at : at + nbytes])
        at += nbytes if version > 1 else -(-nbytes // 8) * 8
    name = parts[0].split(b"\0")[0].decode("utf-8", "surrogateescape")
    if version == 1:
        flags = 0
    kind = shared(reader, Message(DATATYPE, 0, parts[1])) if flags & 1 else parts[1]
    space = shared(reader, Message(DATASPACE, 0, parts[2])) if flags & 2 else parts[2]
    return Attribute(name, parse_datatype(kind), dataspace(space), data[at:])
