"""Walking: nodes in depth-first order, with their children, fetched ahead if the store is remote.

Over a network, every document and every listing costs a round trip, and a walk that requested them one by one would take a
round trip for each node. A survey therefore requests the next ones on the store's threads, in the order of the walk,
and stops when it is far enough ahead. The result does not change: nodes come in the order of the walk, and an
error comes with the node that it belongs to.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from heapq import heappop, heappush
from itertools import count
from typing import Protocol

from zarrcore.array.pools import executor_for
from zarrcore.errors import StoreError, ZarrError
from zarrcore.hierarchy.nodes import AnyNode, BrokenNode, Group
from zarrcore.stores.interface import Store
from zarrcore.threads import LOOK_S, result_of

# Nodes fetched ahead for each request in flight: this bounds memory and keeps threads busy.
_AHEAD = 16

_Place = tuple[int, ...]
"""A place in a walk: the positions of a node and its ancestors among their siblings."""


class Tree(Protocol):
    """The interface that a walk needs: names below a node, and the nodes with these names."""

    def child_names(self, path: str) -> Iterator[str]: ...
    def child(self, path: str) -> AnyNode | None: ...
    def broken(self, path: str, error: ZarrError) -> BrokenNode: ...


class Branch:
    """A node, and the branches below it, which may be iterated over once.

    Iterating over a walk's first branch raises `ListingUnsupportedError`, and other errors of the store, if its children
    cannot be listed. Further below, a `BrokenNode` with the group's own path takes the place of children that cannot be listed.
    """

    __slots__ = ("_below", "node")

    def __init__(self, node: AnyNode, below: Iterator[Branch]) -> None:
        self.node = node
        self._below = below

    def __iter__(self) -> Iterator[Branch]:
        return self._below


def grow(tree: Tree, node: AnyNode, depth: int | None) -> Branch:
    """The branch of a node, fetched on demand."""

    def below() -> Iterator[Branch]:
        if isinstance(node, Group) and depth != 0:
            base = node.path.rstrip("/")
            for name in tree.child_names(node.path):
                if (child := tree.child(f"{base}/{name}")) is not None:
                    branch = grow(tree, child, None if depth is None else depth - 1)
                    yield Branch(child, _with_failure(tree, child, branch))

    return Branch(node, below())


def _with_failure(tree: Tree, node: AnyNode, below: Iterable[Branch]) -> Iterator[Branch]:
    """The branches below a node, and a broken node for those that the store cannot list."""
    try:
        yield from below
    except StoreError as error:
        yield Branch(tree.broken(node.path, error), iter(()))


class _Seat:
    """A name that may be a node, with its place in the walk before its documents arrive."""

    __slots__ = ("below", "found", "path", "place")

    def __init__(self, path: str, place: _Place) -> None:
        self.path = path
        self.place = place
        self.found: Future[AnyNode | None] = Future()
        self.below: _Level | None = None


class _Level:
    """The children of one group.

    Attributes:
        is_paused: whether listing waits for a call to continue.
        has_ended: whether all names are known.
        error: why further names are unknown.
    """

    def __init__(self, base: str, place: _Place, names: Iterator[str]) -> None:
        self.base = base
        self.place = place
        self.names = names
        self.seats: deque[_Seat] = deque()
        self.told = 0
        self.is_paused = True
        self.has_ended = False
        self.error: ZarrError | None = None


class Survey:
    """One walk of a remote store.

    Args:
        tree: the nodes.
        store: the store whose threads are used.
        depth: levels below the top; None for all.
        ahead: how many nodes to fetch ahead at most, and thus how many at once; None for as many as keep all threads busy.
    """

    def __init__(self, tree: Tree, store: Store, depth: int | None, ahead: int | None = None) -> None:
        self._tree = tree
        self._depth = depth
        self._executor, width = executor_for(store)
        self._limit = width * _AHEAD if ahead is None else ahead
        self._ahead = 0
        self._work: list[tuple[_Place, int, Callable[[], None]]] = []
        self._paused: list[tuple[_Place, int, _Level]] = []
        self._numbers = count()
        self._changed = threading.Condition()
        self._has_stopped = False

    def branch(self, top: AnyNode) -> Branch:
        """The branch of the walk's first node."""
        return Branch(top, self._below(self._level(top, ())))

    def stop(self) -> None:
        """Stop requesting; requests in flight are not awaited."""
        with self._changed:
            self._has_stopped = True
            self._work.clear()

    def _level(self, node: AnyNode | None, place: _Place) -> _Level | None:
        if not isinstance(node, Group) or len(place) == self._depth:
            return None
        level = _Level(node.path.rstrip("/"), place, self._tree.child_names(node.path))
        with self._changed:
            self._pause(level)
            self._resume()
        return level

    def _below(self, level: _Level | None) -> Iterator[Branch]:
        while level is not None and (seat := self._next_seat(level)) is not None:
            node = result_of(seat.found)
            if node is not None:
                yield Branch(node, _with_failure(self._tree, node, self._below(seat.below)))

    def _next_seat(self, level: _Level) -> _Seat | None:
        """Wait for the next seat in the walk; None after the last.

        Raises:
            ZarrError: the children cannot be listed.
        """
        with self._changed:
            while not level.seats:
                if level.error is not None:
                    raise level.error.with_traceback(None)
                if level.has_ended:
                    return None
                if level.is_paused:  # the caller waits for it, so it is no longer too far ahead
                    self._list_on(level)
                self._changed.wait(LOOK_S)
            self._ahead -= 1
            self._resume()
            return level.seats.popleft()

    def _pause(self, level: _Level) -> None:
        level.is_paused = True
        heappush(self._paused, ((*level.place, level.told), next(self._numbers), level))

    def _resume(self) -> None:
        """Continue listing in the order of the walk, unless that is too far ahead."""
        while self._paused and self._ahead <= self._limit // 2 and not self._has_stopped:
            level = heappop(self._paused)[-1]
            if level.is_paused:
                self._list_on(level)

    def _list_on(self, level: _Level) -> None:
        level.is_paused = False
        self._do((*level.place, level.told), lambda: self._list(level))

    def _do(self, place: _Place, work: Callable[[], None]) -> None:
        """Run a call on a thread of the store, after all waiting calls that come earlier in the walk."""
        heappush(self._work, (place, next(self._numbers), work))
        try:
            self._executor.submit(self._work_once)
        except RuntimeError:  # no thread is available: at interpreter exit, or if the system has none left
            self._work_once()

    def _work_once(self) -> None:
        with self._changed:
            if not self._work:
                return
            work = heappop(self._work)[-1]
        work()

    def _list(self, level: _Level) -> None:
        """Make seats for the next names below a group."""
        error: ZarrError | None = None
        try:
            for name in level.names:
                with self._changed:
                    self._seat(level, name)
                    if self._ahead >= self._limit or self._has_stopped:
                        self._pause(level)
                        self._resume()
                        return
        except ZarrError as caught:
            error = caught
        with self._changed:
            level.error = error
            level.has_ended = True
            self._resume()
            self._changed.notify_all()

    def _seat(self, level: _Level, name: str) -> None:
        seat = _Seat(f"{level.base}/{name}", (*level.place, level.told))
        level.told += 1
        level.seats.append(seat)
        self._ahead += 1
        self._do(seat.place, lambda: self._fetch(seat))
        self._changed.notify_all()

    def _fetch(self, seat: _Seat) -> None:
        try:
            node = self._tree.child(seat.path)
            seat.below = self._level(node, seat.place)
            seat.found.set_result(node)
        except BaseException as error:  # noqa: BLE001 - it is raised where the node was asked for
            seat.found.set_exception(error)
