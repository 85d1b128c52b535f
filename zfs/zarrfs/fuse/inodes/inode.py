"""The record of an inode number."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from zarrfs.trees.entry import Entry

if TYPE_CHECKING:  # a block makes records of its names
    from zarrfs.fuse.inodes.listed_names import ListedNames

_IS_SIZED: Final = 1
_IS_FILE: Final = 2
_SIZE: Final = 2
"""By how many bits the size is shifted."""
SIZE_MAX: Final = (1 << 63 - _SIZE) - 1
"""The largest size in `Forgotten.known_of`, which is a signed number of 64 bits."""


@dataclass(slots=True)
class Pages:
    """What the kernel may hold in its page cache of a file."""

    version: str | None
    generation: int
    """The generation of `Freshness`."""
    taken_s: float
    """When the oldest bytes were requested."""


class Forgotten(Entry):
    """What is left of an entry that is no longer kept. The name must be looked up again before it is used.

    Args:
        known: what the kernel knows of it, as `known_of`.
    """

    __slots__ = ("is_sized", "kind", "size")

    mtime_s = None

    def __init__(self, known: int) -> None:
        self.kind = stat.S_IFREG if known & _IS_FILE else stat.S_IFDIR
        self.size = known >> _SIZE
        self.is_sized = bool(known & _IS_SIZED)

    @staticmethod
    def known_of(entry: Entry) -> int:
        """What decides whether another entry may have the same number: kind and size, as one number."""
        return entry.size << _SIZE | (_IS_FILE if entry.kind == stat.S_IFREG else 0) | entry.is_sized

    @property
    def mode(self) -> int:
        return 0


class Inode:
    """One remembered number.

    Attributes:
        entry: its entry, as last looked up.
        parent: the number of its directory.
        name: its name there.
        lookups: how many references the kernel holds.
        taken_s: when the entry was requested, or the oldest answer that it was made from.
        children: the numbers of the names in this directory that have a record.
        listed: the names in this directory that were only listed.
        pages: the content that the kernel may hold in its page cache.
        is_shown: whether the entry is a file open for writing, which is reported whatever its name now leads to.
        is_resized: whether the kernel has just changed its size.
        opened: how many handles are open.
        open_version: the version that is open. All handles of a number share one page cache, so another
            version must get another number.
    """

    __slots__ = (
        "children",
        "entry",
        "is_resized",
        "is_shown",
        "listed",
        "lookups",
        "name",
        "open_version",
        "opened",
        "pages",
        "parent",
        "taken_s",
    )

    def __init__(self, entry: Entry, parent: int, name: str, taken_s: float) -> None:
        self.entry = entry
        self.parent = parent
        self.name = name
        self.lookups = 0
        self.taken_s = taken_s
        self.children: dict[str, int] | None = None
        self.listed: ListedNames | None = None
        self.pages: Pages | None = None
        self.is_shown = False
        self.is_resized = False
        self.opened = 0
        self.open_version: str | None = None

    def may_become(self, entry: Entry) -> bool:
        """Whether the entry just found under the name may keep this number."""
        return (
            self.entry.kind == entry.kind
            and (not self.opened or self.may_open(entry.version))
            and not self._has_another_size(entry)
        )

    def _has_another_size(self, entry: Entry) -> bool:
        """Whether the kernel has another size, and reads up to that size.

        If two replies are in flight, it keeps the size of the one that arrives first, which may be the older one.
        """
        known = self.entry
        return (
            known.size != entry.size
            and known.is_sized
            and entry.is_sized
            and not self.is_resized
            and entry.caching.uses_pages
        )

    def update_from(self, entry: Entry) -> None:
        """Replace the entry by the one just found, if that one may keep the number."""
        self.entry = entry
        self.is_resized = False

    def may_open(self, version: str | None) -> bool:
        """Whether ``version`` may be opened: no other version is open."""
        return not self.opened or version is None or version == self.open_version
