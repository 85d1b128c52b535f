"""Nodes as HDF5 and NetCDF-4 files: made when they are opened, and then kept.

Only the metadata are made; elements are decoded when they are read. Files and their sizes are remembered by the version of the
documents that they are made of. So they need no time limit of their own: the version changes with the documents, and
stays when the same documents are read again. Only the answer to which documents are below a group expires.

The size of an array's file is computed without making it, since many programs ask for sizes only. A group's file is made for
its size: reading the documents below takes longer than making the file. An open file stays as it is: when the metadata
change, opening the name again gives another file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Final
from weakref import WeakValueDictionary

from zarrcore.errors import ChangedError, NodeNotFoundError, ZarrError
from zarrcore.filetypes import HDF5File
from zarrcore.filetypes.hdf5 import documents_version, file_size, nodes_of
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group
from zarrfs.trees.arrays.decoded import OpenDecoded
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import Entry, File, OpenFile
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness, Remembered

_KEPT_NBYTES: Final = 64 << 20
"""Memory for files that are not open; the last one made is always kept."""
_SIZES_MAX: Final = 100_000
"""The number of sizes to remember, each of which takes some 300 bytes."""
_SMALL_NBYTES: Final = 16 << 10
"""Documents of up to this length are quickly measured: a thread for this would take longer."""
_ANY_TIME: Final = 0.0
"""When an answer was learnt that never expires."""

Question = tuple[str, bool]
"""The path of a node, and whether the file is NetCDF-4."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Made:
    """The file."""

    file: HDF5File
    version: str
    """Equal for the same node with the same documents."""


class HDF5Files:
    """The files made of a hierarchy's nodes, and their sizes.

    Args:
        arrays: finds the nodes.

    Attributes:
        count: the number of files made so far.
        measured: the number of sizes computed so far without making the file.
    """

    def __init__(self, arrays: ArraysTree) -> None:
        self.count = self.measured = 0
        self.before_open = arrays.before_open
        self._arrays = arrays
        # What the version of documents determines stays right, even after a refresh.
        always = Freshness(math.inf)
        self._kept: Remembered[str, Made] = Remembered(always, _KEPT_NBYTES)
        self._used: WeakValueDictionary[str, Made] = WeakValueDictionary()
        self._sizes: Remembered[str, int] = Remembered(always, _SIZES_MAX)
        self._groups: Remembered[Question, str] = Remembered(arrays.freshness, _SIZES_MAX)
        self._making: WeakValueDictionary[Question, Lock] = WeakValueDictionary()
        self._lock = Lock()

    @property
    def kept_nbytes(self) -> int:
        """The approximate memory of the files that are kept, in bytes."""
        return self._kept.weight

    @property
    def sizes(self) -> int:
        """The number of sizes that are remembered."""
        return len(self._sizes)

    def file(self, node: AnyNode, *, netcdf: bool, wait: bool) -> File:
        """The file of a node. Its size is known if it is remembered, or if it is that of an array and costs no request.

        Args:
            node: the node.
            netcdf: whether the file is NetCDF-4.
            wait: whether the call may take the time to compute the size from local documents.
        """
        question = node.path, netcdf
        mtime_s = self._arrays.mtime_s(node)
        is_near = isinstance(node, ArrayNode) and not node.hierarchy.store.is_remote
        try:
            version, size = self._sized(node, netcdf, wait and is_near)
        except (
            WouldBlockError,
            ZarrError,
        ):  # an error is that of a coordinate; asking for the size raises it
            return NodeFile(self, question, mtime_s)
        return NodeFile(self, question, mtime_s, version, size)

    def sized(self, question: Question, wait: bool) -> tuple[str, int]:
        """The version and size of a file, from documents within the time to live.

        Raises:
            As `made`.
        """
        return self._sized(self._node(question[0], wait), question[1], wait)

    def _sized(self, node: AnyNode, netcdf: bool, wait: bool) -> tuple[str, int]:
        if not isinstance(node, ArrayNode):
            known = self._groups.get((node.path, netcdf))
            size = None if known is None else self._sizes.get(known[0])
            if known is not None and size is not None:
                return known[0], size[0]
            made = self.made((node.path, netcdf), wait)
            return made.version, made.file.size
        nodes, version = self._contents(node, netcdf, wait)
        size = self._sizes.get(version)
        if size is None:
            if not wait and _documents_nbytes(nodes) > _SMALL_NBYTES:
                raise WouldBlockError
            size = file_size(nodes, netcdf=netcdf), _ANY_TIME
            self.measured += 1
            self._sizes.put(version, *size)
        return version, size[0]

    def made(self, question: Question, wait: bool) -> Made:
        """The file, made of documents within the time to live.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
            NodeNotFoundError: the node was removed.
            As `HDF5File`.
        """
        path, netcdf = question
        node = self._node(path, wait)
        if isinstance(node, BrokenNode):
            raise node.error
        if isinstance(node, Group):
            return self._made_of_group(node, netcdf, wait)
        nodes, version = self._contents(node, netcdf, wait)
        known = self._with_nodes(nodes, version)
        if known is not None:
            return known
        if not wait:
            raise WouldBlockError
        with self._alone(question):
            return self._in_memory(version) or self._make(node, netcdf, nodes, version)

    def _made_of_group(self, group: Group, netcdf: bool, wait: bool) -> Made:
        question = group.path, netcdf
        known = self._known_of_group(question)
        if known is not None:
            return known
        if not wait:
            raise WouldBlockError
        with self._alone(question):
            known = self._known_of_group(question)
            if known is not None:
                return known
            # The documents of all nodes below it are read, which may take long.
            asked_s = self._arrays.freshness.now()
            found = self._arrays.hierarchy().node(group.path)
            if isinstance(found, BrokenNode):
                raise found.error
            nodes = nodes_of(found)
            asked_s = min(asked_s, *(node.read_s for node in nodes.values()))
            version = documents_version(nodes, netcdf=netcdf)
            made = self._with_nodes(nodes, version) or self._make(found, netcdf, nodes, version)
            self._groups.put(question, version, asked_s)
            return made

    def _known_of_group(self, question: Question) -> Made | None:
        version = self._groups.get(question)
        return None if version is None else self._in_memory(version[0])

    def _contents(self, array: ArrayNode, netcdf: bool, wait: bool) -> tuple[Mapping[str, AnyNode], str]:
        """The nodes in the file of an array, and their version."""
        nodes = nodes_of(array, partial(self._node, wait=wait))
        return nodes, documents_version(nodes, netcdf=netcdf)

    @contextmanager
    def _alone(self, question: Question) -> Iterator[None]:
        """Other requests for the same file wait for this one."""
        with self._lock:
            making = self._making.setdefault(question, Lock())
        with making:
            yield

    def _make(
        self, node: Group | ArrayNode, netcdf: bool, nodes: Mapping[str, AnyNode], version: str
    ) -> Made:
        made = Made(HDF5File(node, netcdf=netcdf, nodes=nodes), version)
        self.count += 1
        self._sizes.put(version, made.file.size, _ANY_TIME)
        self._used[version] = made
        self._kept.put(version, made, _ANY_TIME, min(made.file.nbytes, _KEPT_NBYTES))
        return made

    def _in_memory(self, version: str) -> Made | None:
        kept = self._kept.get(version)
        return self._used.get(version) if kept is None else kept[0]

    def _with_nodes(self, nodes: Mapping[str, AnyNode], version: str) -> Made | None:
        """The file in memory with this version, if there is one. Its elements are read through these nodes from now on."""
        made = self._in_memory(version)
        if made is not None:
            made.file.take_nodes(nodes)
        return made

    def _node(self, path: str, wait: bool) -> AnyNode:
        node = self._arrays.node(path, wait)
        if node is None:
            raise NodeNotFoundError(path, self._arrays.hierarchy().url)
        return node


def _documents_nbytes(nodes: Mapping[str, AnyNode]) -> int:
    return sum(len(node.documents_text()) for node in nodes.values())


class NodeFile(File):
    """A node as a file. It has the size but not the bytes, since the kernel remembers many files."""

    __slots__ = ("_files", "_question", "_version", "is_sized", "mtime_s", "size")

    def __init__(
        self,
        files: HDF5Files,
        question: Question,
        mtime_s: float | None,
        version: str | None = None,
        size: int = 0,
    ) -> None:
        self._files = files
        self._question = question
        self._version = version
        self.mtime_s = mtime_s
        self.is_sized = version is not None
        self.size = size

    @property
    def version(self) -> str | None:
        return self._version

    def after(self, known: Entry) -> Entry:
        if self.is_sized or known.kind != self.kind or known.size == self.size:
            return self
        return NodeFile(self._files, self._question, self.mtime_s, size=known.size)

    def sized(self, wait: bool) -> File:
        return self._with(*self._files.sized(self._question, wait))

    def open(self, wait: bool) -> OpenFile:
        made = self._files.made(self._question, wait)
        if self._version not in (None, made.version):
            raise ChangedError(f"the documents of {self._question[0]} have changed")
        self._files.before_open()
        return OpenNodeFile(made, self._with(made.version, made.file.size))

    def _with(self, version: str, size: int) -> NodeFile:
        return NodeFile(self._files, self._question, self.mtime_s, version, size)


class OpenNodeFile(OpenDecoded):
    """A node's open file: everything except the elements stays as it is."""

    def __init__(self, made: Made, entry: NodeFile) -> None:
        super().__init__(made.file)
        self.version = made.version
        self.shown = entry
        self.made = made  # so that others who open it need not make it again
