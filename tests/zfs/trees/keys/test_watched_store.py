"""A store that reports each change made through it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.zfs.trees.entries import Remote
from zarrcore.errors import ReadOnlyError
from zarrcore.stores import LocalStore, Renaming
from zarrfs.trees.keys.watched_store import WatchedStore

CHANGES: dict[str, tuple[Callable[[WatchedStore], object], list[str]]] = {
    "set": (lambda store: store.set("new", b"1"), ["new"]),
    "set_attested": (lambda store: store.set_attested("new", b"1"), ["new"]),
    "set_file": (lambda store: set_empty_file(store, "new"), ["new"]),
    "rename": (lambda store: store.rename("a", "b"), ["a", "b"]),
    "link": (lambda store: store.link("a", "b"), ["b"]),
    "set_partial_values": (
        lambda store: store.set_partial_values(iter([("a", 0, b"x"), ("é/b", 1, b"y")])),
        ["a", "é/b"],
    ),
    "erase": (lambda store: store.erase("a"), ["a"]),
    "erase_values": (lambda store: store.erase_values(iter(["a", "missing"])), ["a", "missing"]),
    "erase_prefix": (lambda store: store.erase_prefix("é/"), ["é/"]),
}


def set_empty_file(store: WatchedStore, key: str) -> bool:
    descriptor = os.memfd_create("empty")
    try:
        return store.set_file(key, descriptor)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("what", CHANGES)
def test_each_change_is_done_before_it_is_reported_with_its_keys(what: str, tmp_path: Path) -> None:
    stored, reported = LocalStore(tmp_path), []
    stored.set("a", b"value")
    stored.set("é/b", b"value")

    def keys() -> dict[str, bytes]:
        return {entry.key: bytes(stored.get(entry.key) or b"") for entry in stored.list()}

    before = keys()
    store = WatchedStore(stored, lambda key: reported.append((key, keys())))
    change, expected = CHANGES[what]
    change(store)
    assert [key for key, _ in reported] == expected
    assert all(seen == keys() != before for _, seen in reported)


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_that_fails_is_reported_too(what: str) -> None:
    reported: list[str] = []
    store = WatchedStore(Remote({"a": b"1"}), reported.append)
    change, expected = CHANGES[what]
    with pytest.raises(ReadOnlyError):
        change(store)
    assert reported == expected


def test_reading_and_refusals_to_replace_are_passed_on(tmp_path: Path) -> None:
    stored = LocalStore(tmp_path)
    stored.set("a", b"old")
    stored.set("b", b"other")
    store = WatchedStore(stored, lambda _: None)
    assert (store.get("a"), store.set("a", b"new", if_absent=True)) == (b"old", False)
    assert store.rename("a", "b", if_absent=True) is Renaming.KEY_TAKEN
    assert store.link("missing", "c") is Renaming.NOT_POSSIBLE
