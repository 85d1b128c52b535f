"""The same hierarchy as accepted Zarr v3 with plain chunks: any v3 reader can read through it what zarrcore decodes.

A group is a directory of its nodes with ``zarr.json``, an array a directory of ``zarr.json`` and ``c/…``. A node that Zarr v3
cannot express, or zarrcore cannot decode, has ``error.txt`` and no ``zarr.json``. A chunk that does not decode is an error,
so that a reader never takes it for the fill value.

Every chunk of the grid exists here. A chunk that the store lacks reads as the fill value, at the cost of one request to
the store when it is read. Reporting it as missing would cost that request for each name that is looked up or listed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final

from zarrcore.errors import UnsupportedError, ZarrError
from zarrcore.filetypes import PlainChunks, group_document
from zarrcore.hierarchy import AnyNode, ArrayNode, Group
from zarrfs.trees.arrays.decoded import OpenDecoded
from zarrfs.trees.arrays.documents import DocumentFile
from zarrfs.trees.arrays.grid import Grid
from zarrfs.trees.arrays.group_directory import ErrorDirectory
from zarrfs.trees.arrays.node_metadata import metadata_of
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import Directory, Entry, File, Numbering, OpenFile
from zarrfs.trees.freshness import Remembered
from zarrfs.trees.names import file_name

_DOCUMENT: Final = "zarr.json"
_CHUNKS: Final = "c"
_ARRAYS_MAX: Final = 1000
"""The arrays whose plain chunks are remembered."""

Plain = Directory | PlainChunks
"""The plain chunks of an array, or a directory with the reason why it has none."""


class Zarr3Tree:
    """The tree.

    Args:
        arrays: finds the nodes, and remembers them for all trees.
    """

    def __init__(self, arrays: ArraysTree) -> None:
        self.arrays = arrays
        self._plain: Remembered[str, tuple[ArrayNode, Plain]] = Remembered(arrays.freshness, _ARRAYS_MAX)

    def root(self, wait: bool) -> Directory:
        """The tree's root; if there is no hierarchy, a directory that says so."""
        return self.arrays.root(wait, self.directory)

    def directory(self, node: AnyNode) -> Directory:
        """The directory of a node."""
        if isinstance(node, ArrayNode):
            return Zarr3Array(node, self)
        if isinstance(node, Group):
            return Zarr3Group(node, self)
        return UndecodedNode(node.error)

    def plain(self, node: ArrayNode) -> Plain:
        """The plain chunks of an array, or the reason why Zarr v3 cannot express it.

        They are remembered: a front end that remembers no directories asks for each chunk.
        """
        known = self._plain.get(node.path)
        if known is not None and known[0][0] is node:
            return known[0][1]
        return self._plain.learn(node.path, lambda: (node, _plain(node)))[1]


def _plain(node: ArrayNode) -> Plain:
    try:
        return PlainChunks(node)
    except ZarrError as error:
        return UndecodedNode(error)


class UndecodedNode(ErrorDirectory):
    """A node that cannot be shown as Zarr v3, with the reason.

    One that zarrcore understands and cannot decode has no ``zarr.json``, so that readers list the nodes beside it. Whether a
    damaged node has one is unknown.
    """

    __slots__ = ()

    def lookup(self, name: str, wait: bool) -> Entry | None:
        if name == _DOCUMENT and isinstance(self.error, UnsupportedError):
            return None
        return super().lookup(name, wait)


class Zarr3Group(Directory):
    """A group, or a collection, which is a group here: its nodes and ``zarr.json``."""

    __slots__ = ("_node", "_tree", "mtime_s")

    def __init__(self, node: Group, tree: Zarr3Tree) -> None:
        self._node = node
        self._tree = tree
        self.mtime_s = tree.arrays.mtime_s(node)

    def lookup(self, name: str, wait: bool) -> Entry | None:
        if name == _DOCUMENT:
            return self._document()
        node = self._tree.arrays.child(self._node, name, wait)
        return None if node is None else self._tree.directory(node)

    def metadata(self, wait: bool) -> dict[str, Any]:
        return metadata_of(self._node)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        yield _DOCUMENT, self._document()
        for node in self._tree.arrays.children(self._node):
            if node.name != _DOCUMENT:  # a Zarr v3 reader could not distinguish such a node from the document
                yield file_name(node.name), self._tree.directory(node)

    def _document(self) -> Entry:
        return DocumentFile(lambda: group_document(self._node.attributes), self.mtime_s)


class Zarr3Array(Directory):
    """An array: ``zarr.json`` and its chunks, or the reason why Zarr v3 cannot express it."""

    __slots__ = ("_known", "_node", "_tree", "mtime_s")

    def __init__(self, node: ArrayNode, tree: Zarr3Tree) -> None:
        self._node = node
        self._tree = tree
        self._known: Plain | None = None
        self.mtime_s = tree.arrays.mtime_s(node)

    def _plain(self) -> Plain:
        # Computed when the directory is opened: listing a group of thousands only needs names.
        if self._known is None:
            self._known = self._tree.plain(self._node)
        return self._known

    def lookup(self, name: str, wait: bool) -> Entry | None:
        plain = self._plain()
        if isinstance(plain, Directory):
            return plain.lookup(name, wait)
        if name == _DOCUMENT:
            return DocumentFile(lambda: plain.document, self.mtime_s)
        if name != _CHUNKS:
            return None
        chunks = Chunks(self._node, plain, self._tree.arrays)
        return chunks.root() if chunks.depth else chunks.file((), "", wait)

    def metadata(self, wait: bool) -> dict[str, Any]:
        return metadata_of(self._node)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        plain = self._plain()
        if isinstance(plain, Directory):
            yield from plain.entries()
            return
        for name in (_DOCUMENT, _CHUNKS):
            entry = self.lookup(name, wait=True)
            if entry is not None:
                yield name, entry


class Chunks(Grid):
    """All directories and files below ``c/`` of one array.

    The size of a chunk of elements of variable length is unknown before the chunk is made. Such chunks are made even for a
    listing, since a copy without them would read as fill values.
    """

    def __init__(self, node: ArrayNode, plain: PlainChunks, arrays: ArraysTree) -> None:
        super().__init__(plain.grid_shape, ("",), arrays.mtime_s(node))
        self.plain = plain
        self.arrays = arrays
        self.lists_at_once = plain.nbytes is not None
        self.key: Hashable = (_CHUNKS, node.path, node.version)
        self._node = node

    def shown(self) -> tuple[str, ...]:
        return ("",)

    def file(self, index: tuple[int, ...], ending: str, wait: bool) -> File | None:
        if ending:
            return None
        if self.plain.nbytes is not None:
            return ChunkFile(self, index, self.plain.nbytes)
        question, plain = (self._node.path, "/".join((_CHUNKS, *map(str, index)))), self.plain
        return self.arrays.texts.made(
            question, lambda: plain.encoded(index), self._node.uri, self.mtime_s, wait
        )


class ChunkFile(File):
    """One chunk of plain elements; its size is computed from metadata."""

    __slots__ = ("_chunks", "_index", "mtime_s", "size")

    def __init__(self, chunks: Chunks, index: tuple[int, ...], size: int) -> None:
        self._chunks = chunks
        self._index = index
        self.mtime_s = chunks.mtime_s
        self.size = size

    @property
    def numbered(self) -> tuple[Numbering, int] | None:
        return (self._chunks, self._chunks.place(self._index, "")) if self._index else None

    def open(self, wait: bool) -> OpenFile:
        self._chunks.arrays.before_open()
        return OpenDecoded(self._chunks.plain.chunk(self._index))
