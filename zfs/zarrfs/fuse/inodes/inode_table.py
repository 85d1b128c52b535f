"""Inode numbers: the entry of each number, and the number of references that the kernel holds.

Every reply that names an entry gives the kernel a reference, and the number must be valid until the kernel forgets it.
Entries of a `Numbering` take their number from a reserved range by arithmetic and need no memory. Names that were only
listed take a few bytes in `ListedNumbers`. The other numbers have a record each, which a listed name gets when it is used.
"""

from __future__ import annotations

import math
from typing import Final

from zarrfs.fuse.inodes.block import BLOCK, IN_USE
from zarrfs.fuse.inodes.inode import SIZE_MAX, Inode
from zarrfs.fuse.inodes.listed_names import Cursor, ListedNames
from zarrfs.fuse.inodes.listed_numbers import ListedNumbers
from zarrfs.fuse.inodes.reserved_numbers import FIRST_RESERVED, ReservedNumbers, StaleNumberError
from zarrfs.trees.entry import Directory, Entry

ROOT: Final = 1


class InodeTable:
    """Exactly the numbers that the kernel knows.

    Attributes:
        is_changed_here: whether entries may change through this mount.
    """

    def __init__(self, root: Directory) -> None:
        self.is_changed_here = False
        self._inodes: dict[int, Inode] = {ROOT: Inode(root, ROOT, "", math.inf)}
        self._inodes[ROOT].lookups = 1
        self._next = ROOT + 1
        self._listed = ListedNumbers()
        self._shown: dict[str | None, int] = {}
        self._reserved = ReservedNumbers()

    def __len__(self) -> int:
        return len(self._inodes) + len(self._listed)

    def entry(self, number: int) -> Entry:
        """The entry of a number.

        Raises:
            StaleNumberError: the number has none.
        """
        if number >= FIRST_RESERVED:
            return self._reserved.entry(number)
        return self.inode(number).entry

    def inode(self, number: int) -> Inode:
        """The record of a remembered number.

        Raises:
            StaleNumberError: there is none.
        """
        inode = self._find(number)
        if inode is None:
            raise StaleNumberError(f"no inode {number}")
        return inode

    def _find(self, number: int) -> Inode | None:
        """The record of a number, which is made if the number was only listed."""
        inode = self._inodes.get(number)
        found = self._listed.get(number) if inode is None else None
        if found is None or not found[0].lookups[found[1]]:
            return inode
        block, place = found
        inode = self._inodes[number] = block.record(place)
        if block.is_current(place):
            self._attach(self._inodes.get(inode.parent), inode.name, number)
        inode.lookups, block.lookups[place] = block.lookups[place], IN_USE
        return inode

    def _number(self, above: Inode | None, name: str) -> int | None:
        """The number that a name in a directory has, with a record; None if the kernel knows none."""
        if above is None:
            return None
        number = None if above.children is None else above.children.get(name)
        if number is None and above.listed is not None and (found := above.listed.find(name)) is not None:
            listed = found[0].start + found[1]
            return None if self._find(listed) is None else listed
        return number

    def taken_s(self, number: int) -> float:
        """When the entry of a number was requested.

        Raises:
            StaleNumberError: the number has none.
        """
        return self._reserved.taken_s(number) if number >= FIRST_RESERVED else self.inode(number).taken_s

    def remembers(self, number: int) -> bool:
        """Whether a number has a record, rather than being computed."""
        return number < FIRST_RESERVED

    def assign(self, parent: int, name: str, entry: Entry, taken_s: float) -> int:
        """The number of an entry found in a directory. The caller must then call `count` or `drop_uncounted`."""
        numbered = entry.numbered
        if numbered is not None:
            start = self._reserved.start(numbered[0], taken_s)
            if start is not None:
                return start + numbered[1]
        return self._remember(parent, name, entry, taken_s)

    def _remember(self, parent: int, name: str, entry: Entry, taken_s: float) -> int:
        above = self._inodes.get(parent)
        number = self._number(above, name)
        if self._shown and (shown := self._shown.get(entry.version)) is not None:
            self._attach(above, name, shown)
            return shown
        if number is not None and (not self.is_changed_here or entry.caching.keeps_attributes):
            # While a writer is active, each lookup gets its own inode.
            inode = self._inodes[number]
            if inode.may_become(entry):
                if not inode.is_shown:
                    inode.update_from(entry.after(inode.entry))
                    inode.taken_s = taken_s
                return number
        number = self._next
        self._next += 1
        self._inodes[number] = Inode(entry, parent, name, taken_s)
        self._attach(above, name, number)
        return number

    def assign_listed(self, cursor: Cursor, name: str, entry: Entry, taken_s: float) -> tuple[int, Entry]:
        """As `assign`, for the next name of a listing; also the entry to report to the kernel."""
        above = self._inodes.get(cursor.parent)
        if (
            above is None
            or (above.children is not None and name in above.children)
            or entry.numbered is not None
            or not entry.caching.keeps_attributes
            or (self._shown and entry.version in self._shown)
            or entry.size > SIZE_MAX
        ):
            if above is not None and above.listed is not None and above.listed.writer is not cursor:
                cursor.skip(above.listed, name)
            number = self.assign(cursor.parent, name, entry, taken_s)
            return number, self.told(number, entry)
        names = above.listed = above.listed or ListedNames()
        if not names.blocks:
            names.writer = cursor
        if names.writer is not cursor:
            found = cursor.find(names, name)
            if found is not None and (told := self._listed.again(*found, entry, taken_s)) is not None:
                return found[0].start + found[1], told
            names.writer = None
        block = names.blocks[-1] if names.blocks else None
        if block is None or len(block.lookups) == BLOCK:
            start = -(-self._next // BLOCK) * BLOCK
            self._next = start + BLOCK
            block = self._listed.add(names, cursor.parent, start)
        return self._listed.append(block, name, entry, taken_s), entry

    def told(self, number: int, entry: Entry) -> Entry:
        """The entry to report to the kernel under a number."""
        return entry if number >= FIRST_RESERVED else entry.after(self._inodes[number].entry)

    def is_open(self, parent: int, name: str) -> bool:
        """Whether the file of a name is open."""
        above = self._inodes.get(parent)
        number = None if above is None else (above.children or {}).get(name)
        return number is not None and self._inodes[number].opened > 0

    def written_as(self, number: int) -> int:
        """The number of the file that is being written under the same name; without one, the number itself."""
        version = self.entry(number).written_as
        return number if version is None else self._shown.get(version, number)

    def _attach(self, above: Inode | None, name: str, number: int) -> None:
        if above is not None:
            if above.children is None:
                above.children = {}
            above.children[name] = number

    def count(self, number: int) -> None:
        """Count a reference given to the kernel, by a listing or a lookup."""
        if number >= FIRST_RESERVED:
            self._reserved.count(number, 1)
        elif number in self._inodes or not self._listed.count(number):
            self.inode(number).lookups += 1

    def open(self, number: int, version: str | None) -> bool:
        """Note that a number is opened; False if another version is open, so that it must be looked up again."""
        inode = self._find(number)
        if inode is None:
            return True
        if not inode.may_open(version):
            if not inode.is_shown:
                self.expire(number)
            self._detach(inode, number)
            return False
        inode.opened += 1
        if version is not None or inode.opened == 1:
            inode.open_version = version
        return True

    def close(self, number: int) -> None:
        """Note that one of its handles was closed."""
        inode = self._find(number)
        if inode is not None:
            inode.opened -= 1
            if inode.is_shown and not inode.opened:
                inode.is_shown = inode.is_resized = False
                self._shown.pop(inode.open_version, None)
                self.expire(number)

    def leave_to_readers(self, number: int) -> bool:
        """Detach the name of an inode that has readers, so that the name gets another inode; False if there are no readers."""
        inode = self._find(number)
        if inode is None or not inode.opened or inode.is_shown or inode.open_version is None:
            return False
        self._detach(inode, number)
        return True

    def leave_name(self, number: int) -> bool:
        """Detach the name of an open inode, since the name now leads elsewhere; False if the inode is not open."""
        inode = self._find(number)
        if inode is None or not inode.opened:
            return False
        self._detach(inode, number)
        return True

    def show(self, number: int, entry: Entry) -> None:
        """Report the entry being written under a number that was just opened for writing, until it is closed."""
        inode = self._inodes[number]
        inode.entry, inode.is_shown = entry, True
        self._shown[inode.open_version] = number

    def expire(self, number: int) -> None:
        """Note that the entry of a number has changed: it must be looked up again before it is used."""
        inode = self._find(number)
        if inode is not None:
            inode.taken_s = -math.inf

    def is_expired(self, number: int) -> bool:
        """Whether a number must be looked up again after `expire`."""
        inode = self._find(number)
        return inode is not None and inode.taken_s == -math.inf

    def resized(self, number: int) -> None:
        """Note that the kernel has changed the size of a number, which must be looked up again."""
        self._inodes[number].is_resized = True
        self.expire(number)

    def drop_uncounted(self, number: int) -> None:
        """Drop a number that was assigned but not reported to the kernel."""
        if number >= FIRST_RESERVED:
            self._reserved.count(number, 0)
        elif number not in self._inodes:
            self._listed.drop_uncounted(number)
        elif self._inodes[number].lookups == 0:
            self._drop(number)

    def forget(self, number: int, lookups: int) -> None:
        """Note that the kernel dropped ``lookups`` references to a number."""
        if number == ROOT:
            return
        if number >= FIRST_RESERVED:
            self._reserved.count(number, -lookups)
            return
        inode = self._inodes.get(number)
        if inode is None:
            self._listed.forget(number, lookups)
        elif inode.lookups > lookups:
            inode.lookups -= lookups
        else:
            self._drop(number)

    def _drop(self, number: int) -> None:
        is_named = self._detach(self._inodes.pop(number), number)
        self._listed.release(number, is_named)

    def _detach(self, inode: Inode, number: int) -> bool:
        """Detach an inode from its name; the next lookup gets another number. False if the name leads elsewhere."""
        above = self._inodes.get(inode.parent)
        if above is None or above.children is None or above.children.get(inode.name) != number:
            return False
        del above.children[inode.name]
        if not above.children:
            above.children = None
        return True

    def removed(self, parent: int, name: str) -> None:
        """Note that a name is gone; handles of its file stay valid."""
        number = self._number(self._inodes.get(parent), name)
        if number is not None:
            self._detach(self._inodes[number], number)

    def moved(self, parent: int, name: str, new_parent: int, new_name: str) -> None:
        """Note that an entry was renamed."""
        self.removed(new_parent, new_name)
        number = self._number(self._inodes.get(parent), name)
        if number is None:
            return
        inode = self._inodes[number]
        self._detach(inode, number)
        self._listed.leave(number)
        inode.parent, inode.name = new_parent, new_name
        self._attach(self._inodes.get(new_parent), new_name, number)
        self.expire(number)

    def path(self, number: int) -> str:
        """The path of a remembered number below the mount point, as last learnt."""
        names: list[str] = []
        while number != ROOT and (inode := self._inodes.get(number)) is not None:
            names.append(inode.name)
            number = inode.parent
        return "/".join(reversed(names))

    def children(self, number: int) -> list[tuple[str, int]]:
        """The names in a directory that the kernel knows, with their numbers."""
        inode = self.inode(number)
        return [
            *(inode.children or {}).items(),
            *(inode.listed.reported() if inode.listed is not None else ()),
        ]

    def in_use(self) -> list[tuple[int, str]]:
        """Parent and name of all open records and of the directories above them, from the bottom up."""
        found: dict[tuple[int, str], None] = {}
        for inode in [inode for inode in self._inodes.values() if inode.opened > 0]:
            above: Inode | None = inode
            while above is not None and above.parent != ROOT:
                # A directory above several records comes after all of them.
                found.pop((above.parent, above.name), None)
                found[above.parent, above.name] = None
                above = self._inodes.get(above.parent)
        return list(found)

    def only_listed(self, keep: int) -> list[tuple[int, str]]:
        """Parent and name of the oldest names that were only listed, except the newest in ``keep`` bytes.

        Each is returned once: the kernel forgets those it can.
        """
        return self._listed.oldest(keep)
