"""MemoryStore."""

from __future__ import annotations

import pickle

import pytest

from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from zarrcore.stores import MemoryStore, open_store


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(values=VALUES)


@pytest.fixture
def empty() -> MemoryStore:
    return MemoryStore()


class TestMemoryStore(StoreTests, WritableStoreTests):
    path_like = False


def test_stores_of_the_same_name_share_their_values() -> None:
    first = open_store("memory://shared-by-name")
    assert isinstance(first, MemoryStore)
    first.set("a", b"1")
    assert open_store("memory://shared-by-name").get("a") == b"1"
    assert open_store("memory://another-name").get("a") is None
    assert MemoryStore().get("a") is None


def test_a_pickled_store_joins_the_store_of_its_name() -> None:
    first = MemoryStore("pickled", {"a": b"1"})
    second = pickle.loads(pickle.dumps(first))
    second.set("b", b"2")
    assert first.get("b") == b"2"


def test_keys_may_have_empty_segments() -> None:
    store = MemoryStore(values={"data/root//c0": b"1", "data/x": b"2"})
    assert store.get("data/root//c0") == b"1"
    assert [entry.key for entry in store.list_dir("data/root/")] == ["data/root//"]
    assert [entry.key for entry in store.list_dir("data/root//")] == ["data/root//c0"]
