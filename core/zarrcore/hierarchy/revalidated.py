"""Documents of a bucket that are not read again while one listing of all keys shows that they have not changed.

When nodes are older than the time limit, a walk would read every document and list every group again. A bucket lists all keys
below a prefix in pages, with the etag of each value. So the first group that is listed again is listed with all that is below it:
this answers the listings of the groups there, and which documents are new, changed or gone. An etag that is missing or weak
shows nothing, and the document is read.

A listing contains the keys of chunks, too. It is given up if it takes more pages than the documents are worth, and repeated only
when more documents are known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Final

from zarrcore.ages import note_age
from zarrcore.errors import StoreError
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


@dataclass(frozen=True, slots=True)
class _Listed:
    """All keys below a prefix, as far as they can be documents, with their etags; and what is directly below each prefix."""

    requested_s: float
    prefix: str
    etags: dict[str, str | None]
    below: dict[str, dict[str, None]]
    unclear: frozenset[str]
    """Prefixes with an empty value, which may mark a folder: only their own listing shows that."""


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
        """Documents that were read, with their etags; the first ones if there is no room for all, since walks are repeated."""
        self._held_nbytes = 0
        self._listed: _Listed | None = None
        self._met: set[str] = set()
        """Prefixes that were listed: what is below them has probably been read."""
        self._too_large: dict[str, int] = {}
        """The number of pages in which a prefix did not fit."""
        self._lock = Lock()
        self._listing = Lock()

    def forget(self) -> None:
        """Forget the listing. Documents stay: each is compared with the next listing."""
        self._listed = None

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
            etag = _strong(stats[key].etag) if key in stats else None
            if value is not None and etag is not None and self._held_nbytes + len(value) <= _HELD_NBYTES:
                self._held[key] = etag, value
                self._held_nbytes += len(value)
        return value

    def _drop(self, key: str) -> None:
        self._held_nbytes -= len(self._held.pop(key, ("", b""))[1])

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
        """The listing that shows a key, or all keys under a prefix, if it is recent."""
        listed = self._listed
        if listed is None or not key.startswith(listed.prefix) or not self._is_recent(listed.requested_s):
            return None
        return listed

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
        with self._listing:  # many threads list the groups of one walk
            if self._recent(prefix) is not None:
                return
            if prefix not in self._met:
                return
            with self._lock:
                count = sum(key.startswith(prefix) for key in self._held)
            pages = min(_PAGES_MAX, 1 + count // _WORTH)
            if count < _LEAST or pages <= self._too_large.get(prefix, 0):
                return
            before, requested_s = self._listed, time.monotonic()
            try:
                entries = [*islice(super().list_prefix(prefix), pages * _PAGE)]
            except StoreError:
                return  # the requests that follow report it
            # To ask whether it is all would take another page. Keys that are no paths are shown by other listings.
            if len(entries) == pages * _PAGE or self.skipped_keys():
                self._too_large[prefix] = pages
            elif before is self._listed:  # nobody has asked to forget it
                listed = self._listed = self._made(prefix, requested_s, entries)
                with self._lock:
                    for key in [
                        key for key in self._held if key.startswith(prefix) and key not in listed.etags
                    ]:
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
                etags[entry.key] = _strong(entry.etag)
        return _Listed(requested_s, prefix, etags, below, frozenset(unclear))


def _strong(etag: str | None) -> str | None:
    """An etag without quotes, which only some listings have; None if it does not identify a version.

    >>> _strong('"5d"'), _strong("5d"), _strong('W/"5d"'), _strong('""')
    ('5d', '5d', None, None)
    """
    return None if etag is None or etag.startswith("W/") else etag.strip('"') or None


def _above(key: str) -> str:
    """The prefix of a key, or of a prefix.

    >>> _above("a/b/c"), _above("a/b/"), _above("a/")
    ('a/b/', 'a/', '')
    """
    return key[: key.rfind("/", 0, -1) + 1]
