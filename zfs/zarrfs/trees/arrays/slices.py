"""The planes of an array, one directory level for each leading axis: ``slices/3/17.npy`` is ``array[3, 17]``."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from functools import partial
from typing import Final

from zarrcore.array import plane_ndim
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes import SUFFIXES, virtual_file
from zarrcore.hierarchy import ArrayNode
from zarrfs.trees.arrays.decoded import DecodedFile
from zarrfs.trees.arrays.grid import Grid
from zarrfs.trees.entry import File, Numbering

_ENDINGS: Final = tuple(f".{suffix}" for suffix in SUFFIXES)


class Slices(Grid):
    """All directories and files below ``slices/`` of one array; `depth` is the number of leading axes.

    Args:
        array: the array.
        mtime_s: when its document was written.
        shown: suffixes that listings show, if planes can have such a file.
        before_open: called before a decoded file is opened.
    """

    def __init__(
        self, array: ArrayNode, mtime_s: float | None, shown: tuple[str, ...], before_open: Callable[[], None]
    ) -> None:
        lengths = array.shape[: array.ndim - plane_ndim(array.shape, array.dtype)]
        super().__init__(lengths, _ENDINGS, mtime_s)
        self.array = array
        self.before_open = before_open
        self._shown = shown
        self._sizes: dict[str, int | None] = {}
        self.key: Hashable = ("slices", array.path, array.version)

    def shown(self) -> list[str]:
        return [f".{suffix}" for suffix in self._shown if self.size(suffix) is not None]

    def file(self, index: tuple[int, ...], ending: str, wait: bool) -> File | None:
        suffix = ending[1:]
        size = self.size(suffix) if ending in _ENDINGS else None
        return None if size is None else SliceFile(self, index, suffix, size)

    def size(self, suffix: str) -> int | None:
        """The size of a plane's file; None if there is no such file. All planes are alike, so it is computed once."""
        if suffix not in self._sizes:
            self._sizes[suffix] = self._size(suffix) if math.prod(self.lengths) else None
        return self._sizes[suffix]

    def _size(self, suffix: str) -> int | None:
        try:
            return virtual_file(self.array, selection=(0,) * self.depth, suffix=suffix).size
        except UnsupportedError:
            return None


class SliceFile(DecodedFile):
    """One plane in one file type."""

    __slots__ = ("_ending", "_index", "_slices")

    def __init__(self, slices: Slices, index: tuple[int, ...], suffix: str, size: int) -> None:
        make = partial(virtual_file, slices.array, index, suffix)
        super().__init__(make, None, slices.mtime_s, slices.before_open, size)
        self._slices = slices
        self._index = index
        self._ending = f".{suffix}"

    @property
    def numbered(self) -> tuple[Numbering, int]:
        return self._slices, self._slices.place(self._index, self._ending)
