"""One look at a store, on which an operation decides: each document and listing is requested once.

What is likely to matter is requested at once. Over a network this takes as long as one request. A look belongs to one
operation: it is as old as the operation, and never answers for a later one. A local store is asked only when it matters,
without threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain, islice, tee

from zarrcore.errors import ZarrError
from zarrcore.formats.detect import fetch_document
from zarrcore.metadata.json_document import MAX_DOCUMENT_BYTES
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.wrapper.interface import listable
from zarrcore.threads import at_once


class Look(ReadableStore):
    """A store whose documents are remembered. Other values are cut off, as `fetch_document` does.

    Args:
        store: the store; it stays open.
        keys: the keys to request now.
    """

    def __init__(self, store: ReadableStore, keys: Sequence[str]) -> None:
        self._store = store
        self.url = store.url
        self.is_remote = store.is_remote
        self.requests_in_flight = store.requests_in_flight
        get = partial(fetch_document, store)
        self._document = cache(at_once(get, keys) if store.is_remote else get)

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if max_nbytes not in (None, MAX_DOCUMENT_BYTES):
            return self._store.get(key, byte_range, max_nbytes=max_nbytes)
        value = self._document(key)
        if value is None or byte_range is None:
            return value
        start, stop = byte_range.resolve(len(value))
        return value[start:stop]

    def stat(self, key: str) -> StoreStat | None:
        return self._store.stat(key)


class ListableLook(Look, ListableStore):
    """A look at a store that can list; it also remembers listings, as far as they were consumed, if the store is remote.

    Threads may share it, but not one listing.

    Args:
        store: as `Look`.
        keys: as `Look`.
        prefixes: the prefixes whose listings to request now.
    """

    def __init__(self, store: ReadableStore, keys: Sequence[str], prefixes: Sequence[str]) -> None:
        # The listing comes after the documents: in a new store their answers show that the place exists.
        super().__init__(store, keys)
        self._listable = listable(store)
        self._listed = dict.fromkeys(prefixes if store.is_remote else ())
        self._begun = cache(at_once(self._begin, [*self._listed], least=1))
        self._empty: set[str] = set()
        self._entries: dict[str, Iterator[StoreEntry]] = {}

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        if not self.is_remote:
            return self._listable.list_dir(prefix)
        begun = None if self._is_empty(prefix) else self._begun(prefix)
        if begun is None:
            self._empty.add(prefix)
            return iter(())
        self._listed[prefix] = None
        self._entries[prefix], entries = tee(self._entries.get(prefix, begun))
        return entries

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        return iter(()) if self._is_empty(prefix) else self._listable.list_prefix(prefix)

    def has_prefix(self, prefix: str) -> bool:
        if self._is_empty(prefix):
            return False
        found = prefix in self._listed or self._listable.has_prefix(prefix)
        if not found:
            self._empty.add(prefix)
        return found

    def _begin(self, prefix: str) -> Iterator[StoreEntry] | None:
        """A listing whose first entry has arrived; None if it is empty."""
        entries = self._listable.list_dir(prefix)
        first = [*islice(entries, 1)]
        return chain(first, entries) if first else None

    def _is_empty(self, prefix: str) -> bool:
        """Whether this prefix, or one above it, turned out to be empty."""
        if any(map(prefix.startswith, [*self._empty])):
            return True
        if prefix in self._listed:
            return self._begun(prefix) is None
        for above in [*self._listed]:
            with suppress(ZarrError):  # where this cannot be listed, the prefix itself may be
                if prefix.startswith(above) and self._begun(above) is None:
                    return True
        return False


def look_at(store: ReadableStore, keys: Sequence[str] = (), prefixes: Sequence[str] = ()) -> Look:
    """A look at ``store``, which can list if the store can; if it is remote, keys and listings are requested now, all at once."""
    return ListableLook(store, keys, prefixes) if isinstance(store, ListableStore) else Look(store, keys)
