"""Cache control: asking the kernel to forget names, absent names and pages of files."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

import pyfuse3

from zarrfs.fuse.inodes.inode import Pages
from zarrfs.fuse.inodes.inode_table import ROOT, InodeTable
from zarrfs.trees.entry import OpenFile
from zarrfs.trees.freshness import Freshness

_LISTED_NBYTES: Final = 64 << 20
"""Memory for names that were only listed: more than two million names of ten letters."""
_ABSENT_MAX: Final = 10_000
"""Names not found at the mount point that the kernel may remember until the next refresh."""


class KernelCache:
    """The kernel's caches of a mount.

    Args:
        inodes: the numbers that the kernel knows.
        freshness: how long it may keep answers.
    """

    def __init__(self, inodes: InodeTable, freshness: Freshness) -> None:
        self._inodes = inodes
        self._freshness = freshness
        self._absent_names: set[str] = set()
        self._refreshes = 0
        self.pushes = False
        """Whether the kernel is given pages that it has not requested; only for a read-only mount."""

    def pusher(self, number: int) -> Callable[[int, memoryview], None] | None:
        """A function that gives the kernel pages of a file that is opened now; None if that is not wanted."""
        begun = self._refreshes

        def push(offset: int, content: memoryview) -> None:
            # A handle opened after a refresh shares the pages and must not see older ones.
            if begun != self._refreshes:
                raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
            pyfuse3.notify_store(number, offset, content)  # type: ignore[arg-type]

        return push if self.pushes else None

    def pages(self, number: int, file: OpenFile) -> tuple[Pages | None, bool]:
        """The kernel's pages of a file being opened, and whether they are valid: the same version, and recent if pages expire."""
        if not self._inodes.remembers(number):
            return None, False
        inode, version, freshness = self._inodes.inode(number), file.version, self._freshness
        pages = inode.pages
        if pages is None:
            pages = inode.pages = Pages(version, -1, 0.0)
        if (pages.version, pages.generation) == (version, freshness.generation) and not (
            (version is None or file.caching.pages_expire) and freshness.expired(pages.taken_s)
        ):
            return pages, True
        # All handles of the file share its pages, and add to them what they read: elements, or what the entry knew.
        pages.version, pages.generation = version, freshness.generation
        pages.taken_s = freshness.now() if file.caching.pages_expire else min(freshness.now(), inode.taken_s)
        return pages, False

    def may_remember_absent(self, parent: int, name: str) -> bool:
        """Whether the kernel may cache that a name does not exist."""
        if parent == ROOT:
            # In other directories, they are forgotten with the directory; here, a refresh must name each.
            if len(self._absent_names) >= _ABSENT_MAX:
                return False
            self._absent_names.add(name)
        return True

    def trim(self) -> None:
        """Have the kernel forget names that were never used, once there are very many.

        Only after a listing: during it, the kernel holds the directory's lock, and both would become slow.
        """
        for parent, name in self._inodes.only_listed(_LISTED_NBYTES):
            pyfuse3.invalidate_entry_async(parent, os.fsencode(name), ignore_enoent=True)

    def forget_all(self) -> None:
        """Have the kernel forget all names soon; open files stay as they are."""
        self._refreshes += 1
        names = self._absent_names.union(name for name, _ in self._inodes.children(ROOT))
        self._absent_names.clear()
        # If only the names at the mount point are forgotten, the kernel keeps open files and the directories above them.
        for parent, name in (*self._inodes.in_use(), *((ROOT, name) for name in names)):
            pyfuse3.invalidate_entry_async(parent, os.fsencode(name), ignore_enoent=True)


def forget_pages(numbers: Iterable[int]) -> None:
    """Have the kernel forget the pages and attributes of files.

    The kernel may first have to write some pages, so the thread that answers it must not call this.
    """
    for number in numbers:
        with suppress(OSError):  # forgotten already
            pyfuse3.invalidate_inode(number)
