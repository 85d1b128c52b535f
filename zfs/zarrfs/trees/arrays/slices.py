"""The planes of an array, one directory level for each leading axis: ``slices/3/17.npy`` is ``array[3, 17]``."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Final

from zarrcore.array import plane_ndim
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes import SUFFIXES, FileType, file_type
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
        facts: like that of `ArrayDirectory`.
    """

    def __init__(
        self,
        array: ArrayNode,
        mtime_s: float | None,
        shown: tuple[str, ...],
        before_open: Callable[[], None],
        facts: Callable[[FileType, bool], Any],
    ) -> None:
        lengths = array.shape[: _depth(array)]
        super().__init__(lengths, _ENDINGS, mtime_s)
        self.array = array
        self.before_open = before_open
        self._shown = shown
        self._facts = facts
        self._sizes: dict[str, tuple[Any, int | None]] = {}
        self.lists_at_once = not any(file_type(suffix).facts for suffix in shown)
        self.key: Hashable = ("slices", array.path, array.version)

    def shown(self) -> list[str]:
        return [f".{suffix}" for suffix in self._shown if self._size(suffix, wait=True)[1] is not None]

    def file(self, index: tuple[int, ...], ending: str, wait: bool) -> File | None:
        if ending not in _ENDINGS:
            return None
        facts, size = self._size(ending[1:], wait)
        return None if size is None else SliceFile(self, index, ending[1:], facts, size)

    def _size(self, suffix: str, wait: bool) -> tuple[Any, int | None]:
        """What other nodes say for a file type, and the size of a plane's file; None if there is no such file.

        All planes are alike, so the size is computed once.
        """
        kind = file_type(suffix)
        facts = self._facts(kind, wait)
        known = self._sizes.get(suffix)
        if known is None or known[0] is not facts:
            known = self._sizes[suffix] = facts, self._computed(kind, facts)
        return known

    def _computed(self, kind: FileType, facts: Any) -> int | None:
        if not math.prod(self.lengths):
            return None
        try:
            return kind.of_array(self.array, (0,) * self.depth, facts).size
        except UnsupportedError:
            return None


class SliceFile(DecodedFile):
    """One plane in one file type."""

    __slots__ = ("_ending", "_index", "_slices")

    def __init__(self, slices: Slices, index: tuple[int, ...], suffix: str, facts: Any, size: int) -> None:
        make = partial(file_type(suffix).of_array, slices.array, index, facts)
        super().__init__(make, None, slices.mtime_s, slices.before_open, size)
        self._slices = slices
        self._index = index
        self._ending = f".{suffix}"

    @property
    def numbered(self) -> tuple[Numbering, int]:
        return self._slices, self._slices.place(self._index, self._ending)


def _depth(array: ArrayNode) -> int:
    """The number of leading axes."""
    return array.ndim - plane_ndim(array.shape, array.dtype)


def plane_name(array: ArrayNode, ending: str, selection: tuple[int | slice, ...]) -> str:
    """The name of the file of a plane, relative to the directory of its array.

    Args:
        array: the array.
        ending: the ending of the name, with the dot.
        selection: an index for each dimension outside the plane, and ``slice(None)`` for the others.
    """
    leading = [item for item in selection[: _depth(array)] if not isinstance(item, slice)]
    rest = selection[len(leading) :]
    if leading and all(isinstance(item, slice) for item in rest) and len(leading) == _depth(array):
        return f"slices/{'/'.join(map(str, leading))}{ending}"
    return f"{','.join('_' if isinstance(item, slice) else str(item) for item in selection)}{ending}"
