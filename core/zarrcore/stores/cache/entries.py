"""Where a cache keeps its entries: bytes by name. A directory and another store can do it."""

from __future__ import annotations

from typing import Final, Protocol

import xxhash

from zarrcore.stores.interface import BytesLike

LAYOUT: Final = "zarrscope-cache-2"
"""The folder or prefix of all entries; another layout gets another name."""

FOLDER: Final = 3
"""Characters of a name that select the folder of its entry: a million entries are 250 per folder."""

CHECKSUM: Final = 8
"""Bytes before an entry's own."""


class CacheEntries(Protocol):
    """Bytes by name, kept as long as there is room. Nothing here raises: a failure finds nothing and keeps nothing.

    Names are long and begin with evenly distributed characters, as hashes do. Several processes may use the same entries.
    """

    def get(self, name: str) -> BytesLike | None:
        """The bytes kept under a name, or None."""

    def put(self, name: str, value: BytesLike) -> None:
        """Keep bytes under a name, if there is space."""

    def claim(self, name: str) -> bool:
        """Claim a name, which shows other processes that this one fetches something. False if it is claimed already.

        True as well if nothing can be kept. The process that gets True gives the claim up when it is done.
        """

    def is_claimed(self, name: str) -> bool:
        """Whether a process has claimed a name and not given it up."""

    def unclaim(self, name: str) -> None:
        """Give up a claim, or that of a process that holds it for too long."""

    def drop(self, name: str) -> None:
        """Remove the entry of a name."""

    def endings(self, beginning: str) -> list[str]:
        """The rest of the names of entries that begin with ``beginning``, as far as they are known."""

    def note_ending(self, beginning: str, ending: str) -> None:
        """Make an entry known to `endings`."""

    def close(self) -> None:
        """Close files and connections. Closing twice is harmless."""


def sealed(name: str, value: BytesLike) -> bytes:
    """An entry's bytes behind a checksum of its name and bytes."""
    return b"".join((_checksum(name, value), value))


def unsealed(name: str, content: BytesLike) -> memoryview | None:
    """The bytes of an entry; None if it is damaged, or that of another name."""
    value = memoryview(content)[CHECKSUM:]
    return value if _checksum(name, value) == content[:CHECKSUM] else None


def _checksum(name: str, value: BytesLike) -> bytes:
    checksum = xxhash.xxh3_64(name.encode())
    checksum.update(value)
    return checksum.digest()
