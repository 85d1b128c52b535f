"""A prefix of a store as a store of its own."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

from zarrcore.errors import ListingUnsupportedError
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    check_key,
)
from zarrcore.stores.keys import check_prefix, join_url


class PrefixStore(ReadableStore, ListableStore):
    """What lies under a prefix of ``store``, which stays open for its other users when this one is closed.

    Args:
        store: where the values are.
        prefix: the prefix, ending in ``/``.

    >>> from zarrcore.stores.memory import MemoryStore
    >>> store = PrefixStore(MemoryStore(values={"a/b": b"1", "c": b"2"}), "a/")
    >>> [entry.key for entry in store.list()], store.get("b")
    (['b'], b'1')
    """

    def __init__(self, store: ReadableStore, prefix: str) -> None:
        check_key(prefix.removesuffix("/"), store.url)
        check_prefix(prefix, store.url)
        self.store = store
        self.prefix = prefix
        self.url = join_url(store.url, prefix.rstrip("/"))
        self.requests_in_flight = store.requests_in_flight
        self.is_remote = store.is_remote

    @property
    def identity(self) -> Hashable:
        return self.store.identity, self.prefix

    def get(self, key: str, byte_range: ByteRange | None = None) -> BytesLike | None:
        check_key(key, self.url)
        return self.store.get(self.prefix + key, byte_range)

    def stat(self, key: str) -> StoreStat | None:
        check_key(key, self.url)
        return self.store.stat(self.prefix + key)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in self._listable().list_prefix(self.prefix + prefix):
            yield replace(entry, key=entry.key[len(self.prefix) :])

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in self._listable().list_dir(self.prefix + prefix):
            yield replace(entry, key=entry.key[len(self.prefix) :])

    def has_prefix(self, prefix: str) -> bool:
        return self._listable().has_prefix(self.prefix + prefix)

    def _listable(self) -> ListableStore:
        if not isinstance(self.store, ListableStore):
            raise ListingUnsupportedError(f"{self.store.url} cannot tell which keys it holds", url=self.url)
        return self.store
