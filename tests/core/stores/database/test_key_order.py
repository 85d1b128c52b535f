"""Listings of databases that keep their keys in order, page by page; facts that are known until a change."""

from __future__ import annotations

import pickle
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.errors import InvalidKeyError
from zarrcore.stores import ByteRange, BytesLike, StoreEntry, StoreStat
from zarrcore.stores.database import key_order
from zarrcore.stores.database.key_order import KeyOrderedStore, KnownStats


class Keys(KeyOrderedStore):
    """Keys without values; counts the pages that are requested."""

    url = "keys://"

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = sorted(set(keys))
        self.pages = 0

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return b"" if key in self.keys else None

    def _page(self, start: str, stop: str | None, limit: int, directly_under: str | None) -> list[StoreEntry]:
        self.pages += 1
        inside = [key for key in self.keys if start <= key and (stop is None or key < stop)]
        return [StoreEntry(key, 0) for key in inside[:limit]]


def listed(store: KeyOrderedStore, prefix: str) -> list[str]:
    return [entry.key for entry in store.list_prefix(prefix)]


def children(store: KeyOrderedStore, prefix: str) -> list[str]:
    return [entry.key for entry in store.list_dir(prefix)]


names = st.text("a/0é\U0001f600", min_size=1, max_size=6).filter(lambda name: name[-1] != "/")


@settings(max_examples=40)
@given(st.lists(names, max_size=20), st.sampled_from(["", "a/", "0/", "a/a/", "é/"]), st.integers(1, 3))
def test_pages_of_any_size_give_every_key_once_and_in_order(keys: list[str], prefix: str, page: int) -> None:
    store = Keys(keys)
    under = [key for key in store.keys if key.startswith(prefix)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_order, "_FIRST_PAGE", page)
        patch.setattr(key_order, "_LARGEST_PAGE", page + 1)
        assert listed(store, prefix) == under
        found = {
            prefix + key[len(prefix) :].partition("/")[0] + "/" * ("/" in key[len(prefix) :]) for key in under
        }
        assert sorted(children(store, prefix)) == sorted(found)


def test_the_keys_of_a_large_folder_are_skipped_when_its_parent_is_listed() -> None:
    store = Keys([f"a/{number:05}" for number in range(20_000)] + ["b", "c/1"])
    assert children(store, "") == ["a/", "b", "c/"]
    assert store.pages == 2


def test_names_that_are_not_keys_are_left_out() -> None:
    store = Keys(["", "a/", "a/x", "b/"])
    assert listed(store, "") == ["a/x"]
    assert children(store, "") == ["a/", "b/"]
    assert children(store, "a/") == ["a/x"]
    assert children(store, "b/") == []


def test_a_prefix_that_does_not_end_in_a_slash_is_refused() -> None:
    store = Keys(["a/x"])
    with pytest.raises(InvalidKeyError):
        listed(store, "a")
    with pytest.raises(InvalidKeyError):
        children(store, "a")


def test_facts_are_known_for_one_version_of_the_database() -> None:
    known, facts = KnownStats(), StoreStat(3, etag="x")
    assert known.put("a", 1, facts) is facts
    assert known.get("a", 1) is facts
    assert known.get("a", 2) is None
    assert known.get("b", 1) is None


def test_facts_without_a_version_are_not_remembered() -> None:
    known, facts = KnownStats(), StoreStat(3)
    assert known.put("a", None, facts) is facts
    assert known.get("a", None) is None
    known.put("a", 1, facts)
    assert known.get("a", None) is None


def test_only_some_facts_are_remembered_and_none_by_a_pickle() -> None:
    known = KnownStats()
    for number in range(5000):
        known.put(str(number), 1, StoreStat(number))
    assert known.get("4999", 1) == StoreStat(4999)
    assert sum(known.get(str(number), 1) is not None for number in range(5000)) < 1000
    assert pickle.loads(pickle.dumps(known)).get("4999", 1) is None
