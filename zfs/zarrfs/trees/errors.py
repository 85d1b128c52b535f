"""What trees raise besides the errors of the library."""

from __future__ import annotations


class WouldBlockError(Exception):
    """The answer is not in memory: ask again with ``wait=True`` in a thread that may wait."""


class RefusedError(Exception):
    """A request that file systems may get and this one refuses, always or at the moment.

    Attributes:
        errno: what the program gets.
        is_logged: whether the log says why.
    """

    def __init__(self, errno: int, why: str, *, is_logged: bool = True) -> None:
        super().__init__(why)
        self.errno = errno
        self.is_logged = is_logged
