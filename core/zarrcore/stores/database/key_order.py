"""Databases that keep their keys in the order of their UTF-8 bytes, which is that of their code points.

Keys come in pages, and what stands between two pages is remembered by the last key alone: a listing takes the same
memory over ten million keys, holds nothing open, and is not disturbed by who writes or erases meanwhile.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator
from typing import Final

from zarrcore.stores.interface import ListableStore, StoreEntry, StoreStat
from zarrcore.stores.keys import check_prefix

_FIRST_PAGE: Final = 64
_LARGEST_PAGE: Final = 4096
_KNOWN: Final = 256


class KeyOrderedStore(ListableStore):
    """A store that can tell which keys stand in an interval."""

    @abstractmethod
    def _page(self, start: str, stop: str | None, limit: int, directly_under: str | None) -> list[StoreEntry]:
        """The first ``limit`` keys of ``[start, stop)``, in order; without stop of all from start on.

        Where a prefix is given, nobody asks for the sizes but of keys directly under it.
        """

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        start, stop, limit = prefix, stop_of(prefix), _FIRST_PAGE
        while page := self._page(start, stop, limit, None):
            for entry in page:
                if entry.key and not entry.is_prefix:  # other programs may keep what is no key
                    yield entry
            if len(page) < limit:
                return
            start, limit = page[-1].key + "\0", min(limit * 4, _LARGEST_PAGE)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        start, stop, limit = prefix, stop_of(prefix), _FIRST_PAGE
        told = ""
        while page := self._page(start, stop, limit, prefix):
            for entry in page:
                name, slash, _ = entry.key[len(prefix) :].partition("/")
                if not slash:
                    if name:
                        yield entry
                elif told != (inner := f"{prefix}{name}/"):
                    told = inner
                    yield StoreEntry(inner)
            if len(page) < limit:
                return
            if told and page[-1].key.startswith(told):  # all others under this prefix can be passed over
                start, limit = stop_of(told) or "", _FIRST_PAGE
            else:
                start, limit = page[-1].key + "\0", min(limit * 4, _LARGEST_PAGE)


class KnownStats:
    """What is known of some values, as long as nothing changes in the database: their checksums are dear."""

    def __init__(self) -> None:
        self._by_key: dict[str, tuple[Hashable, StoreStat]] = {}

    def get(self, key: str, version: Hashable) -> StoreStat | None:
        """What was known of a value in this version of the database."""
        known = self._by_key.get(key)
        return known[1] if known is not None and version is not None and known[0] == version else None

    def put(self, key: str, version: Hashable, facts: StoreStat) -> StoreStat:
        """Remember ``facts``, and give them back; None is no version."""
        if version is not None:
            if len(self._by_key) >= _KNOWN:
                self._by_key.clear()
            self._by_key[key] = (version, facts)
        return facts

    def __reduce__(self) -> tuple[type[KnownStats], tuple[()]]:
        return KnownStats, ()


def stop_of(prefix: str) -> str | None:
    """What follows all keys under ``prefix``: "0" is the character after "/".

    >>> stop_of("a/"), stop_of("")
    ('a0', None)
    """
    return prefix[:-1] + "0" if prefix else None
