"""Fixtures: a cache of a distant store, and its clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.stores.cache.distant import Clock, Distant
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.store import CacheStore


@pytest.fixture
def beneath() -> Distant:
    return Distant("", {"a": bytes(range(100)), "b/c": b"123"})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cached(beneath: Distant, tmp_path: Path, clock: Clock) -> CacheStore:
    return CacheStore(beneath, CacheDirectory(tmp_path, 1 << 30), 60.0, clock)
