"""The result of a mount, for `zarrscope umount`: at its end, the daemon has no terminal, and the mount does not answer.

The daemon keeps an unnamed file in memory and gives its path in ``stats.json``. `zarrscope umount` opens the file before
unmounting, and reads it when the daemon is gone.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Final, Self

_RUNNING: Final = b"running"
_COMPLETING: Final = b"completing"
_LONGEST: Final = 1 << 16


class Outcome:
    """The daemon's report: that it is completing its store, and then its error, if any."""

    def __init__(self) -> None:
        self._descriptor = os.memfd_create("outcome", os.MFD_CLOEXEC)
        self._send(_RUNNING)

    @property
    def path(self) -> str:
        """The path at which other processes of this user may open it."""
        return f"/proc/{os.getpid()}/fd/{self._descriptor}"

    def completing(self) -> None:
        """Note that the mount is gone and its store is being closed, which may take a while."""
        self._send(_COMPLETING)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._send(b"" if error is None else (str(error) or type(error).__name__).encode("utf-8", "replace"))

    def _send(self, message: bytes) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, message, 0)


class AwaitedOutcome:
    """An `Outcome` of another process.

    Args:
        path: the path that the process gave.

    Raises:
        OSError: it cannot be opened: the process is gone, or belongs to another user.
    """

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if "_descriptor" in self.__dict__:
            os.close(self.__dict__.pop("_descriptor"))

    def is_completing(self) -> bool:
        """Whether the daemon is still completing its store."""
        return self._message() == _COMPLETING

    def failure(self) -> str:
        """The daemon's error, once it is gone; empty if there was none."""
        message = self._message()
        if message == _COMPLETING:
            return "it was killed while it completed the store"
        if message == _RUNNING:
            return "it was killed"
        return message.decode("utf-8", "replace")

    def _message(self) -> bytes:
        return os.pread(self._descriptor, _LONGEST, 0)
