"""The entries of a directory for listings, fetched in batches, so that a directory of a million names needs little memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

from zarrcore.errors import ZarrError
from zarrfs.http.workers import Client, Workers
from zarrfs.trees.entry import Directory, Entry, File

_BATCH: Final = 128
_YEAR_10000_S: Final = 253_402_300_800


@dataclass(frozen=True, slots=True)
class Row:
    """One entry."""

    name: str
    """Its name; empty for the directory itself."""
    is_directory: bool
    """Whether it is a directory."""
    size: int | None
    """Bytes of a file; None if they are not known."""
    mtime_s: float | None
    """Seconds since the epoch; None if they are not known."""
    etag: str | None = None
    """The ETag of a file; None if it has none, or was not asked for."""


Describe = Callable[[str, Entry], Row]
"""Makes the row of an entry, in a thread; takes its name and the entry."""


def shown_time(mtime_s: float | None) -> float | None:
    """A time that a date can show; None for others, which a store may state.

    >>> shown_time(1.5), shown_time(1e20), shown_time(-1.0)
    (1.5, None, None)
    """
    return mtime_s if mtime_s is not None and 0 <= mtime_s < _YEAR_10000_S else None


def row(name: str, entry: Entry) -> Row:
    """The row of an entry. A size that is not known is computed, which may take long."""
    time_s = shown_time(entry.mtime_s)
    if not isinstance(entry, File):
        return Row(name, True, None, time_s)
    with suppress(ZarrError):
        entry = entry.sized(wait=True)
    return Row(name, False, entry.size if entry.is_sized else None, time_s)


async def batches(
    directory: Directory, client: Client, workers: Workers, describe: Describe = row
) -> AsyncIterator[list[Row]]:
    """The rows of a directory.

    Args:
        directory: the directory.
        client: the client that waits for them.
        workers: list the directory.
        describe: makes a row.

    Raises:
        ClientGoneError: the client has gone away.
        As `Directory.entries`.
    """
    entries = directory.entries()
    while batch := await workers.run(client, partial(_next, entries, describe)):
        yield batch


def _next(entries: Iterator[tuple[str, Entry]], describe: Describe) -> list[Row]:
    return [describe(name, entry) for name, entry in islice(entries, _BATCH)]
