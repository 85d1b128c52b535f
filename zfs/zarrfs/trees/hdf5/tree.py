"""The same hierarchy as HDF5 and NetCDF-4 files, for programs that only read these formats.

A group is a directory of its nodes. An array is the file ``NAME.h5``, which also holds its coordinates. Each group as a whole is
the file ``__all__.h5``, a name that the specification reserves, and that wins over nodes. Each file also exists as NetCDF-4,
``.nc``. A node that no such file can hold is a directory with ``error.txt``.

Files of groups are not listed: a recursive copy would copy each array many times, and programs that look at each listed
name (such as coloured ``ls``) would cause all documents below to be read, level by level.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from zarrcore.errors import UnsupportedError
from zarrcore.filetypes import FILE_TYPES
from zarrcore.filetypes.hdf5 import stored
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group
from zarrfs.trees.arrays.group_directory import ErrorDirectory
from zarrfs.trees.arrays.node_metadata import metadata_of
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import Directory, Entry
from zarrfs.trees.errors import fault
from zarrfs.trees.hdf5.file import HDF5Files
from zarrfs.trees.names import file_name

SUFFIXES: Final = tuple(kind.suffix for kind in FILE_TYPES if not kind.takes_selection)
"""The file types of whole nodes."""
_ALL: Final = "__all__"


class HDF5Tree:
    """The tree.

    Args:
        arrays: finds the nodes, and remembers them for all trees.
    """

    def __init__(self, arrays: ArraysTree) -> None:
        self.arrays = arrays
        self.files = HDF5Files(arrays)
        self.shown = tuple(suffix for suffix in SUFFIXES if suffix in arrays.shown)

    def root(self, wait: bool) -> Directory:
        """The tree's root; if there is no hierarchy, a directory that says so."""
        return self.arrays.root(wait, lambda node: self.directory(node) or HDF5Directory(node, self))

    def directory(self, node: AnyNode) -> Directory | None:
        """The directory of a node; None for an array that has a file."""
        if isinstance(node, Group):
            return HDF5Directory(node, self)
        if not isinstance(node, ArrayNode):
            return ErrorDirectory(node.error)
        try:
            _check(node, "h5")
        except UnsupportedError as error:
            return ErrorDirectory(error)
        return None


class HDF5Directory(Directory):
    """A group: its nodes, and the files of the whole group; a root that is an array has only these files."""

    __slots__ = ("_node", "_tree", "mtime_s")

    def __init__(self, node: AnyNode, tree: HDF5Tree) -> None:
        self._node = node
        self._tree = tree
        self.mtime_s = tree.arrays.mtime_s(node)

    def lookup(self, name: str, wait: bool) -> Entry | None:
        stem, _, suffix = name.rpartition(".")
        if stem == _ALL and suffix in SUFFIXES:
            return self._file(self._node, suffix, wait)
        if not isinstance(self._node, Group):
            return None
        arrays = self._tree.arrays
        array = arrays.child(self._node, stem, wait) if suffix in SUFFIXES else None
        if isinstance(array, ArrayNode):
            return self._file(array, suffix, wait)
        node = arrays.child(self._node, name, wait)
        if node is None and isinstance(array, BrokenNode):
            raise fault(array.error)
        return None if node is None else self._tree.directory(node)

    def _file(self, node: AnyNode, suffix: str, wait: bool) -> Entry:
        if isinstance(node, ArrayNode):
            _check(node, suffix)
        return self._tree.files.file(node, netcdf=suffix == "nc", wait=wait)

    def metadata(self, wait: bool) -> dict[str, Any]:
        return metadata_of(self._node)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        if not isinstance(self._node, Group):
            yield from self._files(self._node, _ALL)
            return
        for node in self._tree.arrays.children(self._node):
            name, shown = file_name(node.name), self._tree.directory(node)
            if shown is not None and not self._is_name_of_array(name):
                yield name, shown
            elif shown is None and node.name != _ALL:
                yield from self._files(node, name)

    def _files(self, node: AnyNode, name: str) -> Iterator[tuple[str, Entry]]:
        for suffix in self._tree.shown:
            with suppress(UnsupportedError):
                yield f"{name}.{suffix}", self._file(node, suffix, wait=True)

    def _is_name_of_array(self, name: str) -> bool:
        """Whether a lookup takes a node's name for the name of an array's file."""
        stem, _, suffix = name.rpartition(".")
        return (
            suffix in SUFFIXES
            and isinstance(self._node, Group)
            and isinstance(self._tree.arrays.child(self._node, stem, wait=True), ArrayNode)
        )


def _check(array: ArrayNode, suffix: str) -> None:
    """Check that an array can have such a file.

    Raises:
        UnsupportedError: it cannot hold the array's elements.
    """
    try:
        stored(array.data_type, netcdf=suffix == "nc")
    except UnsupportedError as error:
        raise UnsupportedError("array", array.uri, f"has no {suffix} file: {error}") from error
