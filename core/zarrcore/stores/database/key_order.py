"""Databases that keep their keys in the order of their UTF-8 bytes, which is the order of code points.

Keys are listed in pages, and only the last key is remembered between two pages. So a listing of ten million keys takes no more
memory than a small one, keeps nothing open, and is not disturbed by concurrent writes.
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
    """A store that can list the keys in an interval."""

    @abstractmethod
    def _page(self, start: str, stop: str | None, limit: int, directly_under: str | None) -> list[StoreEntry]:
        """The first ``limit`` keys of ``[start, stop)``, in order; without stop, of all keys from start on.

        If a prefix is given, only the sizes of keys directly under it are needed.
        """

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        start, stop, limit = prefix, stop_of(prefix), _FIRST_PAGE
        while page := self._page(start, stop, limit, None):
            for entry in page:
                if entry.key and not entry.is_prefix:  # other programs may keep names that are not keys
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
            if told and page[-1].key.startswith(told):  # skip all other keys under this prefix
                start, limit = stop_of(told) or "", _FIRST_PAGE
            else:
                start, limit = page[-1].key + "\0", min(limit * 4, _LARGEST_PAGE)


class KnownStats:
    """Facts about some values, valid until the database changes. Computing their checksums is expensive."""

    def __init__(self) -> None:
        self._by_key: dict[str, tuple[Hashable, StoreStat]] = {}

    def get(self, key: str, version: Hashable) -> StoreStat | None:
        """The known facts about a value in this version of the database."""
        known = self._by_key.get(key)
        return known[1] if known is not None and version is not None and known[0] == version else None

    def put(self, key: str, version: Hashable, facts: StoreStat) -> StoreStat:
        """Remember ``facts`` and return them. With version None, remember nothing."""
        if version is not None:
            if len(self._by_key) >= _KNOWN:
                self._by_key.clear()
            self._by_key[key] = (version, facts)
        return facts

    def __reduce__(self) -> tuple[type[KnownStats], tuple[()]]:
        return KnownStats, ()


def stop_of(prefix: str) -> str | None:
    """The first possible key after all keys under ``prefix``: "0" is the character after "/".

    >>> stop_of("a/"), stop_of("")
    ('a0', None)
    """
    return prefix[:-1] + "0" if prefix else None
