"""Errors of trees, in addition to those of the library."""

from __future__ import annotations

from zarrcore.errors import MetadataError, StoreError, ZarrError


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


def fault(error: ZarrError) -> ZarrError:
    """The error for a name at or below a node that cannot be shown.

    It is unknown whether the name exists. A reader of Zarr takes a missing chunk for the fill value, so the answer is never that
    there is no such name.
    """
    known = error if isinstance(error, (MetadataError, StoreError)) else MetadataError(str(error))
    return known.with_traceback(None)
