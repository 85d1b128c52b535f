"""The listed names of a directory, in the order of a listing and by name."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import Final

import numpy as np

from zarrfs.fuse.inodes.block import Block

_NUMBER_BITS: Final = 40
_HASHES: Final = (1 << 63 - _NUMBER_BITS) - 1
_RECENT_MIN: Final = 1000
_start_of: Final = attrgetter("start")


class ListedNames:
    """The blocks of one directory.

    Attributes:
        blocks: in the order of their numbers.
        writer: the listing that added all names, each of which is thus new; None if there are several.
    """

    __slots__ = ("_index", "_recent", "blocks", "writer")

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.writer: Cursor | None = None
        self._index: array[int] | None = None
        """A few bits of each name's hash, and its number below them, in order."""
        self._recent: dict[str, int] = {}
        """Names added since the index was made."""

    def added(self, name: str, number: int) -> None:
        """Note that a name was added."""
        if self._index is not None:
            self._recent[name] = number
            if len(self._recent) > _RECENT_MIN + len(self._index) // 4:
                self._index = None

    def find(self, name: str) -> tuple[Block, int] | None:
        """The block and place of a name; the last one, if a listing named it several times."""
        index, hashed = self._indexed(), (hash(name) & _HASHES) << _NUMBER_BITS
        alike = index[bisect_left(index, hashed) : bisect_left(index, hashed + (1 << _NUMBER_BITS))]
        numbers = [key - hashed for key in alike]
        if name in self._recent:
            numbers.append(self._recent[name])
        for number in reversed(numbers):
            at = bisect_right(self.blocks, number, key=_start_of) - 1
            if at >= 0:
                block, place = self.blocks[at], number - self.blocks[at].start
                if block.is_current(place) and block.text(place) == name:
                    return block, place
        return None

    def _indexed(self) -> array[int]:
        if self._index is None:
            self._recent.clear()
            self._index = array(
                "q",
                (
                    (hash(name) & _HASHES) << _NUMBER_BITS | number
                    for block in self.blocks
                    for number, name in enumerate(block.texts(), block.start)
                ),
            )
            np.frombuffer(self._index, np.int64).sort()
        return self._index

    def reported(self) -> list[tuple[str, int]]:
        """The names that the kernel knows and that have no record, with their numbers."""
        return [name for block in self.blocks for name in block.reported()]

    def remove(self, block: Block) -> None:
        """Forget a block."""
        self.blocks.remove(block)
        if not self.blocks:
            self._index = None


class Cursor:
    """How far a listing is in the names of its directory, which were probably listed before, and in the same order.

    Args:
        parent: the number of the directory.
    """

    __slots__ = ("_texts", "block", "parent", "place")

    def __init__(self, parent: int) -> None:
        self.parent = parent
        self.block: Block | None = None
        self.place = 0
        self._texts: list[str] = []

    def find(self, names: ListedNames, name: str) -> tuple[Block, int] | None:
        """The block and place of the next name of the listing, if it was listed before."""
        if self.skip(names, name):
            block, place = self.block, self.place - 1
            if block is not None and block.is_current(place):
                return block, place
        found = names.find(name)
        if found is not None:
            self._enter(found[0], found[1] + 1)
        return found

    def skip(self, names: ListedNames, name: str) -> bool:
        """Pass the next name of the listing, if it is where it is expected."""
        if self.place >= len(self._texts):
            start = -1 if self.block is None else self.block.start
            following = bisect_right(names.blocks, start, key=_start_of)
            if following == len(names.blocks):
                return False
            self._enter(names.blocks[following], 0)
        if self._texts[self.place] != name:
            return False
        self.place += 1
        return True

    def _enter(self, block: Block, place: int) -> None:
        self.block, self.place, self._texts = block, place, block.texts()
