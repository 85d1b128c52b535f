"""Files of an open directory: atomic writes, and removal of whole trees.

A value is written to a file without a name, which then gets its name. So a reader sees the old or the new value, and a
killed writer leaves only the old one. Where the file system has no such files, the file has a temporary name, which
listings do not show. A killed writer leaves that file, and a later writer removes it.
"""

from __future__ import annotations

import contextlib
import errno
import secrets
import stat
import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Final, Self

from zarrcore.stores.descriptors import LARGEST_CALL, open_flags
from zarrcore.stores.interface import BytesLike
from zarrcore.system import os

_PREFIX: Final = ".zarrscope-"
_SUFFIX: Final = ".partial"

_ABANDONED_S: Final = 3600.0
"""The age after which a temporary file counts as abandoned by its writer."""

_LOOKED_AT: Final = 10_000
"""The number of names that are searched for these files: searching must not cost more than writing."""

_PIECE: Final = 1 << 20

_NO_COPYING: Final = {errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM}
"""The kernel's errors if it cannot copy between two files itself."""

_NO_LINKS: Final = {errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS}
"""The kernel's errors if a file cannot be linked: FAT and some network file systems, or a sandbox."""

_FICLONE: Final = 0x40049409
_NO_CLONES: Final = {*_NO_COPYING, errno.ENOTTY, errno.EBADF, errno.ETXTBSY}
"""The kernel's errors if two files cannot share their blocks."""

Fill = Callable[[int], None]
"""Writes to the descriptor of an empty file."""

_DESCRIPTORS: Final = "/proc/self/fd"
_UNNAMED_FILES: Final = sys.platform == "linux" and os.path.isdir(_DESCRIPTORS)

_without_links: set[int] = set()
"""Devices where a file without a name cannot get one."""


def temporary_name() -> str:
    """A new name for a file that is being written."""
    return f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"


def is_temporary(name: str) -> bool:
    """Whether a file of this name is, or was, being written."""
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def put_file(directory: int, name: str, value: BytesLike | Fill, *, if_absent: bool, durable: bool) -> bool:
    """Write the file ``name`` of an open directory atomically. False if ``if_absent`` found a file.

    Args:
        directory: a descriptor of the directory.
        name: a name in it.
        value: the bytes, or a function that writes them to an empty file.
        if_absent: keep an existing file.
        durable: write it through to the disk before returning.

    Raises:
        FileNotFoundError: the directory was removed meanwhile.
        OSError: any other error of the operating system; the temporary file is removed.
    """
    if if_absent and _is_there(directory, name):
        return False
    with NewFile(directory) as file:
        if callable(value):
            value(file.descriptor)
        else:
            rest = memoryview(value).cast("B")
            while len(rest):
                rest = rest[os.write(file.descriptor, rest[:LARGEST_CALL]) :]
        if durable:
            os.fsync(file.descriptor)
        if not if_absent:
            file.put_at(name)
        elif not file.put_at_if_absent(name):
            return False  # another writer was faster
    if durable:
        os.fsync(directory)
    return True


class NewFile:
    """A file of an open directory that gets its name when it is whole.

    Creating a file without a name does not lock the directory, so other threads can create files in it meanwhile. By
    measurement, two threads write a directory of many chunks up to twice as fast as by renaming.

    Args:
        directory: a descriptor of the directory.
        mode: the permissions, from which the process's umask is taken.

    Attributes:
        descriptor: the file, open for reading and writing.

    Raises:
        OSError: it cannot be created.
    """

    def __init__(self, directory: int, mode: int = 0o666) -> None:
        self._directory = directory
        self._mode = mode
        self._temporary = ""
        self._is_named = not can_name_later(directory)
        try:
            self.descriptor = self._create()
        except OSError:
            if self._is_named:
                raise
            self._is_named = True  # many network file systems have no unnamed files
            self.descriptor = self._create()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._close()
        finally:
            if self._temporary:
                unlink(self._directory, self._temporary)

    def put_at(self, name: str) -> None:
        """Give the file its name. It replaces a file that has this name.

        Raises:
            OSError: the directory was removed, or there is a directory of this name.
        """
        if self._is_named or not self._takes(name):
            if sys.platform == "win32":  # which renames no open file
                self._close()
            os.replace(self._temporary, name, src_dir_fd=self._directory, dst_dir_fd=self._directory)
            self._temporary = ""

    def put_at_if_absent(self, name: str) -> bool:
        """Give the file its name, which must not be taken. False if it is.

        Raises:
            OSError: the directory was removed, or the file system has no links.
        """
        try:
            self._link(name)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno in _NO_LINKS:
                raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP), name) from error
            raise
        return True

    def _close(self) -> None:
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _create(self) -> int:
        flags = open_flags("O_RDWR", "O_CLOEXEC")
        if not self._is_named:
            return os.open(".", flags | os.O_TMPFILE, self._mode, dir_fd=self._directory)
        self._temporary = temporary_name()
        return os.open(self._temporary, flags | os.O_CREAT | os.O_EXCL, self._mode, dir_fd=self._directory)

    def _link(self, name: str) -> None:
        """Give the file a further name. Unlike renaming, this never replaces a file."""
        own = self._temporary if self._is_named else f"{_DESCRIPTORS}/{self.descriptor}"
        at = self._directory
        os.link(own, name, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=not self._is_named)

    def _takes(self, name: str) -> bool:
        """Give an unnamed file its name. If that is not possible, give it a temporary one and return False."""
        try:
            self._link(name)
        except FileExistsError:
            self._temporary = temporary_name()
            self._link(self._temporary)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self._copy_to_named_file()
        else:
            return True
        return False

    def _copy_to_named_file(self) -> None:
        unnamed, facts = self.descriptor, os.fstat(self.descriptor)
        _without_links.add(facts.st_dev)
        self._is_named = True
        self.descriptor = self._create()
        try:
            os.fchmod(self.descriptor, stat.S_IMODE(facts.st_mode))
            copy_file(unnamed, self.descriptor)
        finally:
            os.close(unnamed)


def can_name_later(directory: int) -> bool:
    """Whether files without a name can get one in an open directory, as far as is known."""
    return _UNNAMED_FILES and not (_without_links and os.fstat(directory).st_dev in _without_links)


def copy_file(source: int, target: int) -> None:
    """Copy an open file into an empty one; holes stay holes.

    Raises:
        OSError: an error of the operating system, such as a full disk.
    """
    size = os.fstat(source).st_size
    os.ftruncate(target, size)
    stop = 0
    while stop < size:
        try:
            start = os.lseek(source, stop, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return  # only a hole is left
            if error.errno != errno.EOPNOTSUPP:
                raise
            start, end = stop, size
        else:
            end = os.lseek(source, start, os.SEEK_HOLE)
        _copy_range(source, target, start, end)
        stop = end


def clone_file(source: int, target: int) -> bool:
    """Let an empty file share the blocks of an open file; False if the file system cannot do that.

    Btrfs and XFS can, within one file system. Blocks are copied when one of the files changes.

    Raises:
        OSError: any other error of the operating system.
    """
    if sys.platform != "linux":
        return False
    import fcntl

    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError as error:
        if error.errno not in _NO_CLONES:
            raise
        return False
    return True


def _copy_range(source: int, target: int, start: int, stop: int) -> None:
    try:  # in the kernel, and on some file systems without copying data
        while start < stop:
            done = os.copy_file_range(source, target, stop - start, start, start)
            if not done:
                break
            start += done
    except OSError as error:
        if error.errno not in _NO_COPYING:
            raise
    while start < stop:
        part = memoryview(os.pread(source, min(_PIECE, stop - start), start))
        if not part:
            raise OSError(errno.EIO, "it became shorter while it was copied")
        while part:
            done = os.pwrite(target, part, start)
            part, start = part[done:], start + done


def unlink(directory: int, name: str) -> None:
    """Remove a file of an open directory, if it exists."""
    try:
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        return


def remove_abandoned(directory: int) -> None:
    """Remove the abandoned temporary files of an open directory. Failures are ignored."""
    with contextlib.suppress(OSError), os.scandir(directory) as found:
        for item in islice(found, _LOOKED_AT):
            if is_temporary(item.name) and _is_abandoned(item):
                unlink(directory, item.name)


def empty_directory(directory: int) -> bool:
    """Remove all files beneath an open directory, and the directories that become empty; links are not followed.

    Memory holds only the current path. Temporary files that are being written stay, and so do entries that are not files.

    Returns:
        Whether anything was removed: then the listing may have missed entries, and must be repeated.
    """
    removed = False
    way = [(os.dup(directory), os.scandir(directory), "")]
    try:
        while way:
            descriptor, scan, name = way[-1]
            item = next(scan, None)
            if item is None:
                way.pop()
                _leave(descriptor, scan)
                if way and _rmdir(way[-1][0], name):
                    removed = True
            elif item.is_dir(follow_symlinks=False):
                inner = os.open(item.name, _INNER_DIRECTORY, dir_fd=descriptor)
                way.append((inner, os.scandir(inner), item.name))
            elif _is_removable(item):
                unlink(descriptor, item.name)
                removed = True
    finally:
        for descriptor, scan, _ in way:
            _leave(descriptor, scan)
    return removed


_INNER_DIRECTORY: Final = open_flags("O_RDONLY", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW")


def _leave(descriptor: int, scan: contextlib.AbstractContextManager[object]) -> None:
    with scan:
        os.close(descriptor)


def _rmdir(directory: int, name: str) -> bool:
    try:
        os.rmdir(name, dir_fd=directory)
    except OSError:
        return False  # a writer put something into it
    return True


def _is_removable(item: os.DirEntry[str]) -> bool:
    if is_temporary(item.name):
        return _is_abandoned(item)
    return item.is_symlink() or item.is_file(follow_symlinks=False)


def _is_abandoned(item: os.DirEntry[str]) -> bool:
    try:
        return time.time() - item.stat(follow_symlinks=False).st_mtime > _ABANDONED_S
    except OSError:
        return False  # its writer has finished


def _is_there(directory: int, name: str) -> bool:
    """Whether a name is taken. Raises for a directory."""
    try:
        facts = os.lstat(name, dir_fd=directory)
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    return True
