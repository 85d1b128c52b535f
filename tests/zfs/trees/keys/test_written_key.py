"""The value of a key, open for writing."""

from __future__ import annotations

from zarrcore.stores import MemoryStore
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
