"""Nodes of a remote hierarchy, fetched ahead of a program that walks through it.

A program that lists a group, and then one in it, probably walks on, as ``find`` does. It lists one group after another, so what
comes next in its walk is fetched meanwhile, many groups at once. Its listings then wait for those that are being fetched, or
need no request. A program that only lists one group, or opens files by name, causes no further requests.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from heapq import heappop, heappush
from threading import Lock
from typing import Final

from zarrcore.errors import AccessDeniedError, StoreError, ZarrError
from zarrcore.hierarchy import BrokenNode, Group
from zarrcore.threads import ThreadPool
from zarrfs.trees.arrays.tree import ArraysTree

_log = logging.getLogger(__name__)

_GROUPS_AT_ONCE: Final = 16
_LEAST_NODES: Final = 4
"""The number of nodes of a group that are fetched at once, however many groups are."""
_FIRST_NODES: Final = 250
_NODES_FOR_EACH: Final = 4
"""Groups are begun while fewer nodes are fetched: the first ones, and so many for each one that programs have listed."""


class WalkAhead:
    """Walks ahead of the programs that list a tree.

    Args:
        arrays: finds the nodes, and remembers them for all trees.

    Attributes:
        nodes: how many nodes it has fetched.
    """

    def __init__(self, arrays: ArraysTree) -> None:
        self._arrays = arrays
        self._generation = arrays.freshness.generation
        self._lock = Lock()
        self._pending: list[list[str]] = []
        """The groups to list, as a heap in the order of a walk, each as the segments of its path."""
        self._queued: set[str] = set()
        self._entered: dict[str, float] = {}
        """Groups from which a program went on to one in it, and when their listing was requested."""
        self._threads: ThreadPool | None = None
        self._working = 0
        self._has_stopped = False
        self._shown = 0
        self.nodes = 0

    def listed(self, group: Group, count: int) -> None:
        """Note that a program has listed a group, which has ``count`` nodes."""
        with self._lock:
            if self._threads is None:
                self._threads = ThreadPool(_GROUPS_AT_ONCE + 1, "zarrfs-walk")
        # What is looked up for it must not count as the program's own answers, which would then seem older.
        with suppress(MemoryError, RuntimeError):  # without threads, programs get everything themselves
            self._threads.submit(self._follow, group.path, count)

    def _follow(self, path: str, count: int) -> None:
        parent = path.rpartition("/")[0] or "/"
        known = None if path == "/" else self._arrays.listing(parent)
        with self._lock:
            self._shown += count
            self._forget_old_generation()
            if known is not None:
                self._queue(path)
                if self._entered.get(parent) != known[1]:
                    self._entered[parent] = known[1]
                    self._queue(parent)
            self._employ()

    def stop(self) -> None:
        """Send no further request; requests in flight are not awaited."""
        with self._lock:
            self._has_stopped = True

    def _queue(self, path: str) -> None:
        """Queue the groups in a group that was listed, unless they were listed, too."""
        known = self._arrays.listing(path)
        for below in () if known is None else known[0]:
            if below not in self._queued and self._arrays.is_group(below) and not self._arrays.listing(below):
                self._queued.add(below)
                heappush(self._pending, below.split("/"))

    def _employ(self) -> None:
        """Have threads work on what is pending."""
        most = min(_GROUPS_AT_ONCE, len(self._pending))
        while self._threads is not None and self._working < most and self._may_go_on():
            try:
                self._threads.submit(self._work)
            except (MemoryError, RuntimeError):
                return
            self._working += 1

    def _may_go_on(self, factor: int = 1) -> bool:
        """Whether more nodes may be fetched; ``factor`` is above 1 for a group that was begun below the limit."""
        allowed = factor * (_FIRST_NODES + _NODES_FOR_EACH * self._shown)
        return not self._has_stopped and self.nodes < allowed and self._arrays.has_room(0)

    def _forget_old_generation(self) -> None:
        if self._generation != self._arrays.freshness.generation:
            self._generation = self._arrays.freshness.generation
            self._forget()

    def _forget(self) -> None:
        self._pending.clear()
        self._queued.clear()
        self._entered.clear()

    def _work(self) -> None:
        while (found := self._next()) is not None:
            path, at_once = found
            try:
                self._fetch(path, at_once)
            except Exception as error:  # noqa: BLE001 - programs that need the same get it, or the error, themselves
                known = isinstance(error, ZarrError)
                _log.debug("%s cannot be fetched ahead: %s", path, error, exc_info=None if known else error)
                if not isinstance(error, AccessDeniedError):
                    with (
                        self._lock
                    ):  # the store fails, and so might all further requests, each after several attempts
                        self._pending.clear()
                        self._queued.clear()

    def _next(self) -> tuple[str, int] | None:
        """The next group, and how many groups are being fetched; None if there is nothing to do."""
        with self._lock:
            self._forget_old_generation()
            if not self._pending or not self._may_go_on():
                self._working -= 1
                return None
            path = "/".join(heappop(self._pending))
            self._queued.discard(path)
            return path, self._working

    def _fetch(self, path: str, at_once: int) -> None:
        group = self._arrays.node(path, wait=True)
        if not isinstance(group, Group):
            return
        ahead = max(_LEAST_NODES, group.hierarchy.store.requests_in_flight // at_once)
        failure: StoreError | None = None
        with self._arrays.fetching(path) as is_mine:
            for node in self._arrays.children(group, ahead) if is_mine else ():
                if isinstance(node, BrokenNode) and isinstance(node.error, StoreError):
                    # A program that looks at the node later must ask the store, which may have recovered.
                    self._arrays.forget_node(node.path)
                    failure = node.error
                    if not isinstance(failure, AccessDeniedError):
                        break
                self.nodes += 1
                if not self._may_go_on(2) or self._generation != self._arrays.freshness.generation:
                    return
        if failure is not None:
            raise failure
        with self._lock:
            self._queue(path)
            self._employ()
