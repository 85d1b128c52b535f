"""A look at one page of a prefix's listing: keys that it rules out are not requested.

Finding that a prefix is not a hierarchy takes a request for each key that could make it one. One page of its listing
answers the same: in a collection on a remote store, a plain prefix costs five requests, and the time of three.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import islice

from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.wrapper.interface import listable

_PAGE = 1000


class Glance(ReadableStore, ListableStore):
    """A store whose first level is listed once, when a second key is requested: the first key identifies most hierarchies.

    Args:
        store: a store that can be listed; it stays open.
    """

    def __init__(self, store: ReadableStore) -> None:
        self._store = store
        self.url = store.url
        self.is_remote = store.is_remote
        self.requests_in_flight = store.requests_in_flight
        self._lock = threading.Lock()
        self._asked: set[str] = set()
        self._page: list[StoreEntry] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the prefix is empty."""
        return not self._entries()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        with self._lock:
            is_first = not self._asked
            self._asked.add(key)
        if not is_first and self._lacks(key):
            return None
        return self._store.get(key, byte_range, max_nbytes=max_nbytes)

    def stat(self, key: str) -> StoreStat | None:
        return None if self._lacks(key) else self._store.stat(key)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        if not prefix and len(self._entries()) < _PAGE:
            return iter(self._entries())
        return iter(()) if prefix and self._lacks(prefix) else listable(self._store).list_dir(prefix)

    def has_prefix(self, prefix: str) -> bool:
        return not self._lacks(prefix) and listable(self._store).has_prefix(prefix)

    def _entries(self) -> list[StoreEntry]:
        with self._lock:
            if self._page is None:
                self._page = [*islice(listable(self._store).list_dir(""), _PAGE)]
            return self._page

    def _lacks(self, key: str) -> bool:
        """Whether the listing rules out a key, or all keys under a prefix; a listing of more than a page rules out none.

        Names that begin with a dot are never ruled out: web servers do not list them.
        """
        entries, (name, slash, _) = self._entries(), key.partition("/")
        return (
            len(entries) < _PAGE
            and not name.startswith(".")
            and all(entry.key != name + slash for entry in entries)
        )
