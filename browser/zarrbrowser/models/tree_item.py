"""One row of the tree."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from typing import Any

from zarrbrowser.nodes.protocols import GroupLike, NodeLike, is_group
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.values.packing import read_packing
from zarrbrowser.workers import Request
from zarrcore.errors import ZarrError

PAGE_SIZE = 500
"""The rows of a group that a view lays out in a few milliseconds. A larger group shows ranges of this size."""
MOST_NAMES = 1_000_000
"""Names of a group up to which they are all listed, so that its rows are in order from the start."""
LISTING_S = 2.0
"""The first page waits so long for all names; rows that regroup under the user's eyes would be worse."""
PAGE_TIME_S = 0.25
"""A page from a slow store ends after this many seconds, so that its first rows appear early."""


_READ_AT_ONCE = 16


class Fetching(Enum):
    """How much of an item's children is known."""

    NOT_YET = "not yet"
    RUNNING = "running"
    PARTLY = "partly"
    WHOLLY = "wholly"
    FAILED = "failed"


class TreeItem:
    """A source, a node, a range of nodes, or a note about its parent: more to come, an error.

    Attributes:
        is_range: whether the row holds a range of its parent's children, because there are too many for one level.
        children: rows below, the note last.
        sort_key: the key by which rows are ordered; computed on first use.
        allow: what a button does about a failure to open it or to list its children: see `remedy`.
        asked: the running request for the row's node or children.
        was_open: whether the row's source was open before: if opening it again is cancelled, the row stays.
        listed: the names of all children in natural order, if they are more than a page and known.
        listing: the running request for the names of all children.
        span: the first and the last name of a range whose names were all listed; None for other rows.
        unread: the names in such a range whose nodes are not read yet.
        stream: the iterator over further children, kept between pages; only a worker advances it.
    """

    __slots__ = (
        "allow", "asked", "children", "fetching", "identity", "is_range", "listed", "listing",
        "names", "node", "note", "parent", "request", "row",
        "sort_key", "source", "span", "stream", "unread", "was_open",
    )  # fmt: skip

    def __init__(self, parent: TreeItem | None, node: NodeLike | None = None, note: str = "") -> None:
        self.parent = parent
        self.node = node
        self.note = note
        self.allow = ""
        self.row = 0
        self.identity = 0
        self.children: list[TreeItem] = []
        self.names: set[str] = set()
        self.is_range = self.was_open = False
        self.sort_key: list[tuple[int, int, str]] | None = None
        self.asked: Request | None = None
        self.listing: Request | None = None
        self.listed: Sequence[str] = ()
        self.span: tuple[str, str] | None = None
        self.unread: set[str] = set()
        self.stream: Iterator[Any] | None = None
        self.fetching = Fetching.NOT_YET
        self.source: Source | None = parent.source if parent else None
        self.request: SourceRequest | None = None

    def forget_names(self) -> None:
        """Forget what is known of its children."""
        self.names.clear()
        self.listed = ()

    @property
    def group(self) -> NodeLike | None:
        """The node that the row's node is in; ranges are none."""
        above = self.parent
        while above is not None and above.node is None:
            above = above.parent
        return None if above is None else above.node

    @property
    def is_note(self) -> bool:
        """Whether the row is a note."""
        return self.node is None and self.request is None and not self.is_range

    @property
    def may_have_children(self) -> bool:
        """Whether the row may be expandable."""
        if self.node is None or not is_group(self.node):
            return bool(self.children or self.unread)
        return bool(self.children) or self.fetching is not Fetching.WHOLLY

    @property
    def node_count(self) -> int:
        """Children that are nodes or ranges of nodes."""
        return len(self.children) - (1 if self.children and self.children[-1].is_note else 0)


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Sorts ``t2`` before ``t10``.

    >>> sorted(["t10", "T2", "a"], key=natural_key)
    ['a', 'T2', 't10']
    """
    parts = re.split(r"(\d+)", name.casefold())
    return [_number_key(part) if part.isdecimal() else (1, 0, part) for part in parts if part]


def _number_key(digits: str) -> tuple[int, int, str]:
    """Sorts numbers by value; Python refuses to convert those with thousands of digits."""
    digits = digits.lstrip("0")
    return 0, len(digits), digits


def next_page(
    stream: Iterator[NodeLike], size: int = PAGE_SIZE
) -> tuple[list[NodeLike], bool, ZarrError | None]:
    """The next children, whether they are the last, and the error that ended the listing, if any; runs in a worker."""
    page: list[NodeLike] = []
    stop_s = time.monotonic() + PAGE_TIME_S
    try:
        for node in stream:
            page.append(node)
            if len(page) >= size or time.monotonic() > stop_s:
                return page, False, None
    except ZarrError as error:
        return page, True, error
    return page, True, None


class NameList:
    """The names of all children of a group, listed a while at a time; runs in a worker."""

    def __init__(self, group: GroupLike) -> None:
        self._listed = iter(group.child_names())
        self._names: list[str] = []

    def all_names(self, stop_s: float, cancelled: Callable[[], bool]) -> list[str] | None:
        """All names in natural order; None if that takes longer than until ``stop_s``, or if they are too many.

        Raises:
            StoreError: the store failed, or cannot list.
        """
        for name in self._listed:
            self._names.append(name)
            if len(self._names) > MOST_NAMES or time.monotonic() > stop_s or cancelled():
                return None
        return sorted(set(self._names), key=natural_key)


def nodes_named(source: Source, group: NodeLike, names: Iterable[str]) -> list[NodeLike]:
    """The nodes of a group that have these names; a name without a node is left out. Runs in a worker."""
    base = group.path.rstrip("/")
    with ThreadPoolExecutor(_READ_AT_ONCE) as pool:
        found = [*pool.map(source.hierarchy.child, [f"{base}/{name}" for name in names])]
    nodes = [node for node in found if node is not None]
    read_packing(nodes, group, source.hierarchy.node)
    return nodes
