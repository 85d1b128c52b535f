"""The mount point: both trees side by side, or one of them by itself; beside either, hidden, what controls the mount."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from zarrfs.views.entry import Directory, Entry

CONTROL: Final = ".zarrscope"


class NamedTrees(Directory):
    """A directory of trees, each made when it is first looked at.

    Args:
        trees: by name, how to make one; called with ``wait`` as `Directory.lookup` is.
        mtime_s: what to show as its time.
    """

    def __init__(self, trees: dict[str, Callable[[bool], Entry]], mtime_s: float | None) -> None:
        self._trees = trees
        self.mtime_s = mtime_s

    def lookup(self, name: str, wait: bool) -> Entry | None:
        make = self._trees.get(name)
        return None if make is None else make(wait)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        for name, make in self._trees.items():
            yield name, make(True)


class WithControl(Directory):
    """A tree at the mount point, with `CONTROL` beside its names: a real name always wins.

    Args:
        tree: makes the tree's root; called each time, since what it shows may become another thing.
        control: the hidden directory.
    """

    def __init__(self, tree: Callable[[bool], Directory], control: Directory) -> None:
        self._tree = tree
        self._control = control
        self.mtime_s = None

    def lookup(self, name: str, wait: bool) -> Entry | None:
        entry = self._tree(wait).lookup(name, wait)
        return self._control if entry is None and name == CONTROL else entry

    def entries(self) -> Iterator[tuple[str, Entry]]:
        return self._tree(True).entries()
