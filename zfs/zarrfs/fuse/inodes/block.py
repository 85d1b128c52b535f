"""Listed names with consecutive numbers, in few bytes."""

from __future__ import annotations

import math
from array import array
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from zarrfs.fuse.inodes.inode import Forgotten, Inode
from zarrfs.trees.entry import Entry

if TYPE_CHECKING:  # the names of a directory are in blocks
    from zarrfs.fuse.inodes.listed_names import ListedNames

BLOCK: Final = 256
"""The most names in a block: a power of two, so that a number's bits give block and place."""
IN_USE: Final = 255
"""In place of a count of references: the number has a record, which counts them."""
_BLOCK_NBYTES: Final = 600
_NAME_NBYTES: Final = 28


class Block:
    """Names of one directory, whose numbers are consecutive.

    Attributes:
        start: the number of the first name.
        parent: the number of the directory.
        names: the names of the directory that it belongs to.
        lookups: how many references the kernel holds to each name, or `IN_USE`.
        known: what the kernel knows of each number, as `Forgotten.known_of`; inverted, and thus negative, if the name
            leads elsewhere, so that the number will not be used again.
        entries: the first entries of one listing; None if they are no longer kept.
        taken_s: when the oldest answer that they were made from was requested.
        nbytes: roughly the memory that it takes, without the entries.
    """

    __slots__ = (
        "_starts",
        "_texts",
        "entries",
        "known",
        "lookups",
        "names",
        "nbytes",
        "parent",
        "start",
        "taken_s",
    )

    def __init__(self, start: int, parent: int, names: ListedNames) -> None:
        self.start = start
        self.parent = parent
        self.names = names
        self.lookups = bytearray()
        self.known = array("q")
        self.entries: list[Entry | None] | None = None
        self.taken_s = -math.inf
        self.nbytes = _BLOCK_NBYTES
        self._texts: list[str] | str = []
        """The names; in a sealed block, one text."""
        self._starts = array("I")
        """Where each name begins in that text, and its end."""

    def texts(self) -> list[str]:
        """The names, in the order of their numbers."""
        texts = self._texts
        if isinstance(texts, list):
            return texts
        return [texts[start:end] for start, end in pairwise(self._starts)]

    def text(self, place: int) -> str:
        """The name at a place."""
        if isinstance(self._texts, list):
            return self._texts[place]
        return self._texts[self._starts[place] : self._starts[place + 1]]

    def append(self, name: str, entry: Entry) -> None:
        """Add a name without references."""
        self.texts().append(name)
        self.lookups.append(0)
        self.known.append(Forgotten.known_of(entry))
        self.nbytes += _NAME_NBYTES + len(name)

    def pop(self) -> None:
        """Remove the last name."""
        self.nbytes -= _NAME_NBYTES + len(self.texts().pop())
        del self.lookups[-1], self.known[-1]

    def seal(self) -> None:
        """Note that no name will be added: one text takes less memory than many."""
        if isinstance(self._texts, list):
            self._starts.extend(accumulate(map(len, self._texts), initial=0))
            self._texts = "".join(self._texts)

    def is_current(self, place: int) -> bool:
        """Whether the name at a place leads to its number."""
        return place < len(self.known) and self.known[place] >= 0 and self.lookups[place] != IN_USE

    def leave(self, place: int) -> None:
        """Note that the name at a place leads elsewhere."""
        if self.known[place] >= 0:
            self.known[place] = ~self.known[place]

    def is_unknown(self) -> bool:
        """Whether the kernel knows none of its numbers."""
        return self.lookups.count(0) == len(self.lookups)

    def reported(self) -> list[tuple[str, int]]:
        """The names that the kernel knows and that have no record, with their numbers."""
        return [
            (name, self.start + place)
            for place, name in enumerate(self.texts())
            if self.lookups[place] and self.is_current(place)
        ]

    def record(self, place: int) -> Inode:
        """A record of the number at a place, without an entry if that is not kept."""
        name, entries, known = self.text(place), self.entries, self.known[place]
        entry = entries[place] if entries is not None and place < len(entries) else None
        if entry is None:
            return Inode(Forgotten(max(known, ~known)), self.parent, name, -math.inf)
        return Inode(entry, self.parent, name, self.taken_s)
