"""ReadOnlyStore, and the errors of stores that cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.stores.contract import VALUES, ReadOnlyStoreTests, StoreTests
from zarrcore.errors import ReadOnlyError
from zarrcore.stores import (
    LocalStore,
    MemoryStore,
    PrefixStore,
    ReadOnlyStore,
    StatisticsStore,
)


class TestReadOnlyStore(StoreTests, ReadOnlyStoreTests):
    @pytest.fixture
    def store(self, values_directory: Path) -> ReadOnlyStore:
        return ReadOnlyStore(LocalStore(values_directory))


class TestPrefixOfAReadOnlyStore(StoreTests, ReadOnlyStoreTests):
    path_like = False

    @pytest.fixture
    def store(self) -> PrefixStore:
        inner = MemoryStore("read-only", {f"p/{key}": value for key, value in VALUES.items()})
        return PrefixStore(ReadOnlyStore(inner), "p/")


def test_a_value_and_its_facts_cost_one_request() -> None:
    counted = StatisticsStore(MemoryStore(values={"a": b"123"}))
    found = ReadOnlyStore(counted).get_with_stat("a")
    assert found is not None
    assert (bytes(found[0]), found[1].size) == (b"123", 3)
    asked = counted.statistics()
    assert (asked["get"].requests, asked["stat"].requests) == (1, 0)


def test_a_read_only_store_has_the_identity_of_its_store() -> None:
    inner = MemoryStore(values={"a": b"123"})
    store = ReadOnlyStore(inner, "its medium is sealed")
    assert store.identity == inner.identity
    assert store.requests_in_flight == inner.requests_in_flight
    assert not inner.read_only
    with pytest.raises(ReadOnlyError, match=r"^a in memory:// cannot be written: its medium is sealed$"):
        store.set("a", b"")
