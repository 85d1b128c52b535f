"""Reading the value of a key, always of one version."""

from __future__ import annotations

import pytest

from tests.zfs.trees.entries import Remote, fresh, walk
from zarrcore.errors import ChangedError
from zarrcore.stores import MemoryStore
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.keys.tree import KeysTree


def test_parts_of_a_value_all_belong_to_one_version() -> None:
    store = Remote({"k": bytes(3 << 20)})
    opened = walk(KeysTree(store, fresh()).root(), "k").open(True)
    assert opened.read(5, 10, True) == bytes(10)
    store.values["k"] = b"\1" * (3 << 20)
    with pytest.raises(ChangedError):
        opened.read(100, 10, True)


def test_a_small_remote_value_is_fetched_once() -> None:
    store = Remote({"k": b"0123456789"})
    opened = walk(KeysTree(store, fresh()).root(), "k").open(False)
    with pytest.raises(WouldBlockError):
        opened.read(2, 3, False)
    assert opened.read(2, 3, True) == b"234"
    store.asked.clear()
    assert opened.read(5, 99, False) == b"56789"
    assert store.asked == []


def test_a_value_that_vanished_is_stale() -> None:
    store = MemoryStore(values={"k": b"0123456789"})
    entry = walk(KeysTree(store, fresh()).root(), "k")
    opened = entry.open(True)
    store.erase("k")
    with pytest.raises(ChangedError):
        opened.read(0, 5, True)
    with pytest.raises(ChangedError):
        entry.open(True)
