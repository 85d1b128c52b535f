"""Listing the names below a path of a store. Names are learnt here; which of them are nodes, the loader finds out.

Accepted specification, "Storage", "Operations": "discover children".
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from zarrcore.ages import note_age
from zarrcore.errors import ListingUnsupportedError, StoreError
from zarrcore.formats import Format
from zarrcore.stores.interface import ListableStore, ReadableStore, StoreEntry

_SORTED_CHILDREN = 10_000
_RECENT_NAMES = 100_000
_BEGUN_LISTINGS = 64
_BEGUN_FOR_S = 1.0
_ROOT_KEYS = 1000


class Listings:
    """The names in one store. Nothing is kept, except a listing that has begun, for a second. Thread-safe.

    Paths are those within the store.

    Args:
        store: the store.
        format: its format, which knows which keys name a node.
    """

    def __init__(self, store: ReadableStore, format: Format) -> None:  # noqa: A002 - the specification's word
        self._store = store
        self._format = format
        self._lock = threading.Lock()
        self._begun: dict[str, tuple[float, Iterator[str]]] = {}

    def forget(self) -> None:
        """Forget the listings that have begun."""
        self._begun.clear()

    def names(self, path: str) -> Iterator[str]:
        """The names of possible nodes below ``path``.

        Raises:
            ListingUnsupportedError: the store cannot list.
            StoreError: the store failed.
        """
        begun_s, names = self._begun.pop(path, (0.0, iter(())))
        if begun_s and time.monotonic() - begun_s < _BEGUN_FOR_S:
            note_age(begun_s)
            return names
        if not isinstance(self._store, ListableStore):
            url = self._store.url
            raise ListingUnsupportedError(f"{url} cannot be listed", url=url)
        prefix = self._format.prefix(path)
        return self._named(prefix, self._store.list_dir(prefix))

    def implies_group(self, path: str) -> bool:
        """Whether the keys below a path without documents make it a group; raises as `names`."""
        format_, store = self._format, self._store
        if format_.empty_groups and isinstance(store, ListableStore):
            return store.has_prefix(format_.prefix(path))
        names = self.names(path)
        first = next(names, None)
        if first is not None and store.is_remote:
            self._begin(path, chain((first,), names))
        return first is not None

    def keys_at_root(self) -> frozenset[str] | None:
        """The first keys and prefixes at the root of the store; None if it cannot list them.

        Over a network, the listing is kept for the next caller that needs the children of the root.
        """
        if not isinstance(self._store, ListableStore):
            return None
        try:
            entries = self._store.list_dir("")
            first = [*islice(entries, _ROOT_KEYS)]
        except StoreError:
            return None  # a later listing of the children raises the error
        if not self._format.prefix("/"):
            self._begin("/", self._named("", chain(first, entries)))
        return frozenset(entry.key for entry in first)

    def _begin(self, path: str, names: Iterator[str]) -> None:
        """Keep a listing that has begun for the next caller that needs it, as a walk does: over a network it is a request."""
        with self._lock:
            self._begun[path] = (time.monotonic(), names)
            if len(self._begun) > _BEGUN_LISTINGS:
                del self._begun[next(iter(self._begun))]

    def _named(self, prefix: str, entries: Iterable[StoreEntry]) -> Iterator[str]:
        child_name = self._format.child_name
        told = (child_name(entry.key[len(prefix) :].rstrip("/"), entry.is_prefix) for entry in entries)
        return in_order((name for name in told if name is not None), self._store.is_remote)


def in_order(told: Iterable[str], is_remote: bool) -> Iterator[str]:
    """The names in a listing of a store, each once."""
    names = _each_once(told)
    if not is_remote:
        # A directory lists names in an arbitrary order; object stores list them sorted.
        yield from sorted(islice(names, _SORTED_CHILDREN))
    yield from names


def _each_once(names: Iterable[str]) -> Iterator[str]:
    """Each name once, in bounded memory: repeated names are close to one another."""
    recent: dict[str, None] = {}
    for name in names:
        if name not in recent:
            yield name
            recent[name] = None
            if len(recent) > _RECENT_NAMES:
                del recent[next(iter(recent))]
