"""What is remembered of an inode number."""

from __future__ import annotations

from zarrfs.views.entry import Directory, Entry


class Inode:
    """One remembered number.

    Attributes:
        entry: what it stands for, as last learnt.
        parent: the number of the directory it was found in.
        name: its name there.
        lookups: how often the kernel was told of it and has not forgotten.
        taken_s: when the entry was learnt.
        is_listed: whether a listing told it and nobody used it since.
        kept: version, generation and time of the content that the kernel may hold in its page cache.
        is_shown: whether the entry is what somebody has open for writing, whatever its name stands for.
        opened: how often it is open.
        open_version: the version that is open. All who have a number open share one page cache, so that another
            version must get another number.
    """

    __slots__ = (
        "children",
        "entry",
        "is_listed",
        "is_shown",
        "kept",
        "lookups",
        "name",
        "open_version",
        "opened",
        "parent",
        "taken_s",
    )

    def __init__(self, entry: Entry, parent: int, name: str, taken_s: float) -> None:
        self.entry = entry
        self.parent = parent
        self.name = name
        self.lookups = 0
        self.is_listed = False
        self.taken_s = taken_s
        self.children: dict[str, int] | None = None
        self.kept: tuple[str | None, int, float] | None = None
        self.is_shown = False
        self.opened = 0
        self.open_version: str | None = None

    def may_become(self, entry: Entry) -> bool:
        """Whether this number can stand for what was found under its name now."""
        return isinstance(self.entry, Directory) == isinstance(entry, Directory) and self.may_open(
            entry.version
        )

    def may_open(self, version: str | None) -> bool:
        """Whether nobody has another version open."""
        return not self.opened or version is None or version == self.open_version
