"""The links of a group: its children.

HDF5 File Format Specification, "The Link Message", "Link Info Message", "Symbol Table Message", "Version 1 B-trees".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from zarrcore.stores.hdf5.btree2 import records
from zarrcore.stores.hdf5.heaps.fractal_heap import FractalHeap
from zarrcore.stores.hdf5.heaps.local_heap import LocalHeap
from zarrcore.stores.hdf5.object_header import LINK, LINK_INFO, SYMBOL_TABLE, ObjectHeader
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned


class Link(NamedTuple):
    """A link to an object."""

    name: str
    address: int | None
    """Of the object; None if the link only names it."""
    target: str = ""
    """The path that a soft link names."""
    file: str = ""
    """The file that an external link names."""
    unknown_kind: int | None = None
    """The kind of a link that is none of these."""
    fault: str = ""
    """Why the link cannot be read. Its group's other links can."""


def links(reader: FileReader, header: ObjectHeader) -> Iterator[Link]:
    """The links of a group. A broken one has a name of our own, if its name cannot be read.

    Raises:
        BrokenFileError: what the group keeps its links in is broken.
    """
    for number, read in enumerate(_stored(reader, header)):
        try:
            link = read()
        except BrokenFileError as error:
            link = Link(f"broken link {number}", None, fault=str(error))
        yield link


def _stored(reader: FileReader, header: ObjectHeader) -> Iterator[Callable[[], Link]]:
    """What reads each link."""
    for data in header.all(SYMBOL_TABLE):
        yield from _symbol_table(reader, unsigned(data, 0, 8), LocalHeap(reader, unsigned(data, 8, 8)))
    for data in header.all(LINK):
        yield partial(_link, data)
    info = header.first(LINK_INFO)
    if info is not None:
        at = 10 if info[1] & 1 else 2
        heap, names = unsigned(info, at, 8), unsigned(info, at + 8, 8)
        if heap != UNDEFINED and names != UNDEFINED:
            objects = FractalHeap(reader, heap)
            for record in records(reader, names, 5):
                yield partial(_heaped, objects, record[4:])


def _heaped(objects: FractalHeap, identifier: bytes) -> Link:
    return _link(objects.object(identifier))


def _symbol_table(reader: FileReader, root: int, names: LocalHeap) -> Iterator[Callable[[], Link]]:
    pending, seen = [root], set[int]()
    while pending:
        address = pending.pop()
        if address in seen:
            raise BrokenFileError("the nodes of a group form a loop")
        seen.add(address)
        head = reader.read(address, 24, "a node of a group")
        if head[:5] != b"TREE\0":
            raise BrokenFileError(f"no node of a group is at byte {reader.base + address:,}")
        used = unsigned(head, 6, 2)
        data = reader.read(address + 24, 16 * used, "a node of a group")
        children = [unsigned(data, 16 * i + 8, 8) for i in range(used)]
        if head[5]:
            pending += children
            continue
        reader.prepare((child, 512) for child in children)
        for child in children:
            if child in seen:
                raise BrokenFileError("the nodes of a group form a loop")
            seen.add(child)
            yield from _symbols(reader, child, names)


def _symbols(reader: FileReader, address: int, names: LocalHeap) -> Iterator[Callable[[], Link]]:
    head = reader.read(address, 8, "a node of a group")
    if head[:4] != b"SNOD":
        raise BrokenFileError(f"no symbols of a group are at byte {reader.base + address:,}")
    count = unsigned(head, 6, 2)
    data = reader.read(address + 8, 40 * count, "a node of a group")
    for at in range(0, 40 * count, 40):
        yield partial(_symbol, data[at : at + 40], names)


def _symbol(entry: bytes, names: LocalHeap) -> Link:
    name = _named(names.text(unsigned(entry, 0, 8)))
    if unsigned(entry, 16, 4) == 2:
        return Link(name, None, names.text(unsigned(entry, 24, 4)))
    return Link(name, unsigned(entry, 8, 8))


def _named(name: str) -> str:
    if not name:
        raise BrokenFileError("the link has no name")
    return name


def _link(data: bytes) -> Link:
    if unsigned(data, 0, 1) != 1:
        raise BrokenFileError(f"a link has version {data[0]}")
    flags, at, kind = unsigned(data, 1, 1), 2, 0
    if flags & 8:
        kind = unsigned(data, at, 1)
        at += 1
    at += (8 if flags & 4 else 0) + (1 if flags & 16 else 0)
    width = 1 << (flags & 3)
    length = unsigned(data, at, width)
    at += width
    if at + length > len(data):
        raise BrokenFileError(f"the name of the link has {length:,} bytes, more than are stored")
    name = _named(data[at : at + length].decode("utf-8", "surrogateescape"))
    at += length
    if kind == 0:
        return Link(name, unsigned(data, at, 8))
    length = unsigned(data, at, 2)
    value = data[at + 2 : at + 2 + length]
    if kind == 1:
        return Link(name, None, value.decode("utf-8", "surrogateescape"))
    if kind == 64:
        file, _, target = value[1:].partition(b"\0")
        path = target.split(b"\0")[0].decode("utf-8", "replace")
        return Link(name, None, path, file.decode("utf-8", "replace") or "?")
    return Link(name, None, unknown_kind=kind)
