"""``--read-write``: the kernel's requests for changes.

Data written to a file is kept with its handle, and stored when a descriptor is closed or synchronized, where a failure can be
reported. A file that is being written has an inode of its own, so that readers do not see its pages.

The kernel itself knows of changes under the names that it changes. Names whose content is written through other names
are looked up each time, and the kernel is asked to drop the pages of open files under such names.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
from typing import Any, Final

import pyfuse3

from zarrfs.fuse.errnos import errno_of
from zarrfs.fuse.guard import guarded
from zarrfs.fuse.handles import FileHandle
from zarrfs.fuse.kernel_cache import forget_pages
from zarrfs.fuse.operations import WRITING, Operations
from zarrfs.trees.entry import Directory, Entry, File, OpenFile

_log = logging.getLogger(__name__)

_BLOCK_BYTES: Final = 4096
_BLOCKS: Final = 1 << 38
"""A pebibyte: the capacity of a store is unknown, and programs refuse to write to a full file system."""


@guarded
class WritingOperations(Operations):
    """The operations of a mount with ``--read-write``."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.inodes.is_changed_here = True

    async def _place(self, parent: int, name: bytes) -> tuple[Directory, str]:
        """The directory and the name in it that a request refers to."""
        return await self._directory(parent), self._name(name)

    async def create(
        self, parent_inode: int, name: bytes, mode: int, flags: int, ctx: pyfuse3.RequestContext
    ) -> tuple[pyfuse3.FileInfo, pyfuse3.EntryAttributes]:
        directory, text = await self._place(parent_inode, name)
        asked_s = self._freshness.now()
        entry = await self._ask(directory.lookup, text)
        file: OpenFile
        if entry is None:
            file = await self._ask(directory.create, text)
        elif flags & os.O_EXCL:
            raise pyfuse3.FUSEError(errno.EEXIST)
        elif not isinstance(entry, File):
            raise pyfuse3.FUSEError(errno.EISDIR)
        elif flags & WRITING:
            file = await self._ask(entry.open_to_write, bool(flags & os.O_TRUNC))
        else:
            file = await self._ask(entry.open)
        entry = file.shown or entry
        try:
            if entry is None:  # a new file or directory always has an entry
                raise pyfuse3.FUSEError(errno.EIO)
            attributes = self._reply(parent_inode, text, entry, asked_s)
        except BaseException:
            file.close()
            raise
        try:
            return self._opened(attributes.st_ino, file, direct_io=False), attributes
        except BaseException:
            self.inodes.forget(attributes.st_ino, 1)
            raise

    async def mkdir(
        self, parent_inode: int, name: bytes, mode: int, ctx: pyfuse3.RequestContext
    ) -> pyfuse3.EntryAttributes:
        directory, text = await self._place(parent_inode, name)
        made = await self._ask(directory.make_directory, text)
        attributes = self._reply(parent_inode, text, made, self._freshness.now())
        await self._changed()
        return attributes

    async def unlink(self, parent_inode: int, name: bytes, ctx: pyfuse3.RequestContext) -> None:
        directory, text = await self._place(parent_inode, name)
        await self._ask(directory.remove, text)
        self.inodes.removed(parent_inode, text)
        await self._changed()

    async def rmdir(self, parent_inode: int, name: bytes, ctx: pyfuse3.RequestContext) -> None:
        directory, text = await self._place(parent_inode, name)
        await self._ask(directory.remove_directory, text)
        self.inodes.removed(parent_inode, text)
        await self._changed()

    async def rename(
        self,
        parent_inode_old: int,
        name_old: bytes,
        parent_inode_new: int,
        name_new: bytes,
        flags: int,
        ctx: pyfuse3.RequestContext,
    ) -> None:
        if flags & ~pyfuse3.RENAME_NOREPLACE:
            raise pyfuse3.FUSEError(errno.EINVAL)
        source, old = await self._place(parent_inode_old, name_old)
        target, new = await self._place(parent_inode_new, name_new)
        replace = not flags & pyfuse3.RENAME_NOREPLACE
        await self._ask(source.rename, old, target, new, replace)
        self.inodes.moved(parent_inode_old, old, parent_inode_new, new)
        await self._changed()

    async def link(
        self, inode: int, new_parent_inode: int, new_name: bytes, ctx: pyfuse3.RequestContext
    ) -> pyfuse3.EntryAttributes:
        """A hard link is a copy that needs a free name, which is what programs use hard links for."""
        directory, text = await self._place(new_parent_inode, new_name)
        file = await self._current(inode)
        if not isinstance(file, File):
            raise pyfuse3.FUSEError(errno.EPERM)
        await self._ask(directory.copy, file, text)
        await self._changed()
        return await self._lookup(new_parent_inode, text)

    async def _impossible(self, *_: Any) -> Any:
        """Refuse symbolic links: a store has none."""
        raise pyfuse3.FUSEError(errno.EPERM)

    symlink = _impossible  # type: ignore[assignment]

    async def mknod(
        self, parent_inode: int, name: bytes, mode: int, rdev: int, ctx: pyfuse3.RequestContext
    ) -> pyfuse3.EntryAttributes:
        """Make an empty file; refuse devices and pipes."""
        if not stat.S_ISREG(mode):
            raise pyfuse3.FUSEError(errno.EPERM)
        directory, text = await self._place(parent_inode, name)
        if await self._ask(directory.lookup, text) is not None:
            raise pyfuse3.FUSEError(errno.EEXIST)
        file = await self._ask(directory.create, text)
        try:
            await self._workers.run(file.store, True)
        finally:
            file.close()
            await self._changed()
        return await self._lookup(parent_inode, text)

    async def setattr(
        self,
        inode: int,
        attr: pyfuse3.EntryAttributes,
        fields: pyfuse3.SetattrFields,
        fh: int | None,
        ctx: pyfuse3.RequestContext,
    ) -> pyfuse3.EntryAttributes:
        entry = await self._known(inode)
        if not entry.is_writable:
            raise pyfuse3.FUSEError(errno.EROFS)
        if fields.update_size:
            await self._resize(inode, entry, attr.st_size, fh)
        # A store has no owners, permissions or times: programs may set them, without effect.
        return await self._attributes(inode)

    async def _resize(self, inode: int, entry: Entry, nbytes: int, fh: int | None) -> None:
        if fh is not None:
            await self._ask(self._written(fh).resize, nbytes)
            return
        if not isinstance(entry, File):
            raise pyfuse3.FUSEError(errno.EISDIR)
        if self.inodes.leave_to_readers(inode):
            # The kernel truncates its pages of this file, so it has to look the name up again.
            raise pyfuse3.FUSEError(errno.ESTALE)
        await self._ask(entry.resize, nbytes)
        self.inodes.resized(inode)
        await self._changed()

    async def flush(self, fh: int) -> None:
        await self._store(self.handles.file(fh), closing=True)

    async def fsync(self, fh: int, datasync: bool) -> None:
        await self._store(self.handles.file(fh), closing=False)

    async def _store(self, handle: FileHandle, closing: bool) -> None:
        file = handle.written
        if file is None or not file.holds_changes:
            return
        try:
            await self._workers.run(file.store, closing)
        finally:
            await self._changed(handle.number)

    async def release(self, fh: int) -> None:
        handle = self.handles.file(fh)
        if handle.written is not None and handle.written.is_changed:
            # Written through a mapping after the last descriptor was closed: no program can receive the error.
            try:
                await self._store(handle, closing=True)
            except Exception as error:  # noqa: BLE001 - as above
                known = errno_of(error) is not None
                _log.error("the last written data is lost: %s", error, exc_info=None if known else error)
        self._release(fh)

    async def _changed(self, number: int | None = None) -> None:
        """Have the kernel drop the pages of all files that show the changed data, except the one that was written."""
        others = {
            other
            for other in self.handles.numbers()
            if other != number and self.inodes.entry(other).caching.changes_elsewhere
        }
        if others:
            # Not in one of the worker threads: the kernel may first write pages, which needs such a thread.
            await self._workers.run_ahead(forget_pages, others)

    def _absent(self, parent: int, name: str, taken_s: float) -> pyfuse3.EntryAttributes:
        """The reply for a name that does not exist. The kernel does not cache it, since the name may appear at any moment."""
        raise pyfuse3.FUSEError(errno.ENOENT)

    async def statfs(self, ctx: pyfuse3.RequestContext) -> pyfuse3.StatvfsData:
        facts = self._statfs()
        facts.f_bsize = facts.f_frsize = _BLOCK_BYTES
        facts.f_blocks = facts.f_bfree = facts.f_bavail = _BLOCKS
        return facts
