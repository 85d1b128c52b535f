"""Neighbouring parts of one value, requested by several threads at once, as one request.

The first request is sent at once. Those that come while another one is on its way wait a moment for more of them; then parts
that are near each other are fetched together, each group by one of the threads that want it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from zarrcore.errors import StoreError
from zarrcore.stores.cache.store import CacheStore
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore, StoreStat
from zarrcore.stores.wrapper.interface import WrapperStore
from zarrcore.threads import wait_for

MAX_GAP_NBYTES: Final = 64 << 10
"""Bytes between two parts that are fetched along with them: fewer than a request costs."""
MAX_TOGETHER_NBYTES: Final = 2 << 20
"""The longest request for several parts: longer ones are faster in parallel."""
_QUIET_S: Final = 0.001
_LONGEST_S: Final = 0.005

Answer = tuple[BytesLike, StoreStat] | None


@dataclass(slots=True, eq=False)
class _Group:
    """Parts that are fetched together."""

    start: int
    stop: int
    members: int = 0
    answer: Answer = None
    done: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True, eq=False)
class _Wanted:
    """A part that a thread waits for."""

    start: int
    stop: int
    group: _Group | None = None
    is_owner: bool = False


@dataclass(slots=True, eq=False)
class _Round:
    """Parts of one value that are collected."""

    wanted: list[_Wanted] = field(default_factory=list)
    planned: threading.Event = field(default_factory=threading.Event)


class CombinedReads(WrapperStore):
    """A store that fetches neighbouring parts of a value together. Closing it closes the store.

    Args:
        store: where the values are.

    >>> from zarrcore.stores.memory import MemoryStore
    >>> bytes(CombinedReads(MemoryStore(values={"a": b"0123456789"})).get("a", ByteRange(2, 5)))
    b'234'
    """

    def __init__(self, store: ReadableStore) -> None:
        super().__init__(store)
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._rounds: dict[str, _Round] = {}
        self._active: dict[str, int] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.store,)

    def origin(self, key: str) -> tuple[ReadableStore, str]:
        return self.store.origin(key)

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        answer = self._combined(key, byte_range, max_nbytes)
        return self.store.get(key, byte_range, max_nbytes=max_nbytes) if answer is None else answer[0]

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        answer = self._combined(key, byte_range, max_nbytes)
        return self.store.get_with_stat(key, byte_range, max_nbytes=max_nbytes) if answer is None else answer

    def _combined(self, key: str, byte_range: ByteRange | None, max_nbytes: int | None) -> Answer:
        """The part, if it was fetched; None if the caller has to ask the store, whose answer or error is the right one."""
        if byte_range is None or byte_range.start < 0 or byte_range.stop is None:
            return None
        start, stop = byte_range.start, byte_range.stop
        nbytes = stop - start
        if nbytes <= 0 or nbytes > MAX_TOGETHER_NBYTES or (max_nbytes is not None and nbytes > max_nbytes):
            return None
        wanted = _Wanted(start, stop)
        with self._lock:
            if not self._active.get(key):
                self._active[key] = 1
                collected = None
            else:
                collected = self._rounds.get(key)
                leads = collected is None
                if collected is None:
                    collected = self._rounds[key] = _Round()
                collected.wanted.append(wanted)
                self._active[key] += 1
        try:
            if collected is None:
                return self._fetched(key, start, stop)
            if leads:
                self._collect(key, collected)
            wait_for(collected.planned)
            return self._answer(key, wanted)
        finally:
            with self._lock:
                self._active[key] -= 1
                if not self._active[key]:
                    del self._active[key]

    def _collect(self, key: str, collected: _Round) -> None:
        """Wait until no more parts come, and plan the requests."""
        try:
            ends_s, before = time.monotonic() + _LONGEST_S, 0
            while before != len(collected.wanted) and time.monotonic() < ends_s:
                before = len(collected.wanted)
                time.sleep(_QUIET_S)
        finally:
            with self._lock:
                del self._rounds[key]
            plan(collected.wanted)
            collected.planned.set()

    def _answer(self, key: str, wanted: _Wanted) -> Answer:
        group = wanted.group
        if group is None:
            return None
        if wanted.is_owner:
            try:
                group.answer = self._fetched(key, group.start, group.stop)
            except StoreError:
                if group.members == 1:
                    raise  # otherwise each thread asks for its own part, so that only those fail that must
            finally:
                group.done.set()
        wait_for(group.done)
        if group.answer is None:
            return None
        value, facts = group.answer
        part = value[wanted.start - group.start : wanted.stop - group.start]
        return (part, facts) if len(part) == wanted.stop - wanted.start else None

    def _fetched(self, key: str, start: int, stop: int) -> Answer:
        answer = self.store.get_with_stat(key, ByteRange(start, stop), max_nbytes=stop - start)
        return None if answer is None else (memoryview(answer[0]), answer[1])


def combining(store: ReadableStore) -> ReadableStore:
    """The store with combined reads, below its cache, which keeps parts by their exact range."""
    if isinstance(store, CacheStore):
        return CacheStore(CombinedReads(store.store), store.entries, store.max_age_s)
    return CombinedReads(store)


def plan(wanted: list[_Wanted], new_group: Callable[[int, int], _Group] = _Group) -> None:
    """Put parts that are near each other into groups; the first of each group fetches it."""
    group = None
    for each in sorted(wanted, key=lambda part: part.start):
        if (
            group is None
            or each.start > group.stop + MAX_GAP_NBYTES
            or max(group.stop, each.stop) - group.start > MAX_TOGETHER_NBYTES
        ):
            group = new_group(each.start, each.stop)
            each.is_owner = True
        group.stop = max(group.stop, each.stop)
        group.members += 1
        each.group = group
