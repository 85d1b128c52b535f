"""Attributes of entries in the form that the kernel expects."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import Final

import pyfuse3

from zarrfs.trees.entry import NAME_MAX, Entry, File

_BLOCK_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class CommonAttributes:
    """Attributes that all entries of a mount share."""

    uid: int
    gid: int
    umask: int
    mtime_s: float
    """The time shown for entries whose time is unknown."""
    timeout_s: float
    """How long the kernel may cache names and attributes."""
    name_max: int = NAME_MAX
    """The length limit of a name, in bytes."""
    is_changed_here: bool = False
    """Whether the kernel must look up a name again each time if its content can be written through another name."""

    def new(self) -> pyfuse3.EntryAttributes:
        """Attributes with the fields that are the same for all entries."""
        attributes = pyfuse3.EntryAttributes()
        attributes.entry_timeout = attributes.attr_timeout = self.timeout_s
        attributes.st_uid = self.uid
        attributes.st_gid = self.gid
        # One link means that the number of subdirectories is unknown; `find` relies on any other number.
        attributes.st_nlink = 1
        return attributes

    def fill(self, attributes: pyfuse3.EntryAttributes, number: int, entry: Entry) -> None:
        """Set the fields that differ between entries."""
        attributes.st_ino = number
        caching = entry.caching
        timeout_s = self.timeout_s if caching.keeps_attributes else 0.0
        attributes.attr_timeout = timeout_s
        attributes.entry_timeout = 0.0 if self.is_changed_here and caching.changes_elsewhere else timeout_s
        if isinstance(entry, File):
            size = entry.size
            attributes.st_mode = stat.S_IFREG | (entry.mode & ~self.umask)
            attributes.st_size = size
            # Never 0 for a file with content: tar --sparse would treat it as a hole.
            attributes.st_blocks = -(-size // _BLOCK_BYTES)
            if not entry.is_sized:
                attributes.attr_timeout = attributes.entry_timeout = 0.0
        else:
            attributes.st_mode = stat.S_IFDIR | (entry.mode & ~self.umask)
            attributes.st_size = attributes.st_blocks = 0
        mtime_s = entry.mtime_s
        mtime_ns = int((self.mtime_s if mtime_s is None else mtime_s) * 1e9)
        attributes.st_mtime_ns = attributes.st_ctime_ns = attributes.st_atime_ns = mtime_ns
