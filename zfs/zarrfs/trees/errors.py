"""Errors of trees, in addition to those of the library."""

from __future__ import annotations


class WouldBlockError(Exception):
    """The answer is not in memory: call again with ``wait=True`` in a thread that may wait."""


class RefusedError(Exception):
    """A valid request that this file system refuses, always or at the moment.

    Attributes:
        errno: the errno for the program.
        is_logged: whether the reason is logged.
    """

    def __init__(self, errno: int, why: str, *, is_logged: bool = True) -> None:
        super().__init__(why)
        self.errno = errno
        self.is_logged = is_logged
