"""``--metadata-prefetch``: metadata of a remote hierarchy, fetched in the background when the mount is ready.

A walk asks the same tree as look-ups and listings, so what it learns answers them. Nodes near the root come first, since
programs use them first. The walk sends few requests at once, so that readers find free threads. It ends where more of it
would do harm: at the limit of what the tree remembers, after a refresh, and at a failure of the store.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from threading import Event
from typing import Any, Final

from zarrcore.errors import AccessDeniedError, StoreError, ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group
from zarrfs.trees.arrays.tree import ArraysTree

_log = logging.getLogger(__name__)

_PART: Final = 4
"""The walk uses at most one of this many requests that the store takes at once."""


class State(StrEnum):
    """How far a walk is, for ``stats.json``."""

    OFF = "off"
    RUNNING = "running"
    FINISHED = "finished"
    FULL = "full"
    """The tree remembers no more nodes without forgetting others."""
    STOPPED = "stopped"
    """A refresh or a write dropped what was remembered, or the mount has ended."""
    FAILED = "failed"
    """The store failed, or it cannot be listed."""


class _EndError(Exception):
    """The walk ends before all nodes are known."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.state = state


class MetadataPrefetch:
    """One walk over the nodes of a tree.

    Args:
        arrays: finds the nodes, and remembers them for all trees.

    Attributes:
        state: how far the walk is.
        nodes: how many nodes it has fetched.
        failed: how many nodes or listings the store refused.
    """

    def __init__(self, arrays: ArraysTree) -> None:
        self._arrays = arrays
        self._generation = arrays.freshness.generation
        self._has_stopped = Event()
        self.state = State.OFF
        self.nodes = 0
        self.failed = 0

    def stats(self) -> dict[str, Any]:
        """The state and the counts, as JSON."""
        return {"state": self.state.value, "nodes": self.nodes, "failed": self.failed}

    def stop(self) -> None:
        """End the walk; a request that is in flight is not awaited here."""
        self._has_stopped.set()

    def walk(self) -> None:
        """Fetch all nodes. No error is raised: programs that need the same metadata get it themselves."""
        self._generation = self._arrays.freshness.generation
        self.state = State.RUNNING
        try:
            self._walk()
        except _EndError as end:
            self.state = end.state
        except Exception as error:  # noqa: BLE001 - it must not end the mount, which works without prefetching
            self._log_failure("metadata", error)
            self.state = State.FAILED
        else:
            self.state = State.FINISHED

    def _walk(self) -> None:
        # Groups are looked up again by path when it is their turn, as a program would do: a look-up knows what is stale.
        groups = deque(["/"])
        while groups:
            path = groups.popleft()
            with self._failing(path):
                groups.extend(self._learn_children(path))

    def _learn_children(self, path: str) -> list[str]:
        """Fetch what a listing of the group at a path shows; returns the paths of the groups in it."""
        self._check(0)
        group = self._arrays.node(path, wait=True)
        if path == "/":
            self.nodes += 1
        groups: list[str] = []
        if isinstance(group, Group):
            ahead = max(1, group.hierarchy.store.requests_in_flight // _PART)
            for count, node in enumerate(self._arrays.children(group, ahead), start=1):
                self._learn(node)
                if isinstance(node, Group):
                    groups.append(node.path)
                self._check(count)
        return groups

    def _learn(self, node: AnyNode) -> None:
        with self._failing(node.path):
            if isinstance(node, BrokenNode) and isinstance(node.error, StoreError):
                # A program that looks at the node later must ask the store, which may have recovered.
                self._arrays.forget_node(node.path)
                raise node.error
            if isinstance(node, ArrayNode):
                # Old arrays do not state the encoding, and the store is asked. The size of metadata.json needs it.
                _ = node.chunk_key_encoding
            self.nodes += 1

    def _check(self, count: int) -> None:
        """Check that the walk may continue in a listing of which ``count`` nodes are known.

        Raises:
            _EndError: it must end.
        """
        if self._has_stopped.is_set() or self._generation != self._arrays.freshness.generation:
            raise _EndError(State.STOPPED)
        if not self._arrays.has_room(count + 1):
            raise _EndError(State.FULL)

    @contextmanager
    def _failing(self, path: str) -> Iterator[None]:
        """Skip what the store refuses.

        Raises:
            _EndError: the store fails, and so might all further requests, each after several attempts.
        """
        try:
            yield
        except ZarrError as error:
            self._log_failure(path, error)
            self.failed += 1
            if not isinstance(error, AccessDeniedError):
                raise _EndError(State.FAILED) from error

    def _log_failure(self, what: str, error: Exception) -> None:
        """Log the first failure; a store that refuses one node may refuse thousands."""
        if self.failed == 0 and not self._has_stopped.is_set():
            known = isinstance(error, ZarrError)
            _log.info("%s cannot be fetched in advance: %s", what, error, exc_info=None if known else error)
