"""The value of a key, open for writing."""

from __future__ import annotations

import errno

import pytest

from tests.zfs.trees.entries import Remote
from tests.zfs.trees.keys.writable import writer_of
from zarrcore.errors import ChangedError
from zarrcore.stores import MemoryStore
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.keys.watched_store import WatchedStore
from zarrfs.trees.keys.writer import KeyWriter
from zarrfs.trees.writing.spool import SpoolMemory


def test_writing_to_an_open_file_whose_name_was_removed_begins_with_its_value() -> None:
    store = MemoryStore(values={"a": b"value"})
    writer = KeyWriter(WatchedStore(store, lambda _: None), SpoolMemory(1 << 20))
    written = writer.reopen("a", False, True)
    writer.erase("a")
    store.set("a", b"another")
    written.write(0, b"V", True)
    assert written.read(0, 9, True) == b"Value"
    assert not written.holds_changes
    written.close()
    assert store.get("a") == b"another"


def test_a_value_is_fetched_when_its_first_byte_changes() -> None:
    store = Remote({"a": b"value"})
    written = writer_of(store).reopen("a", False, True)
    assert (written.size, written.holds_changes, bytes(written.read(0, 9, True))) == (5, False, b"value")
    with pytest.raises(WouldBlockError):
        written.write(0, b"V", False)
    assert not written.holds_changes
    written.write(0, b"V", True)
    assert (written.holds_changes, bytes(written.read(0, 9, False))) == (True, b"Value")
    store.asked.clear()
    written.write(7, b"!", False)
    assert (bytes(written.read(0, 9, False)), store.asked) == (b"Value\0\0!", [])
    written.close()


def test_truncating_to_nothing_fetches_nothing() -> None:
    store = Remote({"a": bytes(5)})
    written = writer_of(store).reopen("a", False, True)
    store.asked.clear()
    written.resize(5, False)
    assert not written.holds_changes
    written.resize(0, False)
    assert (written.size, written.holds_changes, store.asked) == (0, True, [])
    written.close()


def test_a_value_changed_in_place_does_not_replace_the_value_of_another_writer() -> None:
    store = MemoryStore(values={"a": b"value"})
    written = writer_of(store).reopen("a", False, True)
    written.write(0, b"V", True)
    written.store()
    written.write(4, b"E", True)
    written.store()
    assert store.get("a") == b"ValuE"
    written.write(0, b"v", True)
    store.set("a", b"by another mount")
    with pytest.raises(ChangedError, match="a in memory:// changed while it was written to in place"):
        written.store()
    assert (store.get("a"), written.holds_changes) == (b"by another mount", True)
    written.close()


def test_a_value_that_began_empty_replaces_any_value() -> None:
    store = MemoryStore(values={"a": b"value"})
    written = writer_of(store).reopen("a", True, True)
    store.set("a", b"by another mount")
    written.store()
    written.close()
    assert store.get("a") == b""


def test_a_value_without_changes_is_not_stored_again() -> None:
    store = MemoryStore()
    written = writer_of(store).create("a")
    written.write(0, b"value", True)
    written.store()
    known = store.stat("a")
    written.store()
    assert store.stat("a") == known
    written.close()


def test_a_file_being_written_is_read_only_after_it_is_stored() -> None:
    written = writer_of(MemoryStore()).create("a")
    written.write(0, b"value", True)
    assert (written.shown.size, written.shown.version) == (5, written.version)
    with pytest.raises(RefusedError, match="a is not stored yet") as caught:
        written.shown.open(True)
    assert caught.value.errno == errno.ENOENT
    written.store()
    opened = written.shown.open(True)
    assert (bytes(opened.read(0, 9, True)), opened.version, opened.caching.uses_pages) == (
        b"value",
        None,
        False,
    )
    written.writer.erase("a")
    with pytest.raises(RefusedError) as caught:
        written.shown.open(True)
    assert caught.value.errno == errno.ESTALE
    written.close()
