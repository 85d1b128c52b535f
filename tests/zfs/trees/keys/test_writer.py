"""Changing keys file by file: values open for writing, and names that are only in the mount."""

from __future__ import annotations

import errno
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S
from tests.zfs.trees.entries import Remote
from tests.zfs.trees.keys.writable import writer_of
from zarrcore.errors import ChangedError, StoreError
from zarrcore.stores import LocalStore, MemoryStore
from zarrcore.stores.interface import BytesLike, StoreStat
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.keys import unstored
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
        self.stored.wait(PATIENCE_S)
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
        assert store.storing.wait(PATIENCE_S)
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


def test_a_key_has_one_writer_and_the_next_one_is_led_to_it() -> None:
    writer = writer_of(MemoryStore(values={"a": b"old"}))
    assert (writer.found("a"), writer.is_writing("a"), writer.version_written("a")) == (None, False, None)
    written = writer.open("a", None)
    assert writer.is_writing("a")
    assert writer.version_written("a") == written.version
    assert writer.found("a") is None
    for again in (lambda: writer.open("a", None), lambda: writer.create("a")):
        with pytest.raises(RefusedError, match="a is being written") as caught:
            again()
        assert (caught.value.errno, caught.value.is_logged) == (errno.ESTALE, False)
    assert writer.found("a") == (written.shown,)
    written.close()
    assert writer.found("a") is None
    writer.open("a", None).close()


def test_a_new_key_is_found_until_its_last_writer_closes_it_without_storing() -> None:
    writer = writer_of(MemoryStore())
    written = writer.create("folder/new")
    writer.join(written)
    written.close()
    assert writer.found("folder/new") == (written.shown,)
    written.close()
    assert writer.found("folder/new") is None
    with pytest.raises(RefusedError):
        writer.join(written)


def test_names_only_in_the_mount_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unstored, "_MAX", 1)
    writer = writer_of(MemoryStore())
    writer.make_directory("a")
    for refused in (writer.make_directory, writer.create):
        with pytest.raises(RefusedError, match="too many") as caught:
            refused("b")
        assert caught.value.errno == errno.ENOSPC
    writer.remove_directory("a")
    writer.create("b").close()


def test_renaming_keeps_data_that_is_not_stored_yet() -> None:
    store = MemoryStore(values={"a": b"old", "b": b"other"})
    writer = writer_of(store)
    written = writer.open("a", None)
    written.write(0, b"new", True)
    with pytest.raises(RefusedError, match="b already exists"):
        writer.rename("a", "b", replace=False)
    writer.rename("a", "b", replace=True)
    assert (store.get("a"), store.get("b")) == (None, b"new")
    written.write(3, b"er", True)
    written.store()
    written.close()
    assert (store.get("a"), store.get("b")) == (None, b"newer")


def test_a_value_that_is_gone_does_not_open() -> None:
    writer = writer_of(MemoryStore())
    with pytest.raises(ChangedError, match="a in memory:// is gone"):
        writer.reopen("a", truncate=False, wait=True)
    with pytest.raises(WouldBlockError):
        writer_of(Remote({"a": b"1"})).stored_value("a", wait=False)


def test_the_directory_of_an_erased_key_stays_until_it_is_removed(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.set("folder/a", b"1")
    writer = writer_of(store)
    writer.erase("folder/a")
    assert writer.found("folder") == (None,)
    (tmp_path / "folder").mkdir(exist_ok=True)
    writer.remove_directory("folder")
    assert (writer.found("folder"), [*tmp_path.iterdir()]) == (None, [])
