"""All nodes of a source, found by a walk on demand, and kept for the next search.

A search goes through the known nodes first and then continues the walk; so does each further letter in the search box.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from zarrbrowser.nodes.describe import short_type_name
from zarrbrowser.nodes.protocols import NodeLike, is_array, is_broken, is_group
from zarrbrowser.session.sources import Source

_TELL_S = 0.1
"""Results are reported this often."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One node in few bytes: a hierarchy may have a million."""

    path: str
    kind: str
    shape: tuple[int, ...] | None = None
    """The shape of an array."""
    type_name: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2] or self.path


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of a search since its last report."""

    hits: tuple[Entry, ...]
    groups: int
    """Groups searched so far."""
    arrays: int
    """Arrays seen so far."""
    unlisted: int
    """Groups that the store cannot list."""


@dataclass(slots=True)
class Inventory:
    """The nodes of one source found so far. Thread-safe; one thread at a time continues the walk."""

    source: Source
    entries: list[Entry] = field(default_factory=list)
    complete: bool = False
    _groups: int = 0
    _unlisted: int = 0
    _walk: Iterator[NodeLike] | None = None
    _walking: threading.Lock = field(default_factory=threading.Lock)

    def search(
        self, query: str, cancelled: Callable[[], bool], tell: Callable[[Findings], object]
    ) -> Findings:
        """Report all nodes that match ``query`` as they are found; returns the results not reported yet.

        Raises:
            StoreError: the store cannot be listed; another search tries again.
        """
        wanted, hits, seen = matcher(query), list[Entry](), 0
        told_s = time.monotonic()
        while not cancelled():
            known = len(self.entries)
            hits += [entry for entry in self.entries[seen:known] if wanted(entry)]
            seen = known
            if time.monotonic() - told_s > _TELL_S:
                tell(self._findings(hits))
                hits, told_s = [], time.monotonic()
            if seen == len(self.entries) and not self._go_on(seen, cancelled):
                break
        return self._findings(hits)

    def _findings(self, hits: list[Entry]) -> Findings:
        arrays = len(self.entries) - self._groups - self._unlisted
        return Findings(tuple(hits), self._groups, arrays, self._unlisted)

    def _go_on(self, seen: int, cancelled: Callable[[], bool]) -> bool:
        """Walk until more than ``seen`` entries are known; False at the end of the walk."""
        with self._walking:
            if len(self.entries) > seen:
                return True
            if self._walk is None:
                self._walk = iter(self.source.hierarchy.walk("/"))
            stop_s = time.monotonic() + _TELL_S
            try:
                for node in self._walk:
                    self._note(node)
                    if cancelled() or time.monotonic() > stop_s:
                        return True
            except BaseException:
                self._begin_anew()  # a generator that raised has ended
                raise
            self.complete, self._walk = True, iter(())
            return len(self.entries) > seen

    def _begin_anew(self) -> None:
        self._walk, self._groups, self._unlisted = None, 0, 0
        self.entries = []

    def _note(self, node: NodeLike) -> None:
        # A walk reports a group that cannot be listed as a broken node with the group's path.
        unlisted = is_broken(node) and bool(self.entries) and _is_listed_above(self.entries[-1], node)
        if unlisted:
            self._unlisted += 1
        elif is_group(node):
            self._groups += 1
        if is_array(node):
            self.entries.append(Entry(node.path, node.kind, tuple(node.shape), short_type_name(node)))
        else:
            self.entries.append(Entry(node.path, "unlisted" if unlisted else node.kind))


def _is_listed_above(last: Entry, node: NodeLike) -> bool:
    return last.path == node.path or last.path.startswith(node.path.rstrip("/") + "/")


def matcher(query: str) -> Callable[[Entry], bool]:
    """A function that matches entries: each word is a part of the path, or a pattern of the name, ignoring case.

    >>> is_meant = matcher("raw t*")
    >>> [is_meant(Entry(path, "array")) for path in ("/Raw/t0", "/raw/x", "/t0")]
    [True, False, False]
    >>> matcher("/a/*/0")(Entry("/a/b/0", "array"))
    True
    """
    words = query.casefold().split()

    def is_meant(entry: Entry) -> bool:
        path = entry.path.casefold()
        if path == "/" or entry.kind == "unlisted":
            return False
        name = path.rpartition("/")[2]
        return all(
            fnmatchcase(path if "/" in word else name, word) if "*" in word or "?" in word else word in path
            for word in words
        )

    return is_meant
