"""How a mount ended, for `zarrscope umount`: by then the daemon has no terminal, and no file of the mount answers.

The daemon keeps an unnamed file in memory and tells where it is in ``stats.json``. `zarrscope umount` opens it before
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
    """What the daemon tells: that it completes its store, and then what went wrong, or nothing."""

    def __init__(self) -> None:
        self._descriptor = os.memfd_create("outcome", os.MFD_CLOEXEC)
        self._tell(_RUNNING)

    @property
    def path(self) -> str:
        """Where other processes of this user may open it."""
        return f"/proc/{os.getpid()}/fd/{self._descriptor}"

    def completing(self) -> None:
        """The mount is gone, and its store is being closed, which may take a while."""
        self._tell(_COMPLETING)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tell(b"" if error is None else (str(error) or type(error).__name__).encode("utf-8", "replace"))

    def _tell(self, message: bytes) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, message, 0)


class AwaitedOutcome:
    """An `Outcome` of another process.

    Args:
        path: where that told it to be.

    Raises:
        OSError: it cannot be opened: the process is gone, or another user's.
    """

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if "_descriptor" in self.__dict__:
            os.close(self.__dict__.pop("_descriptor"))

    def is_completing(self) -> bool:
        """Whether the daemon is still busy with its store."""
        return self._message() == _COMPLETING

    def failure(self) -> str:
        """What went wrong, once the daemon is gone; empty where nothing did."""
        message = self._message()
        if message == _COMPLETING:
            return "it was killed while it completed the store"
        if message == _RUNNING:
            return "it was killed"
        return message.decode("utf-8", "replace")

    def _message(self) -> bytes:
        return os.pread(self._descriptor, _LONGEST, 0)
