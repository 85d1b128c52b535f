"""An HDF5 file as a tree: paths, links and objects.

HDF5 File Format Specification, "Superblock". A path leads to the object to which its links lead, as with h5py. Groups that link
to a group above them would make the tree infinite, and groups with several links to the next one would double it at each level:
then links are shown as broken nodes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import count
from typing import Any, Final, NamedTuple

from zarrcore.errors import HierarchyNotFoundError, StoreError, ZarrError
from zarrcore.stores.hdf5.attributes import Attribute, attributes
from zarrcore.stores.hdf5.cache_image import cached_metadata
from zarrcore.stores.hdf5.dataset import Dataset
from zarrcore.stores.hdf5.datatype import Kind
from zarrcore.stores.hdf5.elements import UnshownError
from zarrcore.stores.hdf5.elsewhere.files import OtherFiles, within
from zarrcore.stores.hdf5.heaps.global_heaps import GlobalHeaps
from zarrcore.stores.hdf5.links import Link, links
from zarrcore.stores.hdf5.object_header import DATASPACE, DATATYPE, LAYOUT, ObjectHeader, dataspace
from zarrcore.stores.hdf5.references import References
from zarrcore.stores.local.file_locks import is_locked
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader, unsigned
from zarrcore.stores.virtual.node_names import node_name
from zarrcore.stores.virtual.unreadable_node import unreadable_document

SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"
_ERRORS: Final = (ValueError, LookupError, ArithmeticError, TypeError, MemoryError, RecursionError)
"""What parsing of broken data may raise; the first is the base of ours."""

_SIZES: Final = {2, 4, 8, 16, 32}
"""Those that addresses and lengths may have."""
_IS_OPEN: Final = 1
"""The flag of the superblock: a program opened the file for writing, and did not close it yet."""
_IS_SWMR: Final = 4
"""The same: it lets others read meanwhile (single writer, multiple readers)."""
_MAX_LINKS: Final = 256
"""Links that are followed to resolve one."""
_MAX_AGAIN: Final = 1 << 12
"""Paths to groups that another path leads to, too."""
_MAX_DEPTH: Final = 64
_KEPT_OBJECTS: Final = 8192
_KEPT_PATHS: Final = 1024
_KEPT_INDEXES: Final = 8
_HEADER_NBYTES: Final = 1024
_DIMENSION_ONLY: Final = "This is a netCDF dimension but not a netCDF variable"
_NOT_A_COORDINATE: Final = "_nc4_non_coord_"


class Node:
    """An object of the file: a group or a dataset. Its parts are read when they are needed."""

    def __init__(self, file: Hdf5File, address: int) -> None:
        self.file = file
        self.address = address
        self.identity = (file.others.identity, address)
        self.header = ObjectHeader(file.reader, address)
        self.attribute_faults: dict[str, str] = {}
        """Why attributes of a group cannot be read, once the others were read. A dataset needs all of its own."""

    @cached_property
    def is_dataset(self) -> bool:
        """Whether it is a dataset."""
        return self.header.has(LAYOUT) or self.header.has(DATASPACE)

    @property
    def is_type(self) -> bool:
        """Whether it is a committed type, which holds no data."""
        return not self.is_dataset and self.header.has(DATATYPE)

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """Its attributes by name."""
        faults = self.attribute_faults if not self.is_dataset else None
        return {attribute.name: attribute for attribute in attributes(self.file.reader, self.header, faults)}

    @cached_property
    def stored_links(self) -> tuple[Link, ...]:
        """The links of a group as they are stored."""
        return () if self.is_dataset else tuple(links(self.file.reader, self.header))

    @cached_property
    def links(self) -> dict[str, Link]:
        """The links of a group, by the names of its children; a dataset has none.

        NetCDF-4 marks the name of a variable that is also the name of another dimension, which is not a child then.
        """
        found = {}
        for link in sorted(self.stored_links, key=lambda link: link.name.startswith(_NOT_A_COORDINATE)):
            name = link.name.removeprefix(_NOT_A_COORDINATE) or link.name
            if name:
                found[node_name(name)] = link
        return found

    @cached_property
    def names(self) -> dict[int, str]:
        """The names in a group of the objects of this file, by their addresses."""
        found: dict[int, str] = {}
        for link in self.stored_links:
            if link.address is not None:
                found.setdefault(link.address, link.name)
        return found

    @cached_property
    def dimensions(self) -> dict[int, int]:
        """The addresses of the dimension scales in a group, by their numbers in NetCDF-4."""
        found: dict[int, int] = {}
        for link in self.stored_links:
            node = None if link.address is None else self.file.node(link.address)
            if node is not None and node.is_scale:
                number = node.attributes.get("_Netcdf4Dimid")
                value = None if number is None else number.json(self.file.heaps)
                if isinstance(value, int):
                    found.setdefault(value, node.address)
        return found

    @cached_property
    def unlimited_length(self) -> int:
        """The length of the dimension of NetCDF-4 that a scale is: that of the longest variable; 0 if it is of another kind."""
        if "_Netcdf4Dimid" not in self.attributes:
            return 0
        users = [] if self.is_hidden else [(self.address, 0)]
        told = self.attributes.get("REFERENCE_LIST")
        if told is not None:
            starts = range(0, len(told.data) - 11, told.type.nbytes)
            users += [(unsigned(told.data, at, 8), unsigned(told.data, at + 8, 4)) for at in starts]
        lengths = [0]
        for address, axis in users:
            with suppress(BrokenFileError):  # a reference to a variable that was deleted
                lengths += (dataspace(self.file.node(address).header.first(DATASPACE) or b"") or ())[
                    axis : axis + 1
                ]
        return max(lengths)

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset."""
        return Dataset(self.file.reader, self.file.heaps, self.header, self.file.others)

    def text(self, name: str) -> str | None:
        """An attribute that is a text; None if there is none."""
        attribute = self.attributes.get(name)
        if attribute is None or attribute.type.kind not in (Kind.TEXT, Kind.VARIABLE):
            return None
        value = attribute.json(self.file.heaps)
        return value if isinstance(value, str) else None

    @cached_property
    def is_scale(self) -> bool:
        """Whether it is a dimension scale."""
        return self.is_dataset and self.text("CLASS") == "DIMENSION_SCALE"

    @cached_property
    def is_hidden(self) -> bool:
        """Whether it holds no data: a committed type, or a dimension of NetCDF without a variable."""
        if self.is_type:
            return True
        return self.is_scale and (self.text("NAME") or "").startswith(_DIMENSION_ONLY)


class Found(NamedTuple):
    """What a path leads to."""

    node: Node | None
    """None if it cannot be shown."""
    ancestors: tuple[Node, ...]
    """The groups above, from the root on."""
    why: str = ""
    """Why it cannot be shown."""
    place: int = 0
    """A number of its own for each path."""


class Hdf5File:
    """An open file. Thread-safe.

    Args:
        reader: the file.

    Attributes:
        note: what to know of it, if a program may be writing it.

    Raises:
        HierarchyNotFoundError: it is not an HDF5 file, whatever its suffix says.
        StoreError: it is broken, or cannot be shown; the store failed.
    """

    def __init__(self, reader: FileReader) -> None:
        self.url = url = reader.url
        self.note = ""
        self.reader = reader
        self.heaps = GlobalHeaps(self.reader)
        self.heaps.references = References(self)
        self.others = OtherFiles(self)
        self._nodes: OrderedDict[int, Node] = OrderedDict()
        self._found: OrderedDict[str, Found] = OrderedDict()
        self._indexes: OrderedDict[int, Dataset] = OrderedDict()
        self._places: dict[Any, int] = {}
        self._again: set[int] = set()
        self._lock = threading.Lock()
        try:
            self.root_address = self._open()
            if not any(self.reader.up_to(self.root_address, 16)):
                raise BrokenFileError(
                    "its root group is not in it: its writer has not flushed anything, or the file was cut off"
                )
            self._root = self.node(self.root_address)
            if self._root.is_dataset:
                raise BrokenFileError("its root is not a group")
        except (StoreError, HierarchyNotFoundError):
            raise
        except _ERRORS as error:
            what = "cannot be read" if isinstance(error, UnshownError) else "is a broken HDF5 file"
            sentence = f"{url} {what}: {error}"
            raise StoreError(sentence, key=reader.key, url=reader.source.url) from error

    def _open(self) -> int:
        """The address of the root."""
        position = 0
        while (head := self.reader.up_to(position, 96))[:8] != SIGNATURE:
            position = position * 2 or 512
            if position > self.reader.nbytes:
                hint = "" if self.reader.nbytes else ": the file is empty"
                raise HierarchyNotFoundError(self.url, ("the signature of HDF5",), hint)
        self.reader.base = position
        version = unsigned(head, 8, 1)
        sizes = (13, 14) if version < 2 else (9, 10)
        if version > 3:
            raise UnshownError(f"its superblock has version {version}, and those up to 3 are read")
        found = {unsigned(head, size, 1) for size in sizes}
        if not found <= _SIZES:
            raise BrokenFileError("its addresses are of no size that HDF5 has")
        if found != {8}:
            raise UnshownError("its addresses are not of 8 bytes, as those of nearly all HDF5 files are")
        if version < 2:
            return unsigned(head, 64 + (4 if version else 0), 8)
        if version == 3 and head[11] & _IS_OPEN:
            self.reader.is_changing = True
            self.note = self._note_of_writer(head[11])
        head = self.reader.read_checked(0, 48, "its superblock")
        self.reader.replace(cached_metadata(self.reader, unsigned(head, 20, 8)))
        return unsigned(head, 36, 8)

    def _note_of_writer(self, flags: int) -> str:
        """What to know of a file that is marked as open.

        Raises:
            StoreError: a program is writing it, and not in a way that others may read.
        """
        if flags & _IS_SWMR:
            return "the file is marked as open for SWMR writing: what its writer has flushed is shown; refresh to see more"
        if is_locked(self.reader.source, self.reader.key):
            raise StoreError(
                f"{self.url} is being written by another program, and not in SWMR mode: close it there first",
                key=self.reader.key,
                url=self.reader.source.url,
            )
        return (
            "the file was not closed by the program that wrote it: what that program had not flushed is missing "
            "(h5clear -s removes the mark)"
        )

    def node(self, address: int) -> Node:
        """The object at an address.

        Raises:
            BrokenFileError: there is none.
        """
        with self._lock:
            found = self._nodes.get(address)
            if found is not None:
                self._nodes.move_to_end(address)
                return found
        found = Node(self, address)
        with self._lock:
            self._nodes[address] = found
            while len(self._nodes) > _KEPT_OBJECTS:
                self._nodes.popitem(last=False)
        return found

    def used(self, dataset: Dataset) -> None:
        """Note that the chunk index of a dataset is used: those that were not used for a while are dropped."""
        with self._lock:
            self._indexes[id(dataset)] = dataset
            self._indexes.move_to_end(id(dataset))
            while len(self._indexes) > _KEPT_INDEXES:
                self._indexes.popitem(last=False)[1].forget_index()

    def find(self, path: str) -> Found | None:
        """What a path, without a slash at its start, leads to; None if there is nothing.

        Raises:
            StoreError: the store failed.
        """
        with self._lock:
            found = self._found.get(path)
            above = found or self._found.get(path.rpartition("/")[0])
        if found is not None:
            return found
        names = [path.rpartition("/")[2]] if above is not None else path.split("/") if path else []
        found = above or Found(self._root, ())
        for name in names:
            if found is None or found.node is None:
                return None
            found = self._child(found, name)
        if found is not None and found.node is not None and found.node.file is self:
            with self._lock:  # a walk asks several times; another file may change
                self._found[path] = found
                while len(self._found) > _KEPT_PATHS:
                    self._found.popitem(last=False)
        return found

    def dataset(self, path: str) -> Dataset | None:
        """The dataset that another one has elements of; None if there is none.

        Raises:
            BrokenFileError, UnshownError: it is broken, or cannot be shown.
            StoreError: the store failed.
        """
        found = self.find("/".join(_names(path)))
        if found is None or (found.node is not None and not found.node.is_dataset):
            return None
        if found.node is None:
            raise UnshownError(found.why)
        return found.node.dataset

    def _child(self, above: Found, name: str) -> Found | None:
        assert above.node is not None  # noqa: S101 - the caller checked it
        try:
            link = above.node.links.get(name)
        except _ERRORS:
            return None  # the group itself is shown as broken
        if link is None:
            return None
        ancestors = (*above.ancestors, above.node)
        try:
            node = above.node.file.followed(link, above.node, ancestors, count())
            if node.is_hidden:
                return None
        except StoreError:
            raise
        except _ERRORS as error:
            return Found(None, ancestors, _sentence(error))
        if any(node.identity == other.identity for other in ancestors):
            return Found(None, ancestors, "the link leads to a group above it")
        if len(ancestors) > _MAX_DEPTH:
            return Found(None, ancestors, f"the group is more than {_MAX_DEPTH} levels below the root")
        place = hash((above.place, name))
        if not node.is_dataset and self._is_too_often(node, place):
            return Found(
                None,
                ancestors,
                f"other paths lead to this group, too, and only the first {_MAX_AGAIN:,} such paths are shown",
            )
        return Found(node, ancestors, "", place)

    def _is_too_often(self, group: Node, place: int) -> bool:
        with self._lock:
            if self._places.setdefault(group.identity, place) != place and place not in self._again:
                if len(self._again) >= _MAX_AGAIN:
                    return True
                self._again.add(place)
            return False

    def followed(self, link: Link, group: Node, ancestors: tuple[Node, ...], steps: Iterator[int]) -> Node:
        """The object that a link of a group leads to.

        Raises:
            UnshownError: to nothing, or to an object that cannot be shown.
            BrokenFileError: the object is broken.
        """
        if link.fault:
            raise UnshownError(f"the link cannot be read: {link.fault}")
        if link.unknown_kind is not None:
            raise UnshownError(f"the link is of the kind {link.unknown_kind}, which zarrscope does not know")
        if link.file:
            return self._elsewhere(link)
        if link.address is not None:
            return self.node(link.address)
        if next(steps) >= _MAX_LINKS:
            raise UnshownError(f"the link leads to itself, or through more than {_MAX_LINKS} others")
        node = self._root if link.target.startswith("/") else group
        parents = list(ancestors)
        for name in _names(link.target):
            following = node.links.get(name)
            if following is None:
                raise UnshownError(f"the soft link leads to {link.target}, which does not exist")
            parents.append(node)
            node = node.file.followed(following, node, tuple(parents), steps)
        return node

    def _elsewhere(self, link: Link) -> Node:
        """The object that an external link leads to; a fault of the other file makes a broken node of it."""
        what = f"{link.target} in {link.file}"
        try:
            with within((self.others.identity, link)):
                other = self.others.hdf5(link.file)
                found = None if other is None else other.find("/".join(_names(link.target)))
        except ZarrError as error:
            raise UnshownError(f"the external link to {what} cannot be followed: {error}") from error
        if found is None:
            raise UnshownError(f"the external link leads to {what}, which does not exist")
        if found.node is None:
            raise UnshownError(f"the external link to {what} cannot be followed: {found.why}")
        return found.node

    def children(self, found: Found) -> list[str]:
        """The names of the children of a group."""
        node = found.node
        if node is None or node.is_dataset:
            return []
        try:
            names = [*node.links]
        except _ERRORS:
            return []
        addresses = [link.address for link in node.links.values() if link.address is not None]
        self.reader.prepare((address, _HEADER_NBYTES) for address in addresses)
        # Other files are not opened for a list of names.
        return [name for name in names if node.links[name].file or self._child(found, name) is not None]

    def document(self, path: str, found: Found) -> dict[str, Any]:
        """The ``zarr.json`` of what a path leads to; a node that cannot be shown says why."""
        from zarrcore.stores.hdf5.conventions import dimension_names, netcdf_shape, shown_attributes

        node, why = found.node, found.why
        if node is not None:
            try:
                shown = shown_attributes(node.file, node)
                if not node.is_dataset:
                    node.links  # noqa: B018 - broken ones raise here
                    return {"zarr_format": 3, "node_type": "group", "attributes": shown}
                name = path.rpartition("/")[2]
                names = dimension_names(node.file, found, name)
                return node.dataset.document(shown, names, netcdf_shape(node.file, found))
            except StoreError:
                raise
            except _ERRORS as error:
                why = _sentence(error)
        return unreadable_document(why)


def _names(path: str) -> list[str]:
    return [node_name(name) for name in path.split("/") if name not in ("", ".")]


def _sentence(error: BaseException) -> str:
    if isinstance(error, UnshownError):
        return str(error)
    what = str(error) if isinstance(error, BrokenFileError) else f"{type(error).__name__}: {error}"
    return f"the object cannot be read: {what}"
