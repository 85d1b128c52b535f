"""A file for each index of a grid and each file type, with one directory level for each dimension: ``3/17.npy``, ``3/17``.

There may be millions of these names, so none is remembered: directories, files and their inode numbers are computed from
their place.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final

from zarrfs.trees.entry import Directory, Entry, File, Numbering

_INDEX: Final = re.compile(r"(?P<index>0|[1-9][0-9]{0,18})(?P<ending>\..*)?", re.DOTALL)


class Grid(Numbering):
    """All directories and files below one directory.

    Places are numbered level by level: first the directories of the first dimension, then those of the first
    two, …, last the files, one for each index and ending.

    Args:
        lengths: the number of indices in each dimension; at least one dimension.
        endings: the possible endings of a file's name after its index.
        mtime_s: the time of all of them.
    """

    lists_at_once = True

    def __init__(self, lengths: tuple[int, ...], endings: Sequence[str], mtime_s: float | None) -> None:
        self.lengths = lengths
        self.depth = len(lengths)
        self.mtime_s = mtime_s
        self._endings = tuple(endings)
        self._level_starts = [0]
        for level in range(1, self.depth):
            self._level_starts.append(self._level_starts[-1] + math.prod(lengths[:level]))
        self.count = self._level_starts[-1] + math.prod(lengths) * len(endings)

    @abstractmethod
    def shown(self) -> Sequence[str]:
        """The endings that listings show."""

    @abstractmethod
    def file(self, index: tuple[int, ...], ending: str, wait: bool) -> File | None:
        """The file of an index; None if there is none with that ending.

        Raises:
            WouldBlockError: this needs waiting, and ``wait`` is False.
        """

    def root(self) -> GridDirectory:
        """The top directory, which has no place here: its inode number is remembered like any other."""
        return GridDirectory(self, ())

    def place(self, index: tuple[int, ...], ending: str | None = None) -> int:
        """The place of a directory, or of a file with one ending."""
        flat = 0
        for position, length in zip(index, self.lengths, strict=False):
            flat = flat * length + position
        if ending is None:
            return self._level_starts[len(index) - 1] + flat
        return self._level_starts[-1] + flat * len(self._endings) + self._endings.index(ending)

    def entry(self, place: int) -> Entry:
        files = place - self._level_starts[-1]
        if files >= 0:
            flat, ending = divmod(files, len(self._endings))
            file = self.file(self._unravel(flat, self.depth), self._endings[ending], wait=True)
            if file is None:
                raise LookupError(f"no file has place {place}")
            return file
        level = next(
            level for level in range(self.depth - 1, 0, -1) if place >= self._level_starts[level - 1]
        )
        return GridDirectory(self, self._unravel(place - self._level_starts[level - 1], level))

    def _unravel(self, flat: int, level: int) -> tuple[int, ...]:
        index: list[int] = []
        for length in reversed(self.lengths[:level]):
            flat, position = divmod(flat, length)
            index.append(position)
        return tuple(reversed(index))


class GridDirectory(Directory):
    """The files whose first indices are given."""

    __slots__ = ("_grid", "_index", "mtime_s")

    def __init__(self, grid: Grid, index: tuple[int, ...]) -> None:
        self._grid = grid
        self._index = index
        self.mtime_s = grid.mtime_s

    @property
    def numbered(self) -> tuple[Numbering, int] | None:
        return (self._grid, self._grid.place(self._index)) if self._index else None

    @property
    def lists_at_once(self) -> bool:
        return self._grid.lists_at_once

    def lookup(self, name: str, wait: bool) -> Entry | None:
        found, grid = _INDEX.fullmatch(name), self._grid
        if found is None or int(found["index"]) >= grid.lengths[len(self._index)]:
            return None
        index, ending = (*self._index, int(found["index"])), found["ending"] or ""
        if len(index) < grid.depth:
            return None if ending else GridDirectory(grid, index)
        return grid.file(index, ending, wait)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        return self.entries_from(0)

    def entries_from(self, position: int) -> Iterator[tuple[str, Entry]]:
        grid, length = self._grid, self._grid.lengths[len(self._index)]
        if len(self._index) + 1 < grid.depth:
            for number in range(position, length):
                yield str(number), GridDirectory(grid, (*self._index, number))
            return
        endings = grid.shown()
        for place in range(position, length * len(endings)):
            number, which = divmod(place, len(endings))
            file = grid.file((*self._index, number), endings[which], wait=True)
            if file is not None:
                yield f"{number}{endings[which]}", file
