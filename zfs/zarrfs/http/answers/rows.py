"""The entries of a directory for listings, fetched in batches, so that a directory of a million names needs little memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

from zarrcore.errors import ZarrError
from zarrfs.http.workers import Client, Workers
from zarrfs.trees.entry import Directory, Entry, File

_BATCH: Final = 512


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


def row(name: str, entry: Entry) -> Row:
    """The row of an entry. A size that is not known is computed, which may take long."""
    if not isinstance(entry, File):
        return Row(name, True, None, entry.mtime_s)
    with suppress(ZarrError):
        entry = entry.sized(wait=True)
    return Row(name, False, entry.size if entry.is_sized else None, entry.mtime_s)


async def batches(directory: Directory, client: Client, workers: Workers) -> AsyncIterator[list[Row]]:
    """The rows of a directory.

    Raises:
        ClientGoneError: the client has gone away.
        As `Directory.entries`.
    """
    entries = directory.entries()
    while batch := await workers.run(client, partial(_next, entries)):
        yield batch


def _next(entries: Iterator[tuple[str, Entry]]) -> list[Row]:
    return [row(name, entry) for name, entry in islice(entries, _BATCH)]
