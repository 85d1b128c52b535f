"""The entries that a cache keeps for one store: facts about keys, and bytes of values, under names that reveal nothing.

For each key there is one small entry: the store's answer about it, and the time. Bytes are kept under a name made of the key,
the version that the store reported (etag, or modification time and size) and their range. So bytes of two versions are never
mixed, and bytes of an outdated version are never found.

A refresh begins a new era, and answers of other eras do not count: the clock may be set back, so times alone would not suffice.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Hashable
from typing import Final, NamedTuple

from zarrcore.stores.cache.entries import CacheEntries
from zarrcore.stores.interface import ByteRange, BytesLike, StoreStat

_REMEMBERED: Final = 1 << 16
"""The number of keys whose entries are also kept in memory."""


class Known(NamedTuple):
    """A store's answer about a key."""

    stat: StoreStat | None
    """None if the key is absent."""
    asked_s: float
    """The time of the request, in seconds since the epoch, because other processes must understand it."""
    era: str = ""
    """`KeptValues.era` at the time of the request."""

    @property
    def version(self) -> str | None:
        return None if self.stat is None else self.stat.version


class Claim(NamedTuple):
    """The right to fetch something, which one process has at a time."""

    entries: CacheEntries
    name: str

    @property
    def is_held(self) -> bool:
        """Whether a process has it."""
        return self.entries.is_claimed(self.name)

    def drop(self) -> None:
        """Give it up, or take it from a process that holds it for too long."""
        self.entries.unclaim(self.name)


class KeptValues:
    """The entries of the store with this identity.

    Args:
        entries: where they are, with those of other stores.
        identity: `Store.identity`. If it is made only of values, other processes find the entries. Otherwise
            they are lost with this object.
    """

    def __init__(self, entries: CacheEntries, identity: Hashable) -> None:
        lasting = repr(identity) if _lasts(identity) else repr((time.time_ns(), id(self)))
        self._entries = entries
        self._place = hashlib.blake2b(lasting.encode(), digest_size=32).digest()
        self._known: dict[str, Known] = {}
        self._era: str | None = None
        self._beginning = threading.Lock()

    @property
    def era(self) -> str:
        """What the answers that count have in common. Each refresh changes it, in this and other processes."""
        era = self._era
        if era is None:
            with self._beginning:  # the answers of two threads must not belong to two eras
                era = self._era or self._stored_era()
                if era is None:  # the first use, or the entry was removed for lack of space
                    era = self.refresh()
                self._era = era
        return era

    def refresh(self) -> str:
        """Ignore all answers until now; returns the new era."""
        era = self._era = secrets.token_hex(8)
        self._known.clear()
        self._entries.put(self._name("era"), era.encode())
        return era

    def _stored_era(self) -> str | None:
        said = self._entries.get(self._name("era"))
        return None if said is None else bytes(said).decode()

    def remembered(self, key: str) -> Known | None:
        """The answer about a key that this process has in memory."""
        return self._known.get(key)

    def known(self, key: str) -> Known | None:
        """The answer about a key in memory or among the entries."""
        content = self._entries.get(self._name("key", key))
        if content is None:
            return None
        asked_s, era, *facts = json.loads(bytes(content))
        if era != self.era:  # another process may have begun a new one
            self._era = self._stored_era() or self._era
        known = Known(StoreStat(*facts) if facts else None, asked_s, era)
        self._remember(key, known)
        return known

    def note(self, key: str, known: Known) -> None:
        """Keep the store's answer about a key."""
        self._remember(key, known)
        stat = known.stat
        facts = [] if stat is None else [stat.size, stat.mtime_s, stat.etag]
        self._entries.put(self._name("key", key), json.dumps([known.asked_s, known.era, *facts]).encode())

    def forget(self, key: str) -> None:
        """Forget the answer about a key."""
        self._known.pop(key, None)
        self._entries.drop(self._name("key", key))

    def keep(self, key: str, version: str, start: int, value: BytesLike, size: int) -> None:
        """Keep bytes of a version of a key that has ``size`` bytes, from ``start`` on."""
        if len(value) > 0:
            name, ending = self._name("bytes", key, version), f"{start}-{start + len(value)}"
            self._entries.put(f"{name}.{ending}", value)
            if len(value) < size:
                self._entries.note_ending(f"{name}.", ending)

    def read(self, key: str, version: str, start: int, stop: int, size: int) -> BytesLike | None:
        """Bytes of a version of a key that has ``size`` bytes, if all of them are kept, in one piece or several."""
        if stop <= start:
            return b""
        name = self._name("bytes", key, version)
        exact = self._entries.get(f"{name}.{start}-{stop}")
        if exact is not None:
            return exact
        if stop - start < size and (whole := self._entries.get(f"{name}.0-{size}")) is not None:
            return memoryview(whole)[start:stop]
        kept = [_range(ending) for ending in self._entries.endings(f"{name}.")]
        pieces: list[BytesLike] = []
        while start < stop:
            first, last = max((part for part in kept if part[0] <= start), key=_stop, default=(0, 0))
            piece = self._entries.get(f"{name}.{first}-{last}") if last > start else None
            if piece is None:
                return None
            pieces.append(memoryview(piece)[start - first : min(stop, last) - first])
            start = last
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def claim(self, key: str, byte_range: ByteRange | None) -> tuple[Claim, bool]:
        """The right to fetch bytes, and whether it is this process that has it now."""
        name = self._name("claim", key, repr(byte_range))
        return Claim(self._entries, name), self._entries.claim(name)

    def _remember(self, key: str, known: Known) -> None:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[key] = known

    def _name(self, *words: str) -> str:
        return hashlib.blake2b(repr(words).encode(), key=self._place, digest_size=20).hexdigest()


def _lasts(identity: object) -> bool:
    """Whether an identity is made of values and not of objects of this process."""
    if isinstance(identity, tuple):
        return all(map(_lasts, identity))
    return identity is None or isinstance(identity, str | bytes | int | float)


def _range(ending: str) -> tuple[int, int]:
    start, _, stop = ending.partition("-")
    return int(start), int(stop)


def _stop(part: tuple[int, int]) -> int:
    return part[1]
