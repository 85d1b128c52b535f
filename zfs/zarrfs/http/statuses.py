"""The HTTP status of each error: one table, read from top to bottom; the first class that matches decides.

A reader of Zarr takes 404, and often 403, for a chunk that was never written. So only what does not exist has such a status.
"""

from __future__ import annotations

from typing import Final

from zarrcore.errors import (
    AccessDeniedError,
    ChangedError,
    CodecError,
    InvalidKeyError,
    ListingUnsupportedError,
    MetadataError,
    NodeNotFoundError,
    SelectionError,
    StoreError,
    StoreTimeoutError,
    UnsupportedError,
)

NOT_FOUND: Final = 404
UNFORESEEN: Final = 500
UNAVAILABLE: Final = 503

_TABLE: Final[tuple[tuple[type[BaseException], int, str], ...]] = (
    (ChangedError, UNAVAILABLE, "the file is changing: try again"),
    (AccessDeniedError, 502, "the store denies access"),
    (StoreTimeoutError, 504, "the store does not answer in time"),
    (ListingUnsupportedError, 501, "the store cannot be listed: name what you want to read"),
    (InvalidKeyError, NOT_FOUND, "there is no such file"),
    (StoreError, 502, "the store cannot be read"),
    (NodeNotFoundError, NOT_FOUND, "there is no such file"),
    (SelectionError, NOT_FOUND, "there is no such file"),
    (UnsupportedError, 501, "there is no such file of this node"),
    (CodecError, UNFORESEEN, "a chunk does not decode"),
    (MetadataError, UNFORESEEN, "the metadata cannot be read"),
    (MemoryError, UNAVAILABLE, "the server is out of memory: try again later"),
)


def status_of(error: BaseException) -> tuple[int, str] | None:
    """The status of an error and a reason for the client; None if the table does not cover it.

    The reason names neither the store nor its keys, which may not be for the client to know. The log does.
    """
    if isinstance(error.__cause__, MemoryError):
        error = error.__cause__
    return next(((status, reason) for kind, status, reason in _TABLE if isinstance(error, kind)), None)
