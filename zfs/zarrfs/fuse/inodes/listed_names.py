"""Names that listings gave to the kernel and that nobody has used since, in a few bytes each.

A listing gives the kernel a reference to each name, and most names are never used. They get consecutive numbers, in blocks
that hold what cannot be found again: the name, the count of references, and the kind and size that the kernel knows. The entries
themselves are kept for the newest names only. A name that is used gets a record of its own, with the same number.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Final

import numpy as np

from zarrfs.fuse.inodes.inode import Forgotten, Inode
from zarrfs.fuse.inodes.reserved_numbers import StaleNumberError
from zarrfs.trees.entry import Entry

BLOCK: Final = 256
"""The most names in a block: a power of two, so that a number's bits give block and place."""
IN_USE: Final = 255
"""In place of a count of references: the number has a record, which counts them."""
ENTRIES_MAX: Final = 100_000
"""Names whose entries are kept; each takes about 200 bytes."""
_NUMBER_BITS: Final = 40
_HASHES: Final = (1 << 63 - _NUMBER_BITS) - 1
_RECENT_MIN: Final = 1000
_BLOCK_NBYTES: Final = 600
_NAME_NBYTES: Final = 28
_start_of: Final = attrgetter("start")


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


class ListedNumbers:
    """All blocks, by number.

    Attributes:
        nbytes: roughly the memory of the blocks that the kernel was not asked to forget, without entries.
    """

    def __init__(self) -> None:
        self.nbytes = 0
        self._blocks: dict[int, Block] = {}
        # A dict would search all gaps for its first key.
        self._newest: OrderedDict[Block, None] = OrderedDict()
        self._older: OrderedDict[Block, None] = OrderedDict()
        self._entries = 0

    def __len__(self) -> int:
        return sum(
            len(block.lookups) - block.lookups.count(0) - block.lookups.count(IN_USE)
            for block in [*self._blocks.values()]  # statistics are made in another thread
        )

    def get(self, number: int) -> tuple[Block, int] | None:
        """The block of a number and its place there; None if it is in no block."""
        block = self._blocks.get(number // BLOCK)
        place = number % BLOCK
        return None if block is None or place >= len(block.lookups) else (block, place)

    def add(self, names: ListedNames, parent: int, start: int) -> Block:
        """A new block of a directory, which has the numbers from ``start``, a multiple of `BLOCK`."""
        if names.blocks:
            names.blocks[-1].seal()
        block = self._blocks[start // BLOCK] = Block(start, parent, names)
        names.blocks.append(block)
        return block

    def append(self, block: Block, name: str, entry: Entry, taken_s: float) -> int:
        """The number of a name that is added to a block."""
        place = len(block.lookups)
        self.keep(block, place, entry, taken_s)
        before = block.nbytes
        block.append(name, entry)
        self.nbytes += block.nbytes - before
        block.names.added(name, block.start + place)
        return block.start + place

    def again(self, block: Block, place: int, entry: Entry, taken_s: float) -> Entry | None:
        """The entry to report under the number of a name that is listed again; None if it must get another number."""
        known = Forgotten.known_of(entry)
        if block.known[place] != known and block.lookups[place]:
            record = block.record(place)
            if not record.may_become(entry):
                block.leave(place)
                return None
            entry = entry.after(record.entry)
            known = Forgotten.known_of(entry)
        block.known[place] = known
        self.keep(block, place, entry, taken_s)
        return entry

    def keep(self, block: Block, place: int, entry: Entry, taken_s: float) -> None:
        """Keep an entry, with those of the same block and listing."""
        entries = block.entries
        if entries is None or block.taken_s != taken_s:
            self._remove(block)
            self._newest[block] = None
            self.nbytes += block.nbytes
            entries = block.entries = []
            block.taken_s = taken_s
        missing = place + 1 - len(entries)
        if missing > 0:
            entries.extend([None] * missing)
            self._entries += missing
            while self._entries > ENTRIES_MAX and len(self._newest) > 1:
                older, _ = self._newest.popitem(last=False)
                self._drop_entries(older)
                self._older[older] = None
        entries[place] = entry

    def count(self, number: int) -> bool:
        """Count a reference given to the kernel; False if only a record can count so many."""
        block, place = self._known(number)
        if block.lookups[place] + 1 == IN_USE:
            return False
        block.lookups[place] += 1
        return True

    def leave(self, number: int) -> None:
        """Note that the name of a number leads elsewhere."""
        found = self.get(number)
        if found is not None:
            found[0].leave(found[1])

    def drop_uncounted(self, number: int) -> None:
        """Drop a number that was assigned but not reported to the kernel."""
        block, place = self._known(number)
        if block.lookups[place]:
            return
        if block is block.names.blocks[-1] and place == len(block.lookups) - 1:
            before = block.nbytes
            block.pop()
            self.nbytes -= before - block.nbytes
        self._free_unknown(block)

    def forget(self, number: int, lookups: int) -> None:
        """Note that the kernel dropped ``lookups`` references to a number that has no record.

        Raises:
            StaleNumberError: the kernel does not know it.
        """
        block, place = self._known(number)
        block.lookups[place] = max(0, block.lookups[place] - lookups)
        if not block.lookups[place]:
            self._free_unknown(block)

    def release(self, number: int, is_named: bool) -> None:
        """Note that the kernel dropped a number that has a record; ``is_named`` if its name still leads to it."""
        found = self.get(number)
        if found is not None:
            block, place = found
            block.lookups[place] = 0
            if not is_named:
                block.leave(place)
            self._free_unknown(block)

    def oldest(self, keep: int) -> list[tuple[int, str]]:
        """Parent and name of the oldest names that have no record, except the newest in ``keep`` bytes.

        Each is returned once: the kernel forgets those it can.
        """
        found: list[tuple[int, str]] = []
        while self.nbytes > keep:
            block = next(iter(self._older or self._newest))
            self._remove(block)
            found += ((block.parent, name) for name, _ in block.reported())
        return found

    def _known(self, number: int) -> tuple[Block, int]:
        found = self.get(number)
        if found is None:
            raise StaleNumberError(f"no inode {number}")
        return found

    def _free_unknown(self, block: Block) -> None:
        if block.is_unknown():
            self._remove(block)
            del self._blocks[block.start // BLOCK]
            block.names.remove(block)
            del block.known[:]  # a listing may still be there

    def _remove(self, block: Block) -> None:
        """Take a block out of the order of age."""
        if block in self._newest:
            del self._newest[block]
        elif block in self._older:
            del self._older[block]
        else:
            return
        self.nbytes -= block.nbytes
        self._drop_entries(block)

    def _drop_entries(self, block: Block) -> None:
        if block.entries is not None:
            self._entries -= len(block.entries)
            block.entries = None
