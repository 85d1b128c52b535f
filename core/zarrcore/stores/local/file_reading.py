"""Reading exact ranges of open files, and the errors of local stores."""

from __future__ import annotations

import errno
import stat
from typing import Final

from zarrcore.errors import (
    AccessDeniedError,
    ChangedError,
    KeyTooLongError,
    StoreError,
    StoreFullError,
    StoreTimeoutError,
    UnreachableError,
    ValueTooLargeError,
)
from zarrcore.stores.descriptors import read_descriptor, read_descriptor_into
from zarrcore.stores.interface import ByteRange, BytesLike
from zarrcore.stores.local.confined_paths import OutsideError
from zarrcore.system import os

_KINDS: Final[dict[int, type[StoreError]]] = {
    errno.EACCES: AccessDeniedError,
    errno.EPERM: AccessDeniedError,
    errno.ENAMETOOLONG: KeyTooLongError,
    errno.EROFS: AccessDeniedError,
    errno.ENOSPC: StoreFullError,
    errno.EDQUOT: StoreFullError,
    errno.EFBIG: ValueTooLargeError,
    errno.ETIMEDOUT: StoreTimeoutError,
    errno.ENOTCONN: UnreachableError,
    errno.ESTALE: UnreachableError,
    errno.EHOSTDOWN: UnreachableError,
    errno.EHOSTUNREACH: UnreachableError,
    errno.ENETUNREACH: UnreachableError,
}

_REASONS: Final = {
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of the disk is used up",
    errno.EFBIG: "it is larger than this file system allows",
    errno.EISDIR: "there is a directory of this name, which contains other keys",
    errno.ENOTDIR: "a part of the path is a file, not a directory",
}
"""Clearer reasons than the operating system's own, in terms of keys."""


def file_failure(error: OSError, key: str | None, url: str) -> StoreError:
    """The `StoreError` for an error of the operating system."""
    if isinstance(error, StoreError):
        return error
    what = f"{key} in {url}" if key else url
    if isinstance(error, OutsideError):
        reason = "a symbolic link leads out of the store (--follow-links allows it)"
        return AccessDeniedError(f"{what}: {reason}", key=key, url=url)
    code = error.errno or 0
    return _KINDS.get(code, StoreError)(
        f"{what}: {_REASONS.get(code) or os.strerror(code)}", key=key, url=url
    )


class TooLarge(Exception):  # noqa: N818 - it never leaves the store
    """There are more bytes to read than allowed."""

    def __init__(self, size: int, limit: int) -> None:
        self.size = size
        self.limit = limit


def read_range(
    descriptor: int,
    byte_range: ByteRange | None,
    max_nbytes: int | None = None,
    *,
    inode: int | None = None,
    facts: os.stat_result | None = None,
) -> BytesLike | None:
    """The bytes of an open file in ``byte_range``; None if it is not a regular file.

    Args:
        descriptor: the file.
        byte_range: which bytes; None for all.
        max_nbytes: the most bytes to read.
        inode: the expected inode number.
        facts: what ``os.fstat`` states, if it was called already.

    Raises:
        TooLarge: there are more than ``max_nbytes`` bytes.
        ChangedError: the file's inode number is not ``inode``.
        BrokenBodyError: the file became shorter meanwhile.
        StoreError: there is not enough memory.
    """
    if facts is None:
        facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        return None
    if inode is not None and facts.st_ino != inode:
        raise ChangedError("it was replaced while it was read")
    start, stop = (0, facts.st_size) if byte_range is None else byte_range.resolve(facts.st_size)
    size = stop - start
    if max_nbytes is not None and size > max_nbytes:
        raise TooLarge(size, max_nbytes)
    try:
        return read_descriptor(descriptor, size, start)
    except (MemoryError, OverflowError) as error:
        raise StoreError(f"there is not enough memory for {size} bytes at once") from error


def read_range_into(descriptor: int, byte_range: ByteRange | None, buffer: memoryview) -> int | None:
    """Read the bytes in ``byte_range`` into ``buffer``. Return their number, or None if it is not a regular file.

    Raises:
        TooLarge: the bytes do not fit into the buffer.
        BrokenBodyError: the file became shorter meanwhile.
    """
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        return None
    start, stop = (0, facts.st_size) if byte_range is None else byte_range.resolve(facts.st_size)
    size = stop - start
    if size > len(buffer):
        raise TooLarge(size, len(buffer))
    read_descriptor_into(descriptor, buffer[:size], start)
    return size


def dangling_link(directory: int, path: str) -> str | None:
    """The dangling symbolic link on the way to ``path``, which makes an existing name look absent."""
    # `os.access` raises no error for an absent name, so it costs a third of `os.lstat`.
    while path and not os.access(path, os.F_OK, dir_fd=directory):
        if os.access(path, os.F_OK, dir_fd=directory, follow_symlinks=False):
            return path if _leads_nowhere(directory, path) else None
        path = path.rpartition("/")[0]
    return None


def _leads_nowhere(directory: int, path: str) -> bool:
    """Whether a name is a dangling link, and not a file or directory that another writer has made in the meantime."""
    try:
        facts = os.lstat(path, dir_fd=directory)
    except OSError:
        return False
    return stat.S_ISLNK(facts.st_mode) and not os.access(path, os.F_OK, dir_fd=directory)
