"""The HTTP status of each error: one table, read from top to bottom; the first class that matches decides.

A reader of Zarr takes 404, and often 403, for a chunk that was never written. So only what does not exist has such a status.
"""

from __future__ import annotations

import math
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
    UnreachableError,
    UnsupportedError,
)

NOT_FOUND: Final = 404
UNFORESEEN: Final = 500
UNAVAILABLE: Final = 503

_TABLE: Final[tuple[tuple[type[BaseException], int, str], ...]] = (
    (ChangedError, UNAVAILABLE, "the file is changing: try again"),
    (AccessDeniedError, 502, "the store denies access"),
    (StoreTimeoutError, 504, "the store does not answer in time"),
    (UnreachableError, UNAVAILABLE, "the store does not answer at the moment: try again later"),
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


_LASTING: Final = tuple(row for row in _TABLE if row[0] is not UnreachableError)
"""The table for a store that a later request cannot reach either."""
_LONGEST_PAUSE_S: Final = 3600
"""A store's pause may be any number."""


def status_of(error: BaseException) -> tuple[int, str] | None:
    """The status of an error and a reason for the client; None if the table does not cover it.

    The reason names neither the store nor its keys, which may not be for the client to know. The log does.
    """
    if isinstance(error.__cause__, MemoryError):
        error = error.__cause__
    table = _LASTING if isinstance(error, UnreachableError) and not error.may_pass else _TABLE
    return next(((status, reason) for kind, status, reason in table if isinstance(error, kind)), None)


def pause_s(error: BaseException) -> int:
    """The seconds after which to repeat a request that failed with `UNAVAILABLE`: what the store asks for, or soon."""
    asked_s = error.retry_after_s if isinstance(error, UnreachableError) else None
    return min(max(1, math.ceil(asked_s or 0)), _LONGEST_PAUSE_S)
