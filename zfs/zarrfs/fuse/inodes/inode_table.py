"""Inode numbers: the entry of each number, and the number of references that the kernel holds.

Every reply that names an entry gives the kernel a reference, and the number must be valid until the kernel forgets it.
Entries of a `Numbering` take their number from a reserved range by arithmetic and need no memory. The other numbers
have a record each. Since a listing gives the kernel a reference to every name, listing a million names would leave a
million records: `only_listed` offers the oldest of those that were never used, so that the kernel can be asked
to forget them.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from itertools import islice
from typing import Final

from zarrfs.fuse.inodes.inode import Inode
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
        self._listed: OrderedDict[Inode, None] = (
            OrderedDict()
        )  # a dict would search all gaps for its first key
        self._shown: dict[str | None, int] = {}
        self._reserved = ReservedNumbers()

    def __len__(self) -> int:
        return len(self._inodes)

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
        try:
            return self._inodes[number]
        except KeyError:
            raise StaleNumberError(f"no inode {number}") from None

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
        siblings = above.children if above is not None else None
        number = siblings.get(name) if siblings is not None else None
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

    def count(self, number: int, listed: bool = False) -> None:
        """Count a reference given to the kernel, by a listing or a lookup."""
        if number >= FIRST_RESERVED:
            self._reserved.count(number, 1)
            return
        inode = self._inodes[number]
        inode.lookups += 1
        if not listed:
            self._use(inode)
        elif inode.lookups == 1:
            inode.is_listed = True
            self._listed[inode] = None

    def touch(self, number: int) -> Inode:
        """The record of a remembered number, which is used now.

        Raises:
            StaleNumberError: there is none.
        """
        inode = self.inode(number)
        if inode.is_listed:
            self._use(inode)
        return inode

    def _use(self, inode: Inode) -> None:
        if inode.is_listed:
            inode.is_listed = False
            del self._listed[inode]

    def open(self, number: int, version: str | None) -> bool:
        """Note that a number is opened; False if another version is open, so that it must be looked up again."""
        inode = self._inodes.get(number)
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
        inode = self._inodes.get(number)
        if inode is not None:
            inode.opened -= 1
            if inode.is_shown and not inode.opened:
                inode.is_shown = inode.is_resized = False
                self._shown.pop(inode.open_version, None)
                self.expire(number)

    def leave_to_readers(self, number: int) -> bool:
        """Detach the name of an inode that has readers, so that the name gets another inode; False if there are no readers."""
        inode = self._inodes.get(number)
        if inode is None or not inode.opened or inode.is_shown or inode.open_version is None:
            return False
        self._detach(inode, number)
        return True

    def leave_name(self, number: int) -> bool:
        """Detach the name of an open inode, since the name now leads elsewhere; False if the inode is not open."""
        inode = self._inodes.get(number)
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
        inode = self._inodes.get(number)
        if inode is not None:
            inode.taken_s = -math.inf

    def is_expired(self, number: int) -> bool:
        """Whether a number must be looked up again after `expire`."""
        inode = self._inodes.get(number)
        return inode is not None and inode.taken_s == -math.inf

    def resized(self, number: int) -> None:
        """Note that the kernel has changed the size of a number, which must be looked up again."""
        self._inodes[number].is_resized = True
        self.expire(number)

    def drop_uncounted(self, number: int) -> None:
        """Drop a number that was assigned but not reported to the kernel."""
        if number >= FIRST_RESERVED:
            self._reserved.count(number, 0)
        elif self._inodes[number].lookups == 0:
            self._drop(number)

    def forget(self, number: int, lookups: int) -> None:
        """Note that the kernel dropped ``lookups`` references to a number."""
        if number == ROOT:
            return
        if number >= FIRST_RESERVED:
            self._reserved.count(number, -lookups)
            return
        inode = self.inode(number)
        inode.lookups -= lookups
        if inode.lookups <= 0:
            self._drop(number)

    def _drop(self, number: int) -> None:
        inode = self._inodes.pop(number)
        self._use(inode)
        self._detach(inode, number)

    def _detach(self, inode: Inode, number: int) -> None:
        """Detach an inode from its name; the next lookup gets another number."""
        above = self._inodes.get(inode.parent)
        if above is not None and above.children is not None and above.children.get(inode.name) == number:
            del above.children[inode.name]
            if not above.children:
                above.children = None

    def removed(self, parent: int, name: str) -> None:
        """Note that a name is gone; handles of its file stay valid."""
        above = self._inodes.get(parent)
        number = None if above is None else (above.children or {}).get(name)
        if number is not None:
            self._detach(self._inodes[number], number)

    def moved(self, parent: int, name: str, new_parent: int, new_name: str) -> None:
        """Note that an entry was renamed."""
        self.removed(new_parent, new_name)
        above = self._inodes.get(parent)
        number = None if above is None else (above.children or {}).get(name)
        if number is None:
            return
        inode = self._inodes[number]
        self._detach(inode, number)
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
        return list((self.inode(number).children or {}).items())

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
        """Parent and name of the oldest records that were listed and never used, except the newest ``keep``.

        Each is returned once: the kernel forgets those it can.
        """
        oldest = list(islice(self._listed, max(0, len(self._listed) - keep)))
        for inode in oldest:
            self._use(inode)
        return [(inode.parent, inode.name) for inode in oldest]
