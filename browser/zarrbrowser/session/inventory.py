"""All nodes of a source, found on demand, and kept for the next search.

Names come first: a listing gives a thousand of them in the time of one document, and a name is enough to know whether a node
is wanted. So the nodes with matching names are read before all others. The others are read because groups may be among them.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from zarrbrowser.nodes.describe import short_type_name
from zarrbrowser.nodes.protocols import GroupLike, NodeLike, is_array, is_group
from zarrbrowser.session.sources import Source
from zarrcore.errors import ZarrError

_TELL_S = 0.1
"""Results are reported this often."""
NAMES_MOST = 1_000_000
"""Names of a source that are searched at most: this bounds memory."""
_READ_AT_ONCE = 16
_BATCH = 16 * _READ_AT_ONCE
"""Nodes that are read before the search looks at new names again."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One node in few bytes: a hierarchy may have a million."""

    path: str
    kind: str
    shape: tuple[int, ...] | None = None
    """The shape of an array."""
    type_name: str = ""
    title: str = ""
    """The name of the source, of its root."""

    @property
    def name(self) -> str:
        """The last part of the path, or the source's name."""
        return self.title or self.path.rpartition("/")[2] or self.path


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of a search since its last report."""

    hits: tuple[Entry, ...]
    groups: int
    """Groups found so far."""
    arrays: int
    """Arrays found so far."""
    unlisted: int
    """Groups that the store cannot list."""
    names: int = 0
    """Names listed so far."""
    read: int = 0
    """Names whose nodes are read."""
    is_cut: bool = False
    """Whether there are more names than are searched."""


@dataclass(slots=True)
class Inventory:
    """The nodes of one source found so far. Thread-safe; one thread at a time looks for more."""

    source: Source
    entries: list[Entry] = field(default_factory=list)
    complete: bool = False
    _groups: int = 0
    _arrays: int = 0
    _unlisted: int = 0
    _is_cut: bool = False
    _paths: list[str] = field(default_factory=list)
    """All paths that were listed, without the root's."""
    _read: int = 0
    """How many of the first paths have been read."""
    _early: set[int] = field(default_factory=set)
    """The positions of further paths that have been read, before their turn."""
    _to_list: deque[GroupLike] = field(default_factory=deque)
    _listing: Iterator[str] | None = None
    """The further names below the first group to list."""
    _working: threading.Lock = field(default_factory=threading.Lock)

    def search(
        self, query: str, cancelled: Callable[[], bool], tell: Callable[[Findings], object]
    ) -> Findings:
        """Report all nodes that match ``query`` as they are found; returns the results not reported yet.

        Raises:
            StoreError: the store cannot be listed; another search tries again.
        """
        wanted, hits, seen, listed = matcher(query), list[Entry](), 0, 0
        urgent: deque[int] = deque()
        told_s, done = time.monotonic(), False
        while not (cancelled() or done):
            done = self.complete
            known, names = len(self.entries), len(self._paths)
            hits += [one for one in self.entries[seen:known] if wanted(one.title or one.path)]
            if not done:
                urgent.extend(at for at in range(listed, names) if wanted(self._paths[at]))
            seen, listed = known, names
            if time.monotonic() - told_s > _TELL_S:
                tell(self._findings(hits))
                hits, told_s = [], time.monotonic()
            if not done:
                self._go_on(urgent, cancelled)
        return self._findings(hits)

    def _findings(self, hits: list[Entry]) -> Findings:
        names, read = len(self._paths), self._read + len(self._early)
        return Findings(
            tuple(hits), self._groups, self._arrays, self._unlisted, names, read, is_cut=self._is_cut
        )

    def _go_on(self, urgent: deque[int], cancelled: Callable[[], bool]) -> None:
        """List names for a while, then read some nodes: those in ``urgent``, or others if all names were listed before.

        Raises:
            ZarrError: the root cannot be read, or listed.
        """
        with self._working:
            try:
                if not self.entries:
                    self._note(self.source.hierarchy.node("/"), self.source.title)
                elif not self.complete:
                    is_listed = not self._to_list
                    self._list(cancelled)
                    self._read_some(urgent, is_listed, cancelled)
                    self.complete = not self._to_list and self._read == len(self._paths)
            except BaseException:
                self._start_over()
                raise

    def _start_over(self) -> None:
        """Forget everything: what was listed before an error may have changed."""
        self.entries, self._paths, self._early = [], [], set()
        self._groups = self._arrays = self._unlisted = self._read = 0
        self._to_list.clear()
        self._listing = None

    def _list(self, cancelled: Callable[[], bool]) -> None:
        stop_s = time.monotonic() + _TELL_S
        while self._to_list and not self._is_cut:
            group = self._to_list[0]
            base = group.path.rstrip("/")
            try:
                if self._listing is None:
                    self._listing = iter(group.child_names())
                for name in self._listing:
                    if len(self._paths) == NAMES_MOST:
                        self._is_cut = True
                        break
                    self._paths.append(f"{base}/{name}")
                    if time.monotonic() > stop_s or cancelled():
                        return
            except ZarrError:
                if group.path == "/":
                    raise
                self._unlisted += 1  # its siblings can be searched
            self._listing = None
            self._to_list.popleft()
        if self._is_cut:
            self._to_list.clear()

    def _read_some(self, urgent: deque[int], others: bool, cancelled: Callable[[], bool]) -> None:
        """Read the nodes of a batch of paths: urgent ones, or else others."""
        batch: list[int] = []
        while urgent and len(batch) < _BATCH:
            batch.append(urgent.popleft())
        if not batch and others:
            batch = [*range(self._read, min(self._read + _BATCH, len(self._paths)))]
        batch = [at for at in batch if at >= self._read and at not in self._early]
        child = self.source.hierarchy.child

        def read(part: list[int]) -> list[tuple[int, NodeLike | None]]:
            return [(at, child(self._paths[at])) for at in part if not cancelled()]

        size = -(-len(batch) // _READ_AT_ONCE) or 1
        with ThreadPoolExecutor(_READ_AT_ONCE) as pool:
            for found in pool.map(
                read, (batch[start : start + size] for start in range(0, len(batch), size))
            ):
                for at, node in found:
                    self._early.add(at)
                    if node is not None:  # names in a listing may be of something else
                        self._note(node)
        while self._read in self._early:
            self._early.discard(self._read)
            self._read += 1

    def _note(self, node: NodeLike, title: str = "") -> None:
        shape, type_name = None, ""
        if is_array(node):
            self._arrays += 1
            shape, type_name = tuple(node.shape), short_type_name(node)
        elif is_group(node):
            self._groups += 1
            self._to_list.append(node)
        self.entries.append(Entry(node.path, node.kind, shape, type_name, title))


def matcher(query: str) -> Callable[[str], bool]:
    """A function that matches paths: each word is a part of the path, or a pattern of the name, ignoring case.

    >>> [*filter(matcher("raw t*"), ("/Raw/t0", "/raw/x", "/t0"))]
    ['/Raw/t0']
    >>> matcher("/a/*/0")("/a/b/0")
    True
    """
    words = query.casefold().split()

    def is_meant(path: str) -> bool:
        path = path.casefold()
        name = path.rpartition("/")[2]
        return all(
            fnmatchcase(path if "/" in word else name, word) if "*" in word or "?" in word else word in path
            for word in words
        )

    return is_meant
