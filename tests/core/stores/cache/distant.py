"""A distant store that counts its requests, and a clock that tests advance."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

from zarrcore.errors import (
    StoreError,
)
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    MemoryStore,
    StoreStat,
)
from zarrcore.stores.cache.store import CacheStore


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.now_s = 1e9

    def __call__(self) -> float:
        return self.now_s


class Distant(MemoryStore):
    """Values with a stable identity, and counts of requests."""

    is_remote = True

    def __init__(self, name: str = "", values: dict[str, BytesLike] | None = None) -> None:
        self.asked: Counter[str] = Counter()
        self.failure: StoreError | None = None
        super().__init__(name, values)

    @property
    def identity(self) -> Any:
        return "distant", self.name

    def get(self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None) -> Any:
        self._count("get")
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def stat(self, key: str) -> StoreStat | None:
        self._count("stat")
        return super().stat(key)

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> Any:
        self._count("get_with_stat")
        value = MemoryStore.get(self, key, byte_range, max_nbytes=max_nbytes)
        stat = MemoryStore.stat(self, key)
        return None if value is None or stat is None else (value, stat)

    def _count(self, what: str) -> None:
        self.asked[what] += 1
        if self.failure is not None:
            raise self.failure

    def counts(self) -> dict[str, int]:
        """The requests since the last call."""
        counted, self.asked = dict(self.asked), Counter()
        return counted


FETCHED, ASKED = {"get_with_stat": 1}, {"stat": 1}


def again(cached: CacheStore) -> CacheStore:
    """The view of another process: the same store and directory, and nothing in memory."""
    entries = pickle.loads(pickle.dumps(cached.entries))
    return CacheStore(cached.store, entries, cached.max_age_s, cached._clock)
