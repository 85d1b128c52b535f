"""Writing parts of values to stores that can only store whole values."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from zarrcore.errors import StoreError
from zarrcore.stores import MemoryStore
from zarrcore.stores.partial_writes import patch_values


def test_all_parts_of_a_value_are_set_together() -> None:
    store = MemoryStore(values={"a": b"abcd", "b": b"xy"})
    patch_values(store, [("a", 1, b"X"), ("b", 0, b"Z"), ("a", 3, b"YY")])
    assert (store.get("a"), store.get("b")) == (b"aXcYY", b"Zy")


def test_a_part_of_an_absent_value_is_preceded_by_zeros() -> None:
    store = MemoryStore(values={})
    patch_values(store, [("a", 2, b"x")])
    assert store.get("a") == b"\0\0x"


def test_a_part_at_a_negative_position_changes_nothing() -> None:
    store = MemoryStore(values={"a": b"abcd"})
    with pytest.raises(StoreError, match="cannot begin at byte -1"):
        patch_values(store, [("a", 0, b"X"), ("a", -1, b"Y")])
    assert store.get("a") == b"abcd"


def test_threads_do_not_lose_parts_of_each_other() -> None:
    store = MemoryStore(values={"a": bytes(64)})
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda at: patch_values(store, [("a", at, b"x")]), range(64)))
    assert store.get("a") == b"x" * 64
