"""The mount point: all trees as directories, or one tree itself, and the hidden control directory.

A new tree is a `TreeName`, and its root in `zarrfs.trees.store_trees`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, Final

from zarrfs.trees.caching import FIXED_PATH, PATH
from zarrfs.trees.entry import Directory, Entry, File, WritableOpenFile

CONTROL: Final = ".zarrscope"


class TreeName(StrEnum):
    """The trees of a mount, in the order of the listing, and the choices of ``--view``."""

    KEYS = "keys"
    ARRAYS = "arrays"
    ZARR3 = "zarr3"
    HDF5 = "hdf5"


class _Before(Directory):
    """A directory that passes changes on to another one."""

    def remove(self, name: str, wait: bool) -> None:
        self.behind(wait).remove(name, wait)

    def remove_directory(self, name: str, wait: bool) -> None:
        self.behind(wait).remove_directory(name, wait)

    def create(self, name: str, wait: bool) -> WritableOpenFile:
        return self.behind(wait).create(name, wait)

    def make_directory(self, name: str, wait: bool) -> Directory:
        return self.behind(wait).make_directory(name, wait)

    def rename(self, name: str, target: Directory, new_name: str, replace: bool, wait: bool) -> None:
        self.behind(wait).rename(name, target, new_name, replace, wait)

    def copy(self, file: File, name: str, wait: bool) -> None:
        self.behind(wait).copy(file, name, wait)

    def set_metadata(self, name: str, value: bytes | None) -> None:
        self.behind(wait=True).set_metadata(name, value)


class LazyTree(_Before):
    """A tree that is opened when it is used, so that the directory above can be listed even if the tree cannot.

    Args:
        make: makes the tree's root, with ``wait`` as in `Directory.lookup`. It is called each time, since the
            hierarchy may change.
        mode: its permissions.
    """

    caching = PATH
    mtime_s = None

    def __init__(self, make: Callable[[bool], Directory], mode: int = 0o555) -> None:
        self._make = make
        self._mode = mode

    @property
    def mode(self) -> int:
        return self._mode

    def behind(self, wait: bool) -> Directory:
        return self._make(wait)

    def lookup(self, name: str, wait: bool) -> Entry | None:
        return self._make(wait).lookup(name, wait)

    def metadata(self, wait: bool) -> dict[str, Any]:
        return self._make(wait).metadata(wait)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        return self._make(True).entries()


class NamedTrees(Directory):
    """A directory of trees.

    Args:
        trees: by name.
        mtime_s: the time that it shows.
    """

    caching = FIXED_PATH
    lists_at_once = True

    def __init__(self, trees: dict[str, Directory], mtime_s: float | None) -> None:
        self._trees = trees
        self.mtime_s = mtime_s

    def lookup(self, name: str, wait: bool) -> Entry | None:
        return self._trees.get(name)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        return iter(self._trees.items())


class WithControl(_Before):
    """A tree at the mount point, with `CONTROL` instead of a node or key of that name.

    The name is reserved, so that the mount's statistics can be read even if the store does not answer.

    Args:
        tree: the tree.
        control: the hidden directory.
    """

    caching = PATH
    mtime_s = None

    def __init__(self, tree: Directory, control: Directory) -> None:
        self._tree = tree
        self._control = control

    def behind(self, wait: bool) -> Directory:
        return self._tree.behind(wait)

    @property
    def mode(self) -> int:
        return self._tree.mode

    @property
    def lists_at_once(self) -> bool:
        return self._tree.lists_at_once

    def lookup(self, name: str, wait: bool) -> Entry | None:
        return self._control if name == CONTROL else self._tree.lookup(name, wait)

    def metadata(self, wait: bool) -> dict[str, Any]:
        return self._tree.metadata(wait)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        return ((name, entry) for name, entry in self._tree.entries() if name != CONTROL)
