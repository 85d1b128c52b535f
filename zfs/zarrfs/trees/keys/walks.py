"""Programs that walk down ``keys/``: a bucket lists everything below a prefix in pages, instead of one request per directory.

A program that lists a directory, and then one in it, probably walks on, as ``find`` does. So that directory is listed with all
that is below it, if it fits in one page; and if that went well, its parent with all that is below that, in twice as many pages
as its children took so far. So at most about twice as many pages are fetched as listing each directory would take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from zarrcore.stores import StoreEntry
from zarrfs.trees.freshness import Freshness, Remembered

PAGE: Final = 1000
"""Keys in a page; some services send more."""
_PAGES_MAX: Final = 20
_PREFIXES_MAX: Final = 10_000


class Walks:
    """Which prefixes to list with all keys below them.

    Args:
        freshness: how long an answer is valid.
    """

    def __init__(self, freshness: Freshness) -> None:
        self._freshness = freshness
        self._spent: Remembered[str, int] = Remembered(freshness, _PREFIXES_MAX)
        """Pages of listings of children, by prefix."""
        self._too_large: Remembered[str, int] = Remembered(freshness, _PREFIXES_MAX)
        """The number of pages in which a prefix did not fit."""

    def tops(self, prefix: str) -> Iterator[tuple[str, int]]:
        """The prefixes whose listing would contain that of ``prefix``, each with the number of pages that it is worth."""
        parent = parent_of(prefix)
        spent = self._spent.get(parent)
        if spent is not None:
            pages = min(_PAGES_MAX, 2 * spent[0])
            failed = self._too_large.get(parent)
            if failed is None or pages >= 2 * failed[0]:
                yield parent, pages
        if self._too_large.get(prefix) is None:
            yield prefix, 1

    def fitted(self, top: str, count: int) -> None:
        """Note that a prefix has ``count`` keys, which were listed."""
        if not top:
            return
        parent = parent_of(top)
        spent = self._spent.get(parent)
        pages = 1 + count // PAGE + (0 if spent is None else spent[0])
        self._spent.put(parent, pages, self._freshness.now())

    def did_not_fit(self, top: str, pages: int, keys: Sequence[str]) -> None:
        """Note that a prefix has more keys than fit in so many pages, of which these are the first.

        If a prefix below it has most of them, listing that would fail, too.
        """
        now_s, prefix = self._freshness.now(), parent_of(keys[-1])
        while len(prefix) > len(top):
            if 2 * sum(key.startswith(prefix) for key in keys) > len(keys):
                self._too_large.put(prefix, pages, now_s)
            prefix = parent_of(prefix)
        self._too_large.put(top, pages, now_s)


def directories(top: str, entries: Iterable[StoreEntry]) -> dict[str, list[StoreEntry]] | None:
    """The listings of ``top`` and all prefixes below it, from that of all their keys; None if it does not show all of them.

    A prefix with an empty value is left out: such a value may mark a directory, which only its own listing shows.

    >>> made = directories("a/", [StoreEntry("a/b/c", 1), StoreEntry("a/b/d/e", 1), StoreEntry("a/f", 1)])
    >>> {prefix: [entry.key for entry in found] for prefix, found in made.items()}
    {'a/': ['a/b/', 'a/f'], 'a/b/': ['a/b/c', 'a/b/d/'], 'a/b/d/': ['a/b/d/e']}
    """
    found: dict[str, list[StoreEntry]] = {top: []}
    unclear: set[str] = set()
    for entry in entries:
        if entry.is_prefix or entry.size is None:
            return None
        prefix = parent_of(entry.key)
        if entry.size == 0:
            unclear.add(prefix)
        missing: list[str] = []
        while prefix not in found:
            missing.append(prefix)
            prefix = parent_of(prefix)
        for below in reversed(missing):
            found[prefix].append(StoreEntry(below))
            found[below] = []
            prefix = below
        found[prefix].append(entry)
    return {prefix: listing for prefix, listing in found.items() if prefix not in unclear}


def parent_of(prefix: str) -> str:
    """The prefix above a prefix, or of a key.

    >>> parent_of("a/b/"), parent_of("a/"), parent_of("a/c")
    ('a/', '', 'a/')
    """
    above, slash, _ = prefix.removesuffix("/").rpartition("/")
    return above + slash
