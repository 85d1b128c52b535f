"""``--read-write``: the kernel's requests to change something.

What is written to a file is kept with its handle, and stored when a descriptor is closed or synchronized: there a failure can be
reported. A file that is being written has an inode of its own, so that readers do not see its pages.

The kernel learns of changes under the names that it was asked to change by itself. Names that show what is written elsewhere it
asks for each time, and what it has read of files that are open there it is told to forget.
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
    """The tree, open for changes."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.inodes.is_changed_here = True

    async def _place(self, parent: int, name: bytes) -> tuple[Directory, str]:
        """A directory and the name in it that the kernel means."""
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
            if entry is None:  # what is made has an entry to show
                raise pyfuse3.FUSEError(errno.EIO)
            attributes = self._told(parent_inode, text, entry, asked_s)
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
        attributes = self._told(parent_inode, text, made, self._freshness.now())
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
        """What programs make hard links for works, that a name is taken only if it is free; it is a copy."""
        directory, text = await self._place(new_parent_inode, new_name)
        file = await self._current(inode)
        if not isinstance(file, File):
            raise pyfuse3.FUSEError(errno.EPERM)
        await self._ask(directory.copy, file, text)
        await self._changed()
        return await self._lookup(new_parent_inode, text)

    async def _impossible(self, *_: Any) -> Any:
        """Symbolic links are nothing to a store."""
        raise pyfuse3.FUSEError(errno.EPERM)

    symlink = _impossible  # type: ignore[assignment]

    async def mknod(
        self, parent_inode: int, name: bytes, mode: int, rdev: int, ctx: pyfuse3.RequestContext
    ) -> pyfuse3.EntryAttributes:
        """An empty file; devices and pipes are nothing to a store."""
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
        # Owners, permissions and times are no part of a store: programs may set them, and find them as they were.
        return await self._attributes(inode)

    async def _resize(self, inode: int, entry: Entry, nbytes: int, fh: int | None) -> None:
        if fh is not None:
            await self._ask(self.handles.file(fh).reader.file.resize, nbytes)
            return
        if not isinstance(entry, File):
            raise pyfuse3.FUSEError(errno.EISDIR)
        if self.inodes.leave_to_readers(inode):
            # The kernel cuts what it has of this file: it is to look the name up again.
            raise pyfuse3.FUSEError(errno.ESTALE)
        await self._ask(entry.resize, nbytes)
        self.inodes.resized(inode)
        await self._changed()

    async def flush(self, fh: int) -> None:
        await self._store(self.handles.file(fh), closing=True)

    async def fsync(self, fh: int, datasync: bool) -> None:
        await self._store(self.handles.file(fh), closing=False)

    async def _store(self, handle: FileHandle, closing: bool) -> None:
        file = handle.reader.file
        if not file.holds_changes:
            return
        try:
            await self._workers.run(file.store, closing)
        finally:
            await self._changed(handle.number)

    async def release(self, fh: int) -> None:
        handle = self.handles.file(fh)
        if handle.reader.file.is_changed:
            # Written through a mapping after the last descriptor was closed: no program is left that could get the error.
            try:
                await self._store(handle, closing=True)
            except Exception as error:  # noqa: BLE001 - as above
                known = errno_of(error) is not None
                _log.error("what was written last is lost: %s", error, exc_info=None if known else error)
        self._release(fh)

    async def _changed(self, number: int | None = None) -> None:
        """Have the kernel forget what it has read of files that show what was changed, but for the one that was written."""
        others = {
            other
            for other in self.handles.numbers()
            if other != number and self.inodes.entry(other).caching.changes_elsewhere
        }
        if others:
            # Not in one of the threads that may have to take what the kernel writes first.
            await self._workers.run_ahead(forget_pages, others)

    def _absent(self, parent: int, name: str) -> pyfuse3.EntryAttributes:
        """The answer for a name that does not exist; the kernel asks again each time, since the name may appear at any moment."""
        raise pyfuse3.FUSEError(errno.ENOENT)

    async def statfs(self, ctx: pyfuse3.RequestContext) -> pyfuse3.StatvfsData:
        facts = self._statfs()
        facts.f_bsize = facts.f_frsize = _BLOCK_BYTES
        facts.f_blocks = facts.f_bfree = facts.f_bavail = _BLOCKS
        return facts
