"""Nodes as HDF5 and NetCDF-4 files: made when their size is requested or when they are opened, and then kept.

Only the metadata are made, which determine the size; elements are decoded when they are read. Listing and looking up
names makes no file. An open file stays as it is: when the metadata change, opening the name again
gives another file.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Final
from weakref import ReferenceType, WeakValueDictionary, ref

from zarrcore.errors import NodeNotFoundError
from zarrcore.filetypes import HDF5File
from zarrcore.hierarchy import AnyNode, BrokenNode, Group
from zarrfs.trees.arrays.decoded import OpenDecoded
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import Entry, File, OpenFile
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Remembered

_KEPT_NBYTES: Final = 64 << 20
"""Memory for files that are not open; the last one made is always kept."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Made:
    """The file."""

    file: HDF5File
    version: str
    """Equal for the same node with the same metadata."""


class HDF5Files:
    """The files made of a hierarchy's nodes, by the path of a node and whether the file is NetCDF-4.

    Args:
        arrays: finds the nodes.

    Attributes:
        count: the number of files made so far.
    """

    def __init__(self, arrays: ArraysTree) -> None:
        self.count = 0
        self.before_open = arrays.before_open
        self._arrays = arrays
        self._made: Remembered[tuple[str, bool], Made] = Remembered(arrays.freshness, _KEPT_NBYTES)
        self._making: WeakValueDictionary[tuple[str, bool], Lock] = WeakValueDictionary()
        self._lock = Lock()

    @property
    def kept_nbytes(self) -> int:
        """The approximate memory of the files that are kept, in bytes."""
        return self._made.weight

    def file(self, node: AnyNode, *, netcdf: bool) -> File:
        """The file of a node; its size is known if the file is in memory."""
        question = node.path, netcdf
        known = self._made.get(question)
        return NodeFile(self, question, self._arrays.mtime_s(node), None if known is None else known[0])

    def made(self, question: tuple[str, bool], wait: bool) -> Made:
        """The file, made of metadata within the time to live.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
            NodeNotFoundError: the node was removed.
            As `HDF5File`.
        """
        known = self._made.get(question)
        if known is not None:
            return known[0]
        if not wait:
            raise WouldBlockError
        with self._lock:
            making = self._making.setdefault(question, Lock())
        # Other requests for the same file wait for this one.
        with making:
            known = self._made.get(question)
            return self._make(question) if known is None else known[0]

    def _make(self, question: tuple[str, bool]) -> Made:
        path, netcdf = question
        freshness, hierarchy = self._arrays.freshness, self._arrays.hierarchy()
        asked_s = freshness.now()

        def find(path: str) -> AnyNode:
            nonlocal asked_s
            node, node_asked_s = self._arrays.dated_node(path, wait=True)
            if node is None:
                raise NodeNotFoundError(path, hierarchy.url)
            asked_s = min(asked_s, node_asked_s)
            return node

        node = find(path)
        if isinstance(node, Group):  # the documents of all nodes below are read, too, which may take long
            asked_s = freshness.now()
            node = hierarchy.node(path)
        if isinstance(node, BrokenNode):
            raise node.error
        file = HDF5File(node, netcdf=netcdf, find=find)
        self.count += 1
        made = Made(file, f"{path} {netcdf} {file.version}")
        self._made.put(question, made, asked_s, min(file.nbytes, _KEPT_NBYTES))
        return made


class NodeFile(File):
    """A node as a file. It keeps the size but not the bytes, since the kernel remembers many files."""

    __slots__ = ("_files", "_made", "_question", "_version", "is_sized", "mtime_s", "size")

    def __init__(
        self,
        files: HDF5Files,
        question: tuple[str, bool],
        mtime_s: float | None,
        made: Made | None,
        told_size: int = 0,
    ) -> None:
        self._files = files
        self._question = question
        self._made: ReferenceType[Made] | None = None if made is None else ref(made)
        self._version = None if made is None else made.version
        self.mtime_s = mtime_s
        self.is_sized = made is not None
        self.size = told_size if made is None else made.file.size

    @property
    def version(self) -> str | None:
        return self._version

    def after(self, known: Entry) -> Entry:
        if self.is_sized or not isinstance(known, File) or known.size == self.size:
            return self
        return NodeFile(self._files, self._question, self.mtime_s, None, known.size)

    def sized(self, wait: bool) -> File:
        return self._of(self._files.made(self._question, wait))

    def open(self, wait: bool) -> OpenFile:
        made = None if self._made is None else self._made()
        if made is None:
            made = self._files.made(self._question, wait)
        self._files.before_open()
        return OpenNodeFile(made, self._of(made))

    def _of(self, made: Made) -> NodeFile:
        return NodeFile(self._files, self._question, self.mtime_s, made)


class OpenNodeFile(OpenDecoded):
    """A node's open file: everything except the elements stays as it is."""

    def __init__(self, made: Made, entry: NodeFile) -> None:
        super().__init__(made.file)
        self.version = made.version
        self.shown = entry
        self._made = made  # so that others who open it need not make it again
