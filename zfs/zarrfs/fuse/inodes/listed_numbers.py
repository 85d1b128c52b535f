"""Names that listings gave to the kernel and that nobody has used since, in a few bytes each.

A listing gives the kernel a reference to each name, and most names are never used. They get consecutive numbers, in blocks
that hold what cannot be found again: the name, the count of references, and the kind and size that the kernel knows. The entries
themselves are kept for the newest names only. A name that is used gets a record of its own, with the same number.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from zarrfs.fuse.inodes.block import BLOCK, IN_USE, Block
from zarrfs.fuse.inodes.inode import Forgotten
from zarrfs.fuse.inodes.listed_names import ListedNames
from zarrfs.fuse.inodes.reserved_numbers import StaleNumberError
from zarrfs.trees.entry import Entry

ENTRIES_MAX: Final = 100_000
"""Names whose entries are kept; each takes about 200 bytes."""


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
