"""Documents of a bucket that are not read again while one listing of all keys shows that they have not changed.

When nodes are older than the time limit, a walk would read every document and list every group again. A bucket lists all keys
below a prefix in pages, with the etag of each value. So the first group that is listed again is listed with all that is below it:
this answers the listings of the groups there, and which documents are new, changed or gone. An etag that is missing or weak
shows nothing, and the document is read.

A listing contains the keys of chunks, too. It is given up if it takes more pages than the documents are worth, and repeated only
when more documents are known. Then each group below is listed with all that is below it, many of them at once.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from threading import Condition, Lock
from typing import Final

from zarrcore.ages import note_age
from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.formats import Format
from zarrcore.formats.detect import Get, fetch_document
from zarrcore.stores.interface import ReadableStore, StoreEntry, StoreStat
from zarrcore.stores.wrapper.interface import WrapperStore

_PAGE: Final = 1000
"""Keys in a page; some services send more."""
_WORTH: Final = 64
"""Documents that are worth a further page: so many are requested at once, and pages come one after the other."""
_PAGES_MAX: Final = 100
_LEAST: Final = 2
_HELD_NBYTES: Final = 32 << 20
_OVERHEAD_NBYTES: Final = 512
"""What a document in memory takes besides its bytes."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """All keys below a prefix, as far as they can be documents, with their etags; and what is directly below each prefix."""

    requested_s: float
    prefix: str
    etags: dict[str, str | None]
    below: dict[str, dict[str, None]]
    unclear: frozenset[str]
    """Prefixes with an empty value, which may mark a folder: only their own listing shows that."""
    count: int


class Revalidated(WrapperStore):
    """A store whose documents and listings are answered from one listing of all keys while that is recent. Thread-safe.

    Args:
        store: a store that lists flat, and states the version of each value that it returns.
        format: the format of the documents.
        is_recent: whether an answer requested then, by the monotonic clock, may still be given.
    """

    def __init__(self, store: ReadableStore, format: Format, is_recent: Callable[[float], bool]) -> None:  # noqa: A002
        super().__init__(store)
        self._format = format
        self._is_recent = is_recent
        self._held: dict[str, tuple[str, bytes]] = {}
        """The documents read so far, with their ETags. Once it is full, no more are added."""
        self._held_nbytes = 0
        self._held_below: Counter[str] = Counter()
        """The number of documents in memory below each prefix."""
        self._listed: dict[str, _Listed] = {}
        """By prefix, the oldest first."""
        self._listed_count = 0
        """The number of their keys."""
        self._forgotten = 0
        """How often the listings were forgotten."""
        self._met: set[str] = set()
        """Prefixes that were listed: what is below them has probably been read."""
        self._too_large: dict[str, int] = {}
        """The number of pages in which a prefix did not fit."""
        self._lock = Lock()
        self._running: list[str] = []
        """The prefixes that are being listed."""
        self._changed = Condition()
        """Guards the listings; notified when one has ended."""

    def forget(self) -> None:
        """Forget the listings. Documents stay: each is compared with the next listing."""
        with self._changed:
            self._forgotten += 1
            self._listed.clear()
            self._listed_count = 0

    def source(self, path: str) -> tuple[float, Get]:
        """What gets the documents of a node, and when the answers are requested, by the monotonic clock."""
        listed = self._recent(self._format.document_keys(path)[0])
        now_s = time.monotonic()
        return (
            (now_s, self.read)
            if listed is None
            else (listed.requested_s, lambda key: self._known(key, listed))
        )

    def needs_request(self, key: str) -> bool:
        """Whether a document has to be requested now."""
        listed = self._recent(key)
        return listed is None or (key in listed.etags and self._unchanged(key, listed) is None)

    def read(self, key: str) -> bytes | None:
        """Request a document."""
        stats: dict[str, StoreStat] = {}
        value = fetch_document(self.store, key, stats)
        with self._lock:
            self._drop(key)
            etag = _strong(stats[key].etag, stats[key].size) if key in stats else None
            if value is not None and etag is not None:
                nbytes = len(value) + _OVERHEAD_NBYTES
                if self._held_nbytes + nbytes <= _HELD_NBYTES:
                    self._held[key] = etag, value
                    self._held_nbytes += nbytes
                    self._held_below.update(_prefixes(key))
        return value

    def _drop(self, key: str) -> None:
        dropped = self._held.pop(key, None)
        if dropped is not None:
            self._held_nbytes -= len(dropped[1]) + _OVERHEAD_NBYTES
            self._held_below.subtract(_prefixes(key))

    def _known(self, key: str, listed: _Listed) -> bytes | None:
        if not key.startswith(listed.prefix):
            return self.read(key)
        if key not in listed.etags:
            return None
        unchanged = self._unchanged(key, listed)
        return self.read(key) if unchanged is None else unchanged

    def _unchanged(self, key: str, listed: _Listed) -> bytes | None:
        held = self._held.get(key)
        return held[1] if held is not None and held[0] == listed.etags[key] else None

    def _recent(self, key: str) -> _Listed | None:
        """The newest listing that shows a key, or all keys under a prefix, if one is recent."""
        found = [listed for prefix in _prefixes(key) if (listed := self._listed.get(prefix)) is not None]
        newest = max(found, key=lambda listed: listed.requested_s, default=None)
        return newest if newest is not None and self._is_recent(newest.requested_s) else None

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        self._look(prefix)
        self._met.add(prefix)
        listed = self._recent(prefix)
        if listed is None or prefix in listed.unclear:
            return super().list_dir(prefix)
        note_age(listed.requested_s)
        return map(StoreEntry, listed.below.get(prefix, ()))

    def has_prefix(self, prefix: str) -> bool:
        listed = self._recent(prefix)
        if listed is None:
            return super().has_prefix(prefix)
        note_age(listed.requested_s)
        return bool(listed.below.get(prefix))

    def _look(self, prefix: str) -> None:
        """List all keys below a prefix that is listed again, if that takes fewer requests than its documents."""
        if prefix not in self._met:
            return
        with self._changed:
            # Many threads list the groups of one walk: those below a prefix that is being listed wait for that.
            self._changed.wait_for(lambda: not any(map(prefix.startswith, self._running)))
            pages = self._worth(prefix)
            if not pages:
                return
            self._running.append(prefix)
            forgotten = self._forgotten
        try:
            listed = self._list(prefix, pages)
            with self._changed:
                if listed is not None and forgotten == self._forgotten:
                    self._adopt(listed)
        finally:
            with self._changed:
                self._running.remove(prefix)
                self._changed.notify_all()

    def _worth(self, prefix: str) -> int:
        """How many pages a listing of all keys below a prefix may take; 0 if there should be none."""
        # A flat listing leaves out keys that are not paths; other listings show them.
        if self._recent(prefix) is not None or self.skipped_keys():
            return 0
        count = self._held_below[prefix]
        pages = min(_PAGES_MAX, 1 + count // _WORTH)
        return 0 if count < _LEAST or pages <= self._too_large.get(prefix, 0) else pages

    def _list(self, prefix: str, pages: int) -> _Listed | None:
        """List all keys below a prefix, if there are not more than so many pages."""
        requested_s = time.monotonic()
        try:
            entries = [*islice(super().list_prefix(prefix), pages * _PAGE)]
        except AccessDeniedError:  # it may be allowed to list by level only
            self._too_large[prefix] = _PAGES_MAX
            return None
        except StoreError:
            return None  # the requests that follow report it
        # To ask whether it is all would take another page. One that took longer than it may be used is of no use, either.
        if len(entries) == pages * _PAGE or not self._is_recent(requested_s):
            self._too_large[prefix] = pages
            return None
        return None if self.skipped_keys() else self._made(prefix, requested_s, entries)

    def _adopt(self, listed: _Listed) -> None:
        """Answer from a listing, and drop what it shows to be gone."""
        replaced = self._listed.pop(listed.prefix, None)
        self._listed[listed.prefix] = listed
        self._listed_count += listed.count - (0 if replaced is None else replaced.count)
        while self._listed_count > _PAGES_MAX * _PAGE:  # no listing alone has more
            oldest = next(iter(self._listed))
            self._listed_count -= self._listed.pop(oldest).count
        with self._lock:
            if sum(key in self._held for key in listed.etags) < self._held_below[listed.prefix]:
                for key in [*self._held]:
                    if key.startswith(listed.prefix) and key not in listed.etags:
                        self._drop(key)

    def _made(self, prefix: str, requested_s: float, entries: list[StoreEntry]) -> _Listed:
        etags: dict[str, str | None] = {}
        below: dict[str, dict[str, None]] = {prefix: {}}
        unclear: set[str] = set()
        for entry in entries:
            folder = _above(entry.key)
            missing = []
            while folder not in below:
                missing.append(folder)
                folder = _above(folder)
            for made in reversed(missing):
                below[folder][made] = None
                below[made] = {}
                folder = made
            if not entry.size:
                unclear.add(folder)
            below[folder][entry.key] = None
            if self._format.is_document_key(entry.key):
                etags[entry.key] = _strong(entry.etag, entry.size)
        return _Listed(requested_s, prefix, etags, below, frozenset(unclear), len(entries))


def _strong(etag: str | None, size: int | None) -> str | None:
    """An etag without quotes, which only some listings have, and the size; None if they do not identify a version.

    The size is for servers that give every value the same etag.

    >>> _strong('"5d"', 3), _strong("5d", 3), _strong('W/"5d"', 3), _strong('""', 3)
    ('5d 3', '5d 3', None, None)
    """
    opaque = "" if etag is None or etag.startswith("W/") else etag.strip('"')
    return f"{opaque} {size}" if opaque else None


def _above(key: str) -> str:
    """The prefix of a key, or of a prefix.

    >>> _above("a/b/c"), _above("a/b/"), _above("a/")
    ('a/b/', 'a/', '')
    """
    return key[: key.rfind("/", 0, -1) + 1]


def _prefixes(key: str) -> list[str]:
    """All prefixes of a key; of a prefix, itself too.

    >>> _prefixes("a/b/c"), _prefixes("a/")
    (['a/b/', 'a/', ''], ['a/', ''])
    """
    found = [key[: key.rfind("/") + 1]]
    while found[-1]:
        found.append(_above(found[-1]))
    return found
