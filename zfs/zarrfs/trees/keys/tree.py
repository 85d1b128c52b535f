"""The keys of a store as files, byte for byte.

A store may hold a key ``a`` and keys ``a/b``, but a file system cannot show both under one name. Here the directory wins;
a second tree, made with ``keys_first``, shows the file.

Answers of a remote store are remembered for the metadata time to live: single lookups, and whole listings if they are not too
long, which also answer for names that do not exist. A bucket is listed ahead of a program that walks (`Walks`). A local store is
asked each time, since that takes microseconds and needs no worker thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from itertools import islice
from threading import Lock
from typing import Final

from zarrcore.ages import aged
from zarrcore.errors import AccessDeniedError, InvalidKeyError, ListingUnsupportedError, ReadOnlyError
from zarrcore.stores import ListableStore, LocalStore, ReadableStore, StoreEntry, StoreStat
from zarrcore.threads import ThreadPool
from zarrfs.trees.entry import Entry, File
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness, Remembered
from zarrfs.trees.keys.entries import KeyFile, KeysDirectory
from zarrfs.trees.keys.walks import PAGE, Walks, directories, parent_of
from zarrfs.trees.keys.writer import KeyWriter

_LISTING_MAX: Final = 100_000
"""The largest number of names in a listing that is remembered."""
_NAMES_MAX: Final = 200_000
"""The largest number of names in all remembered listings together."""
_LOOKUPS_MAX: Final = 50_000
_BEGUN_MAX: Final = 10_000
"""The largest number of names in the listings that were only fetched to find prefixes, together."""


class Prefix(Enum):
    """The result of a lookup that finds no key, but keys that begin with the name."""

    PREFIX = "prefix"
    UNKNOWN = "unknown"
    """In a remembered listing: the name has changed since."""


_PREFIX: Final = Prefix.PREFIX
LookupResult = StoreStat | Prefix | File
"""The result of a lookup: a key with its size and version, a prefix, or a file that is not stored yet."""


class KeysTree:
    """All keys of a store, and the remembered answers.

    Args:
        store: the store of the keys.
        freshness: how long its answers are valid.
        is_node: whether a node has this path. Called only if the store cannot list, and thus cannot say
            that a name is a prefix.
        may_be_value: whether a node may store a value under this key. Called only if the store denies access to the key, and
            cannot list.
        keys_first: show the key if a name is both a key and a prefix.
        writer: changes keys; None for a read-only mount.
    """

    def __init__(
        self,
        store: ReadableStore,
        freshness: Freshness,
        is_node: Callable[[str], bool] = lambda _: False,
        keys_first: bool = False,
        writer: KeyWriter | None = None,
        may_be_value: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.store = store
        self.writer = writer
        self.freshness = freshness
        self.is_quick = not store.is_remote
        self._has_unique_names = isinstance(store, LocalStore)
        self._is_node = is_node
        self._may_be_value = may_be_value
        self._keys_first = keys_first
        self._listings: Remembered[str, dict[str, LookupResult]] = Remembered(freshness, _NAMES_MAX)
        self._lookups: Remembered[str, LookupResult | None] = Remembered(freshness, _LOOKUPS_MAX)
        self._begun: Remembered[str, list[StoreEntry]] = Remembered(freshness, _BEGUN_MAX)
        self._walks = Walks(freshness)
        self._walking = Lock()
        self._pool: ThreadPool | None = None
        self._changes = 0
        """The number of changes through this mount: an answer to a question asked before a change may be stale."""

    def root(self) -> KeysDirectory:
        """The tree's root."""
        return KeysDirectory(self, "")

    def key_writer(self) -> KeyWriter:
        """The writer.

        Raises:
            ReadOnlyError: keys cannot be changed.
        """
        if self.writer is None:
            raise ReadOnlyError("this mount is read-only")
        return self.writer

    def find(self, prefix: str, name: str, wait: bool) -> LookupResult | None:
        """The content of the store, or only of the mount, under a segment after a prefix."""
        if self.writer is None:
            return self._find(prefix, name, wait)
        other = self.writer.found(prefix + name)
        if other is not None and other[0] is not None:
            return other[0]
        found = self._find(prefix, name, wait)
        return _PREFIX if found is None and other is not None else found

    def _find(self, prefix: str, name: str, wait: bool) -> LookupResult | None:
        key = prefix + name
        if self.is_quick:
            return self._ask(key)
        listing = self._listings.get(prefix)
        if listing is not None and (found := listing[0].get(name)) is not Prefix.UNKNOWN:
            return found
        known = self._lookups.get(key)
        if known is not None:
            return known[0]
        if not wait:
            raise WouldBlockError
        asked_s, changes = self.freshness.now(), self._changes
        found, oldest_s = aged(self._ask, key)
        if changes == self._changes:
            self._lookups.put(key, found, min(asked_s, oldest_s))
        return found

    def forget(self, key: str) -> None:
        """Drop the remembered answer on a key that has changed."""
        self._lookups.drop(key)
        for listings in (self._listings, self._begun):
            listings.drop(parent_of(key))

    def changed(self, key: str) -> None:
        """Note that a key was set or erased, or all keys with a prefix that ends in ``/``."""
        self._changes += 1
        self._begun.clear()
        if key.endswith("/") or not key:
            self._lookups.clear()
            self._listings.clear()
            return
        name = key
        while name:
            self._lookups.drop(name)
            above, slash, last = name.rpartition("/")
            listing = self._listings.get(above + slash)
            if listing is not None and (name == key or last not in listing[0]):
                listing[0][last] = Prefix.UNKNOWN
            name = above

    def _ask(self, key: str) -> LookupResult | None:
        if self.is_quick and isinstance(self.store, LocalStore):
            stat, is_prefix = self._look(self.store, key)
        elif self.is_quick:
            stat, is_prefix = self._stat(key), self._is_prefix(key + "/")
        else:
            # The two questions cost one round trip if they are asked in parallel.
            answer = self._threads().submit(self._is_prefix, key + "/")
            try:
                stat = self._stat(key)
            except AccessDeniedError:
                # A web server without listings refuses access to its directories. A value must not look like one: readers
                # would take it for missing.
                if answer.result() is not None or not self._may_be_prefix(key) or self._may_be_value(key):
                    raise
                return _PREFIX
            is_prefix = answer.result()
        if stat is not None and (self._keys_first or is_prefix is not True):
            return stat
        return _PREFIX if is_prefix or (is_prefix is None and self._may_be_prefix(key)) else None

    def _look(self, store: LocalStore, key: str) -> tuple[StoreStat | None, bool | None]:
        try:
            return store.stat_and_has_prefix(key)
        except InvalidKeyError:
            return None, False

    def _stat(self, key: str) -> StoreStat | None:
        try:
            return self.store.stat(key)
        except InvalidKeyError:
            # The store cannot hold such a key; keys may still begin with it.
            return None

    def _is_prefix(self, prefix: str) -> bool | None:
        """Whether keys begin with ``prefix``; None if the store cannot say."""
        try:
            if not isinstance(self.store, ListableStore):
                return None
            if self.is_quick or not self.store.finds_prefixes_by_listing:
                return self.store.has_prefix(prefix)
            return self._begin(self.store, prefix)
        except (ListingUnsupportedError, AccessDeniedError):
            # With credentials that may not list keys, as for many public buckets, keys can still be read by name.
            return None
        except InvalidKeyError:
            return False

    def _begin(self, store: ListableStore, prefix: str) -> bool:
        """Whether keys begin with ``prefix``. The listing that shows it is kept for the next one who needs it."""
        asked_s, changes = self.freshness.now(), self._changes
        entries, oldest_s = aged(lambda: [*islice(store.list_dir(prefix), _BEGUN_MAX)])
        if entries and len(entries) < _BEGUN_MAX and changes == self._changes:
            self._begun.put(prefix, entries, min(asked_s, oldest_s), len(entries))
        return bool(entries)

    def _may_be_prefix(self, key: str) -> bool:
        """Whether to take ``key``, which the store neither has nor can list, for a prefix.

        A name without a dot may be part of a chunk's key; one with a dot is more likely a missing document,
        unless a node has that path.
        """
        return "." not in key.rpartition("/")[2] or self._is_node("/" + key)

    def listed(self, prefix: str) -> Iterator[tuple[str, LookupResult]]:
        """The segments after a prefix, each once, with their results."""
        unstored = {} if self.writer is None else self.writer.unstored.listed(prefix)
        with suppress(InvalidKeyError):  # a path too long for the store, in which it thus has no key
            if not unstored:
                yield from self._listed(prefix)
                return
            for name, found in self._listed(prefix):
                unstored.pop(name, None)
                yield name, found
        yield from ((name, file or _PREFIX) for name, file in unstored.items())

    def _listed(self, prefix: str) -> Iterator[tuple[str, LookupResult]]:
        known = None if self.is_quick else self._listings.get(prefix) or self._walked(prefix)
        if known is not None:
            for name, found in [*known[0].items()]:
                now = self._find(prefix, name, wait=True) if found is Prefix.UNKNOWN else found
                if now is not None:
                    yield name, now
            return
        if self._has_unique_names:
            yield from self._files(prefix)
            return
        asked_s, changes = self.freshness.now(), self._changes
        entries = self._listed_by_store(prefix)
        beginning, oldest_s = aged(lambda: [*islice(entries, _LISTING_MAX + 1)])
        asked_s = min(asked_s, oldest_s)
        listing = self._one_result_per_name(beginning)
        is_whole = len(beginning) <= _LISTING_MAX
        if is_whole and changes == self._changes:
            self._listings.put(prefix, listing, asked_s, len(listing) + 1)
        self._begun.drop(prefix)
        yield from [*listing.items()]
        if not is_whole:
            # Too long to keep: a name that is a key and a prefix may be shown twice.
            yield from ((name, found) for name, found in entries if name not in listing)

    def _walked(self, prefix: str) -> tuple[dict[str, LookupResult], float] | None:
        """The listing after a prefix, if it was made from one of all keys below it, or below its parent."""
        store = self.store
        if not store.lists_flat or not isinstance(store, ListableStore) or not prefix:
            return None
        if store.lists_other_sizes:
            return None
        if self._listings.get(parent_of(prefix)) is None or not self._walking.acquire(blocking=False):
            return None
        try:
            for top, pages in self._walks.tops(prefix):
                if self._list_below(store, top, pages):
                    return self._listings.get(prefix)
            return None
        finally:
            self._walking.release()

    def _list_below(self, store: ListableStore, top: str, pages: int) -> bool:
        """Remember the listings of a prefix and all below it, if they fit in so many pages."""
        asked_s, changes, most = self.freshness.now(), self._changes, pages * PAGE
        entries, oldest_s = aged(lambda: [*islice(store.list_prefix(top), most)])
        if len(entries) == most:  # to ask whether it is all would take another page
            self._walks.did_not_fit(top, pages, [entry.key for entry in entries])
            return False
        # Only listings of single directories show those in which no key is a path.
        found = None if store.skipped_keys() else directories(top, entries)
        if found is None or changes != self._changes:
            return False
        self._walks.fitted(top, len(entries))
        for prefix, listed in found.items():
            results = ((entry.key[len(prefix) :].removesuffix("/"), _result(entry)) for entry in listed)
            listing = self._one_result_per_name(results)
            self._listings.put(prefix, listing, min(asked_s, oldest_s), len(listing) + 1)
        return True

    def _files(self, prefix: str) -> Iterator[tuple[str, LookupResult]]:
        """A local store's listing, with sizes and each name once."""
        if isinstance(self.store, LocalStore):
            for name, facts in self.store.scan_dir(prefix):
                if facts is None:
                    yield name, _PREFIX
                else:
                    yield name, KeyFile(self, prefix, name, facts.st_size, facts.st_mtime)

    def _listed_by_store(self, prefix: str) -> Iterator[tuple[str, LookupResult]]:
        """The store's listing; missing sizes are requested in batches."""
        if not isinstance(self.store, ListableStore):
            raise ListingUnsupportedError(f"{self.store.url} cannot be listed", url=self.store.url)
        begun = self._begun.get(prefix)
        entries = iter(self.store.list_dir(prefix) if begun is None else begun[0])
        while batch := list(islice(entries, 256)):
            if self.store.lists_other_sizes:
                batch = [replace(entry, size=None) for entry in batch]
            unknown = [entry.key for entry in batch if entry.size is None and not entry.is_prefix]
            asked = (
                dict(zip(unknown, self._threads().map(self.store.stat, unknown), strict=True))
                if unknown
                else {}
            )
            for entry in batch:
                if entry.is_prefix:
                    yield entry.key[len(prefix) : -1], _PREFIX
                    continue
                stat = _stat_of(entry) or asked.get(entry.key)
                if stat is not None:
                    yield entry.key[len(prefix) :], stat

    def _one_result_per_name(self, entries: Iterable[tuple[str, LookupResult]]) -> dict[str, LookupResult]:
        listing: dict[str, LookupResult] = {}
        for name, found in entries:
            if name not in listing or (found is _PREFIX) != self._keys_first:
                listing[name] = found
        return listing

    def _threads(self) -> ThreadPool:
        if self._pool is None:
            self._pool = ThreadPool(min(16, self.store.requests_in_flight), "zarrfs-keys")
        return self._pool

    def entry(self, prefix: str, name: str, found: LookupResult) -> Entry:
        """The entry for the result of a lookup."""
        if isinstance(found, StoreStat):
            return KeyFile(self, prefix, name, found.size, found.mtime_s, found.etag)
        return KeysDirectory(self, f"{prefix}{name}/") if isinstance(found, Prefix) else found


def _result(entry: StoreEntry) -> LookupResult:
    return _stat_of(entry) or _PREFIX


def _stat_of(entry: StoreEntry) -> StoreStat | None:
    return None if entry.size is None else StoreStat(entry.size, entry.mtime_s)
