"""Changing keys file by file: values open for writing, and names that are only in the mount."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from zarrcore.errors import StoreError
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import BytesLike, StoreStat
from zarrfs.trees.keys.watched_store import WatchedStore
from zarrfs.trees.keys.writer import KeyWriter
from zarrfs.trees.writing.spool import SpoolMemory


class Slow(MemoryStore):
    """A store that is slow to store, and may fail to answer."""

    def __init__(self) -> None:
        super().__init__()
        self.storing, self.stored = threading.Event(), threading.Event()
        self.fails, self.failing = False, "failing"

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        self.storing.set()
        self.stored.wait(20)
        done = super().set(key, value, if_absent=if_absent)
        self.fails = key == self.failing
        return done

    def stat(self, key: str) -> StoreStat | None:
        if self.fails:
            self.fails = False
            raise StoreError("no answer")
        return super().stat(key)


@pytest.mark.parametrize("new", ["b", "failing"])
def test_a_key_that_is_closed_while_it_is_renamed_can_be_written_again(new: str) -> None:
    store = Slow()
    writer = KeyWriter(WatchedStore(store, lambda _: None), SpoolMemory(1 << 20))
    store.stored.set()
    written = writer.create("a")
    written.write(0, b"value", True)
    written.store(closing=True)
    store.storing.clear()
    store.stored.clear()
    with ThreadPoolExecutor(1) as threads:
        renaming = threads.submit(writer.rename, "a", new, replace=True)
        assert store.storing.wait(20)
        written.close()
        store.stored.set()
        renaming.result()
    store.failing = ""
    again = writer.reopen(new, False, True)
    again.write(0, b"V", True)
    again.store(closing=True)
    again.close()
    assert store.get(new) == b"Value"
    assert store.get("a") is None
