"""What local stores do with open files: reading exact ranges, writing, telling faults apart."""

from __future__ import annotations

import errno
import os
import stat
from typing import Final

from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    InvalidKeyError,
    StoreError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores.beneath import OutsideError
from zarrcore.stores.interface import ByteRange, BytesLike

LARGEST_READ: Final = 2**31 - 4096
"""Linux reads and writes no more than this at once."""

_KINDS: Final[dict[int, type[StoreError]]] = {
    errno.EACCES: AccessDeniedError,
    errno.EPERM: AccessDeniedError,
    errno.ENAMETOOLONG: InvalidKeyError,
    errno.ETIMEDOUT: StoreTimeoutError,
    errno.ENOTCONN: UnreachableError,
    errno.ESTALE: UnreachableError,
    errno.EHOSTDOWN: UnreachableError,
    errno.EHOSTUNREACH: UnreachableError,
    errno.ENETUNREACH: UnreachableError,
}


def file_failure(error: OSError, key: str | None, url: str) -> StoreError:
    """The `StoreError` that says what the operating system reported."""
    if isinstance(error, StoreError):
        return error
    what = f"{key} in {url}" if key else url
    if isinstance(error, OutsideError):
        reason = "a symbolic link leads out of the store (--follow-links allows it)"
        return AccessDeniedError(f"{what}: {reason}", key=key, url=url)
    code = error.errno or 0
    return _KINDS.get(code, StoreError)(f"{what}: {os.strerror(code)}", key=key, url=url)


def read_range(descriptor: int, byte_range: ByteRange | None) -> BytesLike | None:
    """The bytes of an open file in ``byte_range``; None where it is no regular file.

    Raises:
        BrokenBodyError: the file became shorter meanwhile.
        StoreError: there is not as much memory.
    """
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        return None
    start, stop = (0, facts.st_size) if byte_range is None else byte_range.resolve(facts.st_size)
    size = stop - start
    try:
        head = os.pread(descriptor, size, start) if size <= LARGEST_READ else b""
        return head if len(head) == size else _read_on(descriptor, head, start, size)
    except (MemoryError, OverflowError) as error:
        raise StoreError(f"there is no memory for {size} bytes at once") from error


def _read_on(descriptor: int, head: bytes, start: int, size: int) -> memoryview:
    """The rest of what one read did not give, because it is very large or a signal came."""
    buffer = memoryview(bytearray(size))
    buffer[: len(head)] = head
    done = len(head)
    while done < size:
        got = os.preadv(descriptor, [buffer[done : done + LARGEST_READ]], start + done)
        if got == 0:
            raise BrokenBodyError(f"the file became shorter while it was read: {done} of {size} bytes")
        done += got
    return buffer.toreadonly()


def dangling_link(directory: int, path: str) -> str | None:
    """The symbolic link because of which ``path`` is not there, though a name that leads to it is."""
    while path:
        try:
            facts = os.lstat(path, dir_fd=directory)
        except OSError:
            path = path.rpartition("/")[0]
        else:
            nowhere = stat.S_ISLNK(facts.st_mode) and not os.access(path, os.F_OK, dir_fd=directory)
            return path if nowhere else None
    return None


def write_new(directory: int, name: str, value: BytesLike) -> None:
    """Write a file ``name`` that did not exist in an open directory."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o666, dir_fd=directory)
    try:
        rest = memoryview(value).cast("B")
        while len(rest):
            rest = rest[os.write(descriptor, rest[:LARGEST_READ]) :]
    finally:
        os.close(descriptor)


def unlink(directory: int, name: str) -> None:
    """Remove a file of an open directory, if it is there."""
    try:
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        return
