"""The planes of an array, one directory level per leading axis.

``slices/3/17.npy`` is ``array[3, 17]``. There may be millions of these names: none is remembered, directories and
files are computed from their place, and so are their inode numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterator
from typing import Final

from zarrcore.array import plane_ndim
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes import SUFFIXES, supported_suffixes
from zarrcore.hierarchy import ArrayNode
from zarrfs.views.decoded import DecodedFile
from zarrfs.views.entry import Directory, Entry, Numbering

_NUMBER: Final = re.compile(r"0|[1-9][0-9]*")


class Slices(Numbering):
    """All directories and files below ``slices/`` of one array.

    Places are dealt out level by level: first the directories of the first leading axis, then those of the first
    two, …, last the files, as many per plane as there are file types.

    Attributes:
        depth: how many axes lead.
    """

    def __init__(
        self, array: ArrayNode, mtime_s: float | None, shown: tuple[str, ...], before_open: Callable[[], None]
    ) -> None:
        self.array = array
        self.mtime_s = mtime_s
        self.depth = array.ndim - plane_ndim(array.shape, array.dtype)
        self.lengths = array.shape[: self.depth]
        self._before_open = before_open
        self._shown = shown
        self._supported: tuple[str, ...] | None = None
        self._sizes: dict[str, int] = {}
        self._level_starts = [0]
        for level in range(1, self.depth):
            self._level_starts.append(self._level_starts[-1] + math.prod(self.lengths[:level]))
        self.count = self._level_starts[-1] + math.prod(self.lengths) * len(SUFFIXES)
        self.key: Hashable = (array.path, array.shape, array.dtype.str)

    def root(self) -> SliceDirectory:
        """The directory ``slices`` itself, which has no place here: its number is remembered as any other."""
        return SliceDirectory(self, ())

    def supported(self) -> tuple[str, ...]:
        """The file types that a plane can have."""
        if self._supported is None:
            first = (0,) * self.depth
            self._supported = (
                supported_suffixes(self.array, selection=first) if math.prod(self.lengths) else ()
            )
        return self._supported

    def shown(self) -> list[str]:
        """The file types that listings show."""
        return [suffix for suffix in self._shown if suffix in self.supported()]

    def place(self, index: tuple[int, ...], suffix: str | None = None) -> int:
        """The place of a directory, or of a plane's file of one type."""
        flat = 0
        for position, length in zip(index, self.lengths, strict=False):
            flat = flat * length + position
        if suffix is None:
            return self._level_starts[len(index) - 1] + flat
        return self._level_starts[-1] + flat * len(SUFFIXES) + SUFFIXES.index(suffix)

    def entry(self, place: int) -> Entry:
        files = place - self._level_starts[-1]
        if files >= 0:
            flat, suffix = divmod(files, len(SUFFIXES))
            return self.file(self._unravel(flat, self.depth), SUFFIXES[suffix])
        level = next(
            level for level in range(self.depth - 1, 0, -1) if place >= self._level_starts[level - 1]
        )
        return SliceDirectory(self, self._unravel(place - self._level_starts[level - 1], level))

    def _unravel(self, flat: int, level: int) -> tuple[int, ...]:
        index: list[int] = []
        for length in reversed(self.lengths[:level]):
            flat, position = divmod(flat, length)
            index.append(position)
        return tuple(reversed(index))

    def file(self, index: tuple[int, ...], suffix: str) -> SliceFile:
        """The file of one type of one plane.

        Raises:
            UnsupportedError: planes of this array have no file of that type.
        """
        if suffix not in self.supported():
            raise UnsupportedError("file type", suffix, f"cannot hold {self.array.path}")
        return SliceFile(self, index, suffix)

    def size(self, index: tuple[int, ...], suffix: str) -> int:
        """Bytes of a plane's file; all planes are alike, so that it is worked out once."""
        if suffix not in self._sizes:
            self._sizes[suffix] = DecodedFile(self.array, index, suffix, self.mtime_s, self._before_open).size
        return self._sizes[suffix]

    @property
    def before_open(self) -> Callable[[], None]:
        """Called before a decoded file is opened."""
        return self._before_open


class SliceFile(DecodedFile):
    """One plane in one file type."""

    __slots__ = ("_index", "_slices")

    def __init__(self, slices: Slices, index: tuple[int, ...], suffix: str) -> None:
        size = slices.size(index, suffix)
        super().__init__(slices.array, index, suffix, slices.mtime_s, slices.before_open, size)
        self._slices = slices
        self._index = index

    @property
    def numbered(self) -> tuple[Numbering, int]:
        return self._slices, self._slices.place(self._index, self._suffix)


class SliceDirectory(Directory):
    """The planes whose first indices are given."""

    __slots__ = ("_index", "_slices", "mtime_s")

    def __init__(self, slices: Slices, index: tuple[int, ...]) -> None:
        self._slices = slices
        self._index = index
        self.mtime_s = slices.mtime_s

    @property
    def numbered(self) -> tuple[Numbering, int] | None:
        return (self._slices, self._slices.place(self._index)) if self._index else None

    @property
    def lists_at_once(self) -> bool:
        return True

    def lookup(self, name: str, wait: bool) -> Entry | None:
        number, dot, suffix = name.partition(".")
        if not _NUMBER.fullmatch(number) or len(number) > 19:
            return None
        position, slices = int(number), self._slices
        if position >= slices.lengths[len(self._index)]:
            return None
        index = (*self._index, position)
        if len(index) < slices.depth:
            return None if dot else SliceDirectory(slices, index)
        return SliceFile(slices, index, suffix) if suffix in slices.supported() else None

    def entries(self) -> Iterator[tuple[str, Entry]]:
        return self.entries_from(0)

    def entries_from(self, position: int) -> Iterator[tuple[str, Entry]]:
        slices, length = self._slices, self._slices.lengths[len(self._index)]
        if len(self._index) + 1 < slices.depth:
            for number in range(position, length):
                yield str(number), SliceDirectory(slices, (*self._index, number))
            return
        suffixes = slices.shown()
        for place in range(position, length * len(suffixes)):
            number, which = divmod(place, len(suffixes))
            yield f"{number}.{suffixes[which]}", SliceFile(slices, (*self._index, number), suffixes[which])
