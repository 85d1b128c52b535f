"""The errno of each error: one table, read from top to bottom; the first class that matches decides."""

from __future__ import annotations

import errno
from typing import Final

from zarrcore.errors import (
    AccessDeniedError,
    ChangedError,
    CodecError,
    InvalidKeyError,
    KeyTooLongError,
    ListingUnsupportedError,
    MetadataError,
    NodeExistsError,
    NodeNotFoundError,
    ReadOnlyError,
    SelectionError,
    StoreError,
    StoreFullError,
    StoreTimeoutError,
    UnsupportedError,
    ValueTooLargeError,
    ZarrError,
)
from zarrfs.trees.errors import RefusedError

TABLE: Final[tuple[tuple[type[BaseException], int], ...]] = (
    (ChangedError, errno.ESTALE),
    (AccessDeniedError, errno.EACCES),
    (StoreTimeoutError, errno.ETIMEDOUT),
    (ListingUnsupportedError, errno.EOPNOTSUPP),
    (KeyTooLongError, errno.ENAMETOOLONG),
    (InvalidKeyError, errno.EINVAL),
    (ValueTooLargeError, errno.EFBIG),
    (StoreFullError, errno.ENOSPC),
    # Unreachable, broken bodies, and a store that is gone: for a reader that takes ENOENT to mean
    # "this chunk was never written", an outage must not look like an absent key.
    (StoreError, errno.EIO),
    (NodeNotFoundError, errno.ENOENT),
    (NodeExistsError, errno.EEXIST),
    (SelectionError, errno.ENOENT),
    (ReadOnlyError, errno.EROFS),
    (UnsupportedError, errno.EOPNOTSUPP),
    (CodecError, errno.EIO),
    (MetadataError, errno.EIO),
    (ZarrError, errno.EIO),
    (MemoryError, errno.ENOMEM),
)

_NO_THREAD: Final = "can't start new thread"
"""Python's message if there is no memory for a thread's stack."""

UNFORESEEN: Final = errno.EIO
"""The errno of any error that is not in the table; its traceback is logged."""

ORDINARY: Final = frozenset(
    {errno.ENOENT, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG}
)
"""Errors of ordinary requests. They are not logged."""


def errno_of(error: BaseException) -> int | None:
    """The errno of an error, or None if the table does not cover it."""
    if isinstance(error, RefusedError):
        return error.errno
    if isinstance(error.__cause__, MemoryError) or (
        isinstance(error, RuntimeError) and str(error) == _NO_THREAD
    ):
        return errno.ENOMEM
    for kind, number in TABLE:
        if isinstance(error, kind):
            return number
    return None
