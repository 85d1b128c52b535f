"""A minimal file system on the same FUSE library, as an upper bound for the library and the kernel.

    python -m tests.benchmarks.bare_mount FOLDER MOUNTPOINT

It shows the names and sizes that a folder has at the start; all files read as zeros.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pyfuse3
import trio

_TIMEOUT_S = 20.0


class Bare(pyfuse3.Operations):
    """Directories with names, and files of zeros."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._sizes: list[int] = [0, 0]
        self._names: list[dict[bytes, int] | None] = [None, {}]
        self._listed: list[tuple[bytes, int]] = []
        self._zeros = memoryview(bytes(1 << 20))
        self._add(folder, pyfuse3.ROOT_INODE)

    def _add(self, folder: Path, number: int) -> None:
        names: dict[bytes, int] = {}
        self._names[number] = names
        for entry in os.scandir(folder):
            names[os.fsencode(entry.name)] = len(self._sizes)
            self._sizes.append(0 if entry.is_dir() else entry.stat().st_size)
            self._names.append(None)
            if entry.is_dir():
                self._add(Path(entry.path), len(self._sizes) - 1)

    def _told(self, number: int) -> pyfuse3.EntryAttributes:
        told = pyfuse3.EntryAttributes()
        told.st_ino = pyfuse3.InodeT(number)
        told.entry_timeout = told.attr_timeout = _TIMEOUT_S
        if number:
            is_directory = self._names[number] is not None
            told.st_mode = pyfuse3.ModeT((stat.S_IFDIR | 0o555) if is_directory else (stat.S_IFREG | 0o444))
            told.st_size = self._sizes[number]
            told.st_nlink = 1
        return told

    async def lookup(
        self, parent_inode: pyfuse3.InodeT, name: pyfuse3.FileNameT, ctx: pyfuse3.RequestContext
    ) -> pyfuse3.EntryAttributes:
        return self._told((self._names[parent_inode] or {}).get(name, 0))

    async def getattr(self, inode: pyfuse3.InodeT, ctx: pyfuse3.RequestContext) -> pyfuse3.EntryAttributes:
        return self._told(inode)

    async def open(
        self, inode: pyfuse3.InodeT, flags: pyfuse3.FlagT, ctx: pyfuse3.RequestContext
    ) -> pyfuse3.FileInfo:
        return pyfuse3.FileInfo(fh=pyfuse3.FileHandleT(inode))

    async def read(self, fh: pyfuse3.FileHandleT, off: int, size: int) -> bytes:
        return self._zeros[: max(0, min(size, self._sizes[fh] - off))]

    async def release(self, fh: pyfuse3.FileHandleT) -> None:
        return

    async def opendir(self, inode: pyfuse3.InodeT, ctx: pyfuse3.RequestContext) -> pyfuse3.FileHandleT:
        return pyfuse3.FileHandleT(inode)

    async def readdir(self, fh: pyfuse3.FileHandleT, start_id: int, token: pyfuse3.ReaddirToken) -> None:
        names = self._names[fh]
        if names is None:
            raise pyfuse3.FUSEError(errno.ENOTDIR)
        listed = list(names.items()) if start_id == 0 else self._listed
        self._listed = listed
        for position in range(start_id, len(listed)):
            name, number = listed[position]
            if not pyfuse3.readdir_reply(token, pyfuse3.FileNameT(name), self._told(number), position + 1):
                return


def main() -> None:
    """Mount and serve until unmounted."""
    folder, mountpoint = sys.argv[1:]
    pyfuse3.init(Bare(Path(folder)), mountpoint, {"fsname=bare"})
    try:
        trio.run(pyfuse3.main)
    finally:
        pyfuse3.close(unmount=True)


if __name__ == "__main__":
    main()
