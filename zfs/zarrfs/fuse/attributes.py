"""Attributes of entries in the form that the kernel expects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyfuse3

from zarrfs.trees.entry import NAME_MAX, Entry

_BLOCK_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class CommonAttributes:
    """Attributes that all entries of a mount share."""

    uid: int
    gid: int
    umask: int
    mtime_s: float
    """The time shown for entries whose time is unknown."""
    name_max: int = NAME_MAX
    """The length limit of a name, in bytes."""
    is_changed_here: bool = False
    """Whether the kernel must look up a name again each time if its content can be written through another name."""

    def new(self) -> pyfuse3.EntryAttributes:
        """Attributes with the fields that are the same for all entries."""
        attributes = pyfuse3.EntryAttributes()
        attributes.st_uid = self.uid
        attributes.st_gid = self.gid
        # One link means that the number of subdirectories is unknown; `find` relies on any other number.
        attributes.st_nlink = 1
        return attributes

    def fill(self, attributes: pyfuse3.EntryAttributes, number: int, entry: Entry, left_s: float) -> None:
        """Set the fields that differ between entries; the kernel may cache name and attributes for ``left_s``."""
        caching = entry.caching
        timeout_s = left_s if caching.keeps_attributes else 0.0
        attributes.attr_timeout = timeout_s
        attributes.entry_timeout = 0.0 if self.is_changed_here and caching.changes_elsewhere else timeout_s
        if not entry.is_sized:
            attributes.attr_timeout = attributes.entry_timeout = 0.0
        attributes.st_mode = entry.kind | (entry.mode & ~self.umask)
        mtime_s = entry.mtime_s
        mtime_ns = int((self.mtime_s if mtime_s is None else mtime_s) * 1e9)
        attributes.st_mtime_ns = attributes.st_ctime_ns = attributes.st_atime_ns = mtime_ns
        _fill_own(attributes, number, entry.size)


def _fill_own(attributes: pyfuse3.EntryAttributes, number: int, size: int) -> None:
    attributes.st_ino = number
    attributes.st_size = size
    # Never 0 for a file with content: tar --sparse would treat it as a hole.
    attributes.st_blocks = -(-size // _BLOCK_BYTES)


class ListedAttributes:
    """The attributes of one entry of a listing after the other, in one object: most of them are equal for all.

    Args:
        common: attributes that all entries share.
    """

    def __init__(self, common: CommonAttributes) -> None:
        self._common = common
        self._attributes = common.new()
        self._filled: tuple[object, ...] = ()

    def filled(self, number: int, entry: Entry, left_s: float) -> pyfuse3.EntryAttributes:
        """The attributes of an entry, which are valid until the next call; otherwise as `CommonAttributes.fill`."""
        attributes = self._attributes
        others = entry.kind, entry.mode, entry.caching, entry.is_sized, entry.mtime_s, left_s
        if others != self._filled:
            self._common.fill(attributes, number, entry, left_s)
            self._filled = others
        else:
            _fill_own(attributes, number, entry.size)
        return attributes
