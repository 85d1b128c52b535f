"""The latest requests to a store, one by one, for those who look at them."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

MOST: Final = 10_000
"""Requests that a log keeps at most."""


class _Reached(threading.local):
    """Counts the requests of this thread that a cache passed on to its store."""

    count = 0


REACHED: Final = _Reached()


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request to a store. Repeats after failures that pass are part of it."""

    ended_s: float
    """When it ended, in seconds since the epoch."""
    operation: str
    """``get``, ``stat``, ``list``, ``set`` or ``erase``."""
    key: str
    """The key or prefix; the first one of a request for several keys."""
    keys: int
    """The number of keys."""
    bytes: int
    """Bytes of values that were read or written."""
    seconds: float
    """How long it took."""
    error: str
    """Why it failed; empty if it did not."""
    is_absent: bool
    """Whether the store does not have the key."""
    is_kept: bool
    """Whether a cache on this machine, or another thread's request, had the answer."""


class RequestLog:
    """Requests that are not taken yet, the latest `MOST` of them. Thread-safe."""

    def __init__(self) -> None:
        self._records: deque[RequestRecord] = deque(maxlen=MOST)

    def add(self, record: RequestRecord) -> None:
        """Add a request that has ended."""
        self._records.append(record)

    def take(self) -> list[RequestRecord]:
        """The requests since the last call, the oldest first."""
        taken: list[RequestRecord] = []
        with suppress(IndexError):
            while len(taken) < MOST:
                taken.append(self._records.popleft())
        return taken
