"""A zip file that is open for writing: positional reads and writes, locks, detection of other writers."""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Callable
from typing import Final

from zarrcore.stores.descriptors import LARGEST_CALL, open_flags
from zarrcore.stores.interface import ByteRange, BytesLike, StoreStat
from zarrcore.stores.local.file_reading import file_failure, read_range
from zarrcore.stores.local.store import stat_of
from zarrcore.system import os

_ASKED_EACH_S: Final = 0.002
_JOINED_NBYTES: Final = 1 << 16

_REPLACED: Final = "user.zarrscope.replaced"
_NOTED: Final = 15
"""The number of earlier files that are noted; a writer that looks more seldom takes the file for a foreign one."""

_GATE: Final = "hhqqi"
_GATE_PLACE: Final = (os.SEEK_SET, 1 << 62, 1, 0)
"""The rest of a ``struct flock`` for fcntl(2): a byte far beyond the end of any file is the gate."""


class OpenFile:
    """A file, open for reading and writing; its descriptor closes when the last reader releases it.

    Args:
        path: the file's path.
        flags: the flags to open it with.
        descriptor: the file, if it is already open.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(
        self, path: str, flags: int = open_flags("O_RDWR", "O_CLOEXEC"), descriptor: int | None = None
    ) -> None:
        self.path = path
        self.descriptor = os.open(path, flags, 0o600) if descriptor is None else descriptor

    def __del__(self) -> None:
        if "descriptor" in self.__dict__:
            os.close(self.__dict__.pop("descriptor"))

    def stat(self) -> StoreStat:
        """The facts that a `LocalStore` returns about it."""
        return stat_of(os.fstat(self.descriptor))

    def fetch(self, start: int, stop: int) -> BytesLike:
        """The bytes from a start to a stop, fewer at the end."""
        try:
            return read_range(self.descriptor, ByteRange(start, stop)) or b""
        except OSError as error:
            raise file_failure(error, None, self.path) from error

    def write(self, position: int, *parts: BytesLike) -> None:
        """Write at a position."""
        if sum(map(len, parts)) <= _JOINED_NBYTES:
            parts = (b"".join(parts),)  # joining is cheaper than two system calls
        for part in parts:
            rest = memoryview(part).cast("B")
            while len(rest):
                done = os.pwrite(self.descriptor, rest[:LARGEST_CALL], position)
                rest, position = rest[done:], position + done

    def lock(self, wait_s: float) -> bool:
        """Lock out other writers that use zarrcore. False if the file system has no locks.

        Raises:
            BlockingIOError: another writer kept the lock for the given number of seconds.
        """
        try:
            import fcntl
        except ImportError:  # Windows has none
            return False
        if not hasattr(fcntl, "F_OFD_SETLK"):  # macOS
            return self._flock(time.monotonic() + wait_s)
        closed, opened = (struct.pack(_GATE, kind, *_GATE_PLACE) for kind in (fcntl.F_WRLCK, fcntl.F_UNLCK))
        deadline = time.monotonic() + wait_s
        try:
            # A waiting writer holds this gate: a writer that has just released the lock queues after it.
            _until(deadline, lambda: fcntl.fcntl(self.descriptor, fcntl.F_OFD_SETLK, closed))
        except BlockingIOError:
            raise
        except OSError:
            return self._flock(deadline)
        try:
            return self._flock(deadline)
        finally:
            fcntl.fcntl(self.descriptor, fcntl.F_OFD_SETLK, opened)

    def _flock(self, deadline: float) -> bool:
        import fcntl

        try:
            _until(deadline, lambda: fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB))
        except BlockingIOError:
            raise
        except OSError:
            return False
        return True

    def unlock(self) -> None:
        """Release the lock."""
        with contextlib.suppress(OSError, ImportError):
            import fcntl

            fcntl.flock(self.descriptor, fcntl.LOCK_UN)

    def has_its_name(self) -> bool:
        """Whether its path still leads to this file."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self.descriptor))
        except FileNotFoundError:
            return False

    def replaced(self) -> list[int]:
        """The inode numbers of the files that this one replaced without changing a value, oldest first.

        Empty if the file system has no extended attributes.
        """
        try:
            numbers = os.getxattr(self.descriptor, _REPLACED)
        except OSError:
            return []
        return [int(number) for number in numbers.split() if number.isdigit()]

    def replaces(self, before: OpenFile) -> None:
        """Note that this file will replace another one without changing a value."""
        numbers = [*before.replaced()[-_NOTED:], os.fstat(before.descriptor).st_ino]
        with contextlib.suppress(OSError):
            os.setxattr(self.descriptor, _REPLACED, " ".join(map(str, numbers)).encode())


def _until(deadline: float, attempt: Callable[[], object]) -> None:
    """Retry until the lock is acquired.

    Raises:
        BlockingIOError: another process holds the lock all the time.
    """
    while True:
        try:
            attempt()
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_ASKED_EACH_S)
        else:
            return
