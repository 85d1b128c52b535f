"""Open handles: files with their read-ahead, directories with their position in the listing."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final

from zarrcore.ages import aged
from zarrfs.fuse.inodes.listed_names import Cursor
from zarrfs.fuse.prefetch import Reader
from zarrfs.trees.entry import Directory, Entry, WritableOpenFile

_BATCH: Final = 512
"""Entries fetched at once, which makes the cost of a worker thread negligible."""


class FileHandle:
    """An open file.

    Attributes:
        number: its inode number.
        reader: reads it, and reads ahead if that pays.
    """

    __slots__ = ("number", "reader")

    def __init__(self, number: int, reader: Reader) -> None:
        self.number = number
        self.reader = reader

    @property
    def written(self) -> WritableOpenFile | None:
        """The file, if it is open for writing."""
        file = self.reader.file
        return file if isinstance(file, WritableOpenFile) else None


class DirectoryHandle:
    """An open directory, listed from any position.

    The kernel passes the position after the last entry that it received, so a sequential listing continues the same
    iterator. Going back (``seekdir``, ``rewinddir``) restarts the listing.

    Attributes:
        number: its inode number.
        waiting: entries fetched but not yet returned.
        taken_s: when the oldest answer that its entries were made from was requested.
        position: how many entries were returned.
        cursor: where it is in the names that were listed before.
    """

    def __init__(self, number: int, directory: Directory) -> None:
        self.number = number
        self.directory = directory
        self.waiting: deque[tuple[str, Entry]] = deque()
        self.position = 0
        self.cursor = Cursor(number)
        self.taken_s = -math.inf
        self._source: Iterator[tuple[str, Entry]] | None = None

    def seek(self, position: int) -> None:
        """Continue after the first ``position`` entries."""
        if position != self.position:
            self.waiting.clear()
            self.position = position
            self.cursor = Cursor(self.number)
            self._source = None

    def fill(self, asked_s: float) -> bool:
        """Fetch some entries if none are waiting; False at the end of the listing. One that begins is dated ``asked_s``.

        If entries were fetched before an error, they are returned first. The next call makes a new iterator, since one
        that failed would look as if it had ended.
        """
        if self._source is None:
            self._source = self.directory.entries_from(self.position)
            self.taken_s = asked_s
        try:
            _, oldest_s = aged(self.waiting.extend, islice(self._source, _BATCH))
            self.taken_s = min(self.taken_s, oldest_s)
        except Exception:
            self._source, self.taken_s = None, -math.inf
            if not self.waiting:
                raise
        return bool(self.waiting)

    def taken(self) -> None:
        """Record that the first waiting entry has been returned."""
        del self.waiting[0]
        self.position += 1


class HandleTable:
    """Handles by the number that the kernel uses."""

    def __init__(self) -> None:
        self._files: dict[int, FileHandle] = {}
        self._directories: dict[int, DirectoryHandle] = {}
        self._next = 1

    def add_file(self, handle: FileHandle) -> int:
        """Assign a number to an open file."""
        self._next += 1
        self._files[self._next] = handle
        return self._next

    def add_directory(self, handle: DirectoryHandle) -> int:
        """Assign a number to an open directory."""
        self._next += 1
        self._directories[self._next] = handle
        return self._next

    def file(self, number: int) -> FileHandle:
        """The open file with that number."""
        return self._files[number]

    def numbers(self) -> set[int]:
        """The inode numbers of all open files."""
        return {handle.number for handle in self._files.values()}

    def unstored(self) -> set[int]:
        """The inode numbers of all open files with data that is not stored."""
        return {
            handle.number
            for handle in self._files.values()
            if (file := handle.written) is not None and file.holds_changes
        }

    def directory(self, number: int) -> DirectoryHandle:
        """The open directory with that number."""
        return self._directories[number]

    def remove_file(self, number: int) -> FileHandle:
        """Release the number of a file."""
        return self._files.pop(number)

    def remove_directory(self, number: int) -> None:
        """Release the number of a directory."""
        del self._directories[number]

    @property
    def open_files(self) -> int:
        """How many files are open."""
        return len(self._files)

    @property
    def open_directories(self) -> int:
        """How many directories are open."""
        return len(self._directories)
