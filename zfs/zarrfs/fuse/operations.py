"""The kernel's requests, answered from the trees. This module looks up numbers and handles; other modules do the rest.

Requests arrive on one thread. Answers in memory are given there; only calls that would wait go to a worker thread.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final, TypeVar

import pyfuse3

from zarrcore.ages import aged
from zarrcore.errors import ChangedError
from zarrfs.fuse.attributes import CommonAttributes, ListedAttributes
from zarrfs.fuse.counters import Counters
from zarrfs.fuse.guard import Completing, completes_itself, guarded
from zarrfs.fuse.handles import DirectoryHandle, FileHandle, HandleTable
from zarrfs.fuse.inodes.inode import Inode
from zarrfs.fuse.inodes.inode_table import ROOT, InodeTable
from zarrfs.fuse.kernel_cache import KernelCache
from zarrfs.fuse.prefetch import Budget, Reader
from zarrfs.fuse.read_only import ReadOnlyOperations
from zarrfs.fuse.workers import Workers
from zarrfs.trees.entry import BytesLike, Directory, Entry, File, OpenFile, WritableOpenFile
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness, Remembered

_log = logging.getLogger(__name__)
T = TypeVar("T")

_WARNED_MAX: Final = 1000
_WARN_AGAIN_S: Final = 60.0
WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_TRUNC
"""Flags that open a file for writing."""


@guarded
class Operations(ReadOnlyOperations):
    """The tree of a mount, as pyfuse3's operations.

    Args:
        root: the tree.
        freshness: how long answers may be given, by the inodes and the kernel.
        attributes: attributes that all entries share.
        workers: run slow calls.
        counters: count requests, errors and bytes.
        ahead: bytes that may be read ahead for all readers together.
    """

    def __init__(
        self,
        root: Directory,
        freshness: Freshness,
        attributes: CommonAttributes,
        workers: Workers,
        counters: Counters,
        ahead: Budget,
    ) -> None:
        super().__init__()
        self.counters = counters
        self.completing = Completing()
        self.warned = Remembered(Freshness(_WARN_AGAIN_S), _WARNED_MAX)
        self.inodes = InodeTable(root)
        self.handles = HandleTable()
        self.ahead = ahead
        self.kernel = KernelCache(self.inodes, freshness)
        self._freshness = freshness
        self.attributes = attributes
        self._workers = workers
        self._listed = ListedAttributes(attributes)

    async def _ask(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call with ``wait=False``, and if that raises WouldBlockError, with ``wait=True`` in a worker."""
        try:
            return function(*arguments, False)
        except WouldBlockError:
            return await self._workers.run(function, *arguments, True)

    async def _dated(self, function: Callable[..., T], *arguments: Any) -> tuple[T, float]:
        """As `_ask`, and when the oldest answer that the result was made from was requested; infinite if all are new."""
        try:
            return aged(function, *arguments, False)
        except WouldBlockError:
            return await self._workers.run(aged, function, *arguments, True)

    async def _directory(self, number: int) -> Directory:
        """A directory to look names up in. It is looked up again if it is stale or was moved."""
        entry = self.inodes.entry(number)
        if not entry.caching.never_expires or self.inodes.is_expired(number):
            entry = await self._current(number)
        if not isinstance(entry, Directory):
            raise pyfuse3.FUSEError(errno.ENOTDIR)
        return entry

    def _age_of(self, number: int) -> float:
        """When a directory's answers were requested, unless what it asks is older: now, or when its own content was."""
        now_s = self._freshness.now()
        if self.inodes.remembers(number) and self.inodes.entry(number).caching.never_expires:
            return now_s
        return min(now_s, self.inodes.taken_s(number))

    async def lookup(
        self, parent_inode: int, name: bytes, ctx: pyfuse3.RequestContext
    ) -> pyfuse3.EntryAttributes:
        return await self._lookup(parent_inode, self._name(name))

    def _name(self, name: bytes) -> str:
        """Decode a name from the kernel."""
        if len(name) > self.attributes.name_max:
            raise pyfuse3.FUSEError(errno.ENAMETOOLONG)
        return os.fsdecode(name)

    async def _lookup(self, parent: int, name: str) -> pyfuse3.EntryAttributes:
        directory = await self._directory(parent)
        asked_s = self._age_of(parent)
        entry, oldest_s = await self._dated(directory.lookup, name)
        if entry is None:
            return self._absent(parent, name, min(asked_s, oldest_s))
        if isinstance(entry, File) and not entry.is_sized and self.inodes.is_open(parent, name):
            # The file must be made before its version can be compared with the open one.
            sized, sized_s = await self._dated(entry.sized)
            return self._reply(parent, name, sized, min(asked_s, oldest_s, sized_s))
        return self._reply(parent, name, entry, min(asked_s, oldest_s))

    def _reply(self, parent: int, name: str, entry: Entry, taken_s: float) -> pyfuse3.EntryAttributes:
        """The attributes of an entry, whose number the kernel knows after this reply."""
        attributes = self.attributes.new()
        number = self.inodes.assign(parent, name, entry, taken_s)
        try:
            left_s = self._freshness.left_s(taken_s)
            self.attributes.fill(attributes, number, self.inodes.told(number, entry), left_s)
        except BaseException:
            self.inodes.drop_uncounted(number)
            raise
        self.inodes.count(number)
        return attributes

    def _absent(self, parent: int, name: str, taken_s: float) -> pyfuse3.EntryAttributes:
        """The answer for a name that does not exist: number 0, which the kernel remembers, unlike ENOENT."""
        left_s = self._freshness.left_s(taken_s)
        if left_s <= 0 or not self.kernel.may_remember_absent(parent, name):
            raise pyfuse3.FUSEError(errno.ENOENT)
        self.counters.failed(errno.ENOENT)
        attributes = self.attributes.new()
        attributes.st_ino = 0
        attributes.entry_timeout = left_s
        return attributes

    async def getattr(self, inode: int, ctx: pyfuse3.RequestContext) -> pyfuse3.EntryAttributes:
        return await self._attributes(inode)

    async def _attributes(self, number: int) -> pyfuse3.EntryAttributes:
        entry = await self._known(number)
        if isinstance(entry, File) and not entry.is_sized:
            entry = await self._sized(number, entry)
        attributes = self.attributes.new()
        left_s = self._freshness.left_s(self.inodes.taken_s(number))
        self.attributes.fill(attributes, number, entry, left_s)
        # Programs that write compare the inode number of their open file with the one of the name.
        attributes.st_ino = self.inodes.written_as(number)
        return attributes

    async def _known(self, number: int) -> Entry:
        """The entry of a number; for an open file whose name now leads elsewhere, the opened entry."""
        try:
            return await self._current(number)
        except pyfuse3.FUSEError as error:
            if error.errno != errno.ESTALE or not self.inodes.leave_name(number):
                raise
            return self.inodes.entry(number)

    async def _sized(self, number: int, file: File) -> File:
        """The entry of a number, with its size."""
        inode = self.inodes.inode(number)
        sized, oldest_s = await self._dated(file.sized)
        self._update_inode(inode, sized)
        inode.taken_s = min(inode.taken_s, oldest_s)
        return sized

    def _update_inode(self, inode: Inode, entry: Entry) -> None:
        if not inode.may_become(entry):
            raise pyfuse3.FUSEError(errno.ESTALE)
        inode.update_from(entry)

    async def _current(self, number: int) -> Entry:
        """The entry of a number, looked up again by its name if it is stale."""
        fresh = self._fresh(number)
        if fresh is not None:
            return fresh
        inode = self.inodes.inode(number)
        parent = await self._directory(inode.parent)
        asked_s = self._age_of(inode.parent)
        found, oldest_s = await self._dated(parent.lookup, inode.name)
        if found is None:
            raise pyfuse3.FUSEError(errno.ESTALE)
        found = found.after(inode.entry)
        self._update_inode(inode, found)
        inode.taken_s = min(asked_s, oldest_s)
        return found

    def _fresh(self, number: int) -> Entry | None:
        """The entry of a number; None if it is stale."""
        if number == ROOT or not self.inodes.remembers(number):
            return self.inodes.entry(number)
        inode = self.inodes.inode(number)
        is_fresh = inode.is_shown or not self._freshness.expired(inode.taken_s)
        return inode.entry if is_fresh else None

    async def setattr(
        self,
        inode: int,
        attr: pyfuse3.EntryAttributes,
        fields: pyfuse3.SetattrFields,
        fh: int | None,
        ctx: pyfuse3.RequestContext,
    ) -> pyfuse3.EntryAttributes:
        expired = self.inodes.is_expired(inode)
        entry = await self._current(inode) if expired else self.inodes.entry(inode)
        if not (entry.is_writable and fields.update_size):
            raise pyfuse3.FUSEError(errno.EROFS)
        # A shell's ">" truncates before it writes.
        return await self._attributes(inode)

    @completes_itself
    async def open(self, inode: int, flags: int, ctx: pyfuse3.RequestContext) -> pyfuse3.FileInfo:
        entry = self._fresh(inode)
        if isinstance(entry, File) and entry.is_sized and not flags & WRITING:
            with suppress(WouldBlockError):
                return self._opened(inode, file := entry.open(False), _is_direct(entry, file))
        with self.completing.request():
            return await self._open(inode, flags)

    async def _open(self, inode: int, flags: int) -> pyfuse3.FileInfo:
        entry = await self._current(inode)
        if not isinstance(entry, File):
            raise pyfuse3.FUSEError(errno.EISDIR)
        if not entry.is_sized:
            entry = await self._sized(inode, entry)
        file: OpenFile
        if flags & WRITING:
            file = await self._ask(entry.open_to_write, bool(flags & os.O_TRUNC))
        else:
            file = await self._ask(entry.open)
        return self._opened(inode, file, _is_direct(entry, file))

    def _opened(self, number: int, file: OpenFile, direct_io: bool) -> pyfuse3.FileInfo:
        """A handle for an open file; ESTALE if another version of the file is open."""
        if not self.inodes.open(number, file.version):
            file.refuse()
            raise pyfuse3.FUSEError(errno.ESTALE)
        if file.shown is not None:
            self.inodes.show(number, file.shown)
        pages, keep = self.kernel.pages(number, file)
        version = None if file.version is None else (number, file.version)
        reader = Reader(file, self._workers, self.ahead, self.kernel.pusher(number), version, pages)
        handle = FileHandle(number, reader)
        return pyfuse3.FileInfo(fh=self.handles.add_file(handle), direct_io=direct_io, keep_cache=keep)

    async def read(self, fh: int, off: int, size: int) -> BytesLike:  # type: ignore[override]
        handle = self.handles.file(fh)
        try:
            content = await handle.reader.read(off, size)
        except ChangedError:
            self.inodes.expire(handle.number)
            raise
        self.counters.bytes_read += len(content)
        return content

    async def write(self, fh: int, off: int, buf: bytes) -> int:
        return await self._ask(self._written(fh).write, off, buf)

    def _written(self, fh: int) -> WritableOpenFile:
        file = self.handles.file(fh).written
        if file is None:
            raise pyfuse3.FUSEError(errno.EBADF)
        return file

    def unstored(self) -> list[str]:
        """Open files with data that is not stored, as paths below the mount point."""
        return sorted(map(self.inodes.path, self.handles.unstored()))

    @completes_itself
    async def release(self, fh: int) -> None:
        self._release(fh)

    def _release(self, fh: int) -> None:
        handle = self.handles.remove_file(fh)
        self.inodes.close(handle.number)
        self.counters.ahead_hits += handle.reader.ahead_hits
        handle.reader.close()

    async def opendir(self, inode: int, ctx: pyfuse3.RequestContext) -> int:
        entry = await self._directory(inode)
        return self.handles.add_directory(DirectoryHandle(inode, entry))

    async def readdir(self, fh: int, start_id: int, token: pyfuse3.ReaddirToken) -> None:
        handle = self.handles.directory(fh)
        handle.seek(start_id)
        sent = False
        asked_s = self._age_of(handle.number)
        while True:
            if not handle.waiting:
                try:
                    if not await self._filled(handle, asked_s):
                        break
                except Exception:
                    # The entries sent so far are valid; the error is raised at the kernel's next request.
                    if sent:
                        break
                    raise
            if not self._send(handle, token):
                break
            sent = True

    async def _filled(self, handle: DirectoryHandle, asked_s: float) -> bool:
        if handle.directory.lists_at_once:
            return handle.fill(asked_s)
        return await self._workers.run(handle.fill, asked_s)

    def _send(self, handle: DirectoryHandle, token: pyfuse3.ReaddirToken) -> bool:
        """Return the waiting entries to the kernel; False if its buffer has no room for all."""
        inodes, waiting, name_max = self.inodes, handle.waiting, self.attributes.name_max
        filled, reply = self._listed.filled, pyfuse3.readdir_reply
        left_s = self._freshness.left_s(handle.taken_s)
        while waiting:
            name, entry = waiting[0]
            encoded = name.encode("utf-8", "surrogateescape")
            if len(encoded) > name_max:
                _log.warning("a name of %d bytes is too long to be listed: %.60s…", len(encoded), name)
                handle.taken()
                continue
            number, told = inodes.assign_listed(handle.cursor, name, entry, handle.taken_s)
            try:
                attributes = filled(number, told, left_s)
                fits = reply(token, encoded, attributes, handle.position + 1)
            except BaseException:
                inodes.drop_uncounted(number)
                raise
            if not fits:
                inodes.drop_uncounted(number)
                return False
            inodes.count(number)
            handle.taken()
        return True

    async def releasedir(self, fh: int) -> None:
        self.handles.remove_directory(fh)
        self.kernel.trim()

    async def forget(self, inode_list: Iterable[tuple[int, int]]) -> None:
        for number, lookups in inode_list:
            self.inodes.forget(number, lookups)


def _is_direct(entry: File, file: OpenFile) -> bool:
    """Whether the kernel must not keep pages of an open file."""
    return not (entry.caching.uses_pages and file.caching.uses_pages)
