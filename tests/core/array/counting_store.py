"""A store that counts, waits, and fails on demand, and the elements that tests read from it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from zarrcore.errors import (
    StoreTimeoutError,
)
from zarrcore.stores import ByteRange, LocalStore

DATA = np.random.default_rng(7).integers(0, 60_000, (30, 40, 50)).astype("u2")


class CountingStore(LocalStore):
    """A local store that counts, waits, and fails on demand.

    Attributes:
        holds: whether a request for this key waits until ``released`` is set.
    """

    def __init__(self, root: Path, remote: bool) -> None:
        super().__init__(root)
        self.is_remote = remote
        self.requests_in_flight = 8
        self.requests: list[tuple[str, ByteRange | None]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._guard = threading.Lock()
        self.delay_s = 0.0
        self.failing: set[str] = set()
        self.holds: Callable[[str], bool] = lambda _key: False
        self.released = threading.Event()

    def _read(self, key: str, read: Any, byte_range: ByteRange | None, limit: Any) -> Any:
        with self._guard:
            self.requests.append((key, byte_range))
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if self.delay_s:
                time.sleep(self.delay_s)
            if self.holds(key):
                assert self.released.wait(60), f"{key} was never released"
            if key in self.failing:
                raise StoreTimeoutError("no answer", key=key, url=self.url)
            return super()._read(key, read, byte_range, limit)
        finally:
            with self._guard:
                self._at_once -= 1

    def chunk_requests(self) -> list[str]:
        return [key for key, _ in self.requests if "/c/" in key]

    def hold_chunks(self) -> None:
        """Let all requests for chunks wait until ``released`` is set."""
        self.holds = lambda key: "/c/" in key
