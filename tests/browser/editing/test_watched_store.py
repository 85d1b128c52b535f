"""A store that counts and stops only while a change is watched."""

from __future__ import annotations

import pytest

from tests.browser.editing.places import FullStore
from zarrbrowser.editing.progress import Progress, StoppedError
from zarrbrowser.editing.watched_store import WatchedStore
from zarrcore.stores import MemoryStore


def filled() -> WatchedStore:
    store = WatchedStore(MemoryStore())
    for number in range(2500):
        store.set(f"a/{number}", b"1")
    return store


def test_keys_are_counted_while_it_is_watched() -> None:
    store, told = filled(), []
    progress = Progress(told.append)
    progress.start(2)
    with store.watching(copying=progress):
        store.set("b", b"1")
        store.erase("b")
    store.set("c", b"1")
    assert progress.done == 2
    assert told == [0.5, 1.0]


def test_a_prefix_is_erased_in_batches_that_can_be_stopped() -> None:
    store = filled()
    progress = Progress(is_stopped=lambda: progress.done >= 1000)
    with pytest.raises(StoppedError), store.watching(erasing=progress):
        store.erase_prefix("a/")
    assert progress.done == 1000
    assert len([*store.list_prefix("a/")]) == 1500
    store.erase_prefix("a/")
    assert not [*store.list_prefix("")]


def test_a_stop_before_a_key_sets_nothing() -> None:
    store = filled()
    with pytest.raises(StoppedError), store.watching(copying=Progress(is_stopped=lambda: True)):
        store.set("b", b"1")
    assert store.get("b") is None


def test_nothing_stops_once_originals_are_erased() -> None:
    store = filled()
    with store.watching(copying=Progress(is_stopped=lambda: True)):
        store.erase_values(["a/1"])
        store.set("b", b"1")
    assert store.get("b") == b"1"


def test_a_key_that_failed_is_not_counted() -> None:
    inner = FullStore(room=0)
    store, progress = WatchedStore(inner), Progress()
    with pytest.raises(OSError, match="no space"), store.watching(copying=progress):
        store.set("b", b"1")
    assert progress.done == 0
