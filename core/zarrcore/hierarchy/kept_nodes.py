"""Nodes that were opened before, so that each path costs its requests once; and nodes that callers still hold."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

_KEPT_NODES = 10_000


class KeptNodes(Generic[T]):
    """The nodes used last, or other facts about their paths. Thread-safe.

    Args:
        max_age_s: nodes read longer ago are not returned; None returns them until they are forgotten.
    """

    def __init__(self, max_age_s: float | None) -> None:
        self.max_age_s = max_age_s
        self._nodes: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._forgotten_s = -math.inf
        self._lock = threading.Lock()

    def is_recent(self, read_s: float) -> bool:
        """Whether an answer requested at ``read_s`` of the monotonic clock may still be returned."""
        return self.max_age_s is None or time.monotonic() - read_s < self.max_age_s

    def get(self, path: str) -> T | None:
        """The node at ``path``, if it is kept and not too old."""
        with self._lock:
            kept = self._nodes.get(path)
            if kept is None or not self.is_recent(kept[0]):
                return None
            self._nodes.move_to_end(path)
            return kept[1]

    def keep(self, path: str, read_s: float, node: T) -> None:
        """Keep a node whose documents were requested at ``read_s`` of the monotonic clock, unless it has changed since."""
        with self._lock:
            if read_s < self._forgotten_s:
                return
            self._nodes[path] = (read_s, node)
            self._nodes.move_to_end(path)
            if len(self._nodes) > _KEPT_NODES:
                self._nodes.popitem(last=False)

    def forget(self, path: str) -> None:
        """Forget the node at ``path`` and all below it."""
        below = path.rstrip("/") + "/"
        with self._lock:
            self._forgotten_s = time.monotonic()
            for kept in [kept for kept in self._nodes if kept == path or kept.startswith(below)]:
                del self._nodes[kept]

    def clear(self) -> None:
        """Forget all nodes."""
        with self._lock:
            self._forgotten_s = time.monotonic()
            self._nodes.clear()


class HeldNodes(Generic[T]):
    """All nodes that are still in use, so that each shows a change that was made through another one. Thread-safe."""

    def __init__(self) -> None:
        self._nodes: WeakValueDictionary[tuple[str, int], T] = WeakValueDictionary()
        self._lock = threading.Lock()

    def add(self, path: str, node: T) -> None:
        """Add a node at ``path``."""
        with self._lock:
            self._nodes[path, id(node)] = node

    def at(self, path: str) -> list[T]:
        """The nodes at ``path``."""
        with self._lock:
            return [node for (held, _), node in self._nodes.items() if held == path]
