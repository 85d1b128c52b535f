"""Where the bytes of values are; references to them are in the tests of their writer."""

from __future__ import annotations

from pathlib import Path

from zarrcore.operations.reference import part_of
from zarrcore.stores import MemoryStore, ReadableStore
from zarrcore.stores.virtual.store import Part, VirtualStore


def test_places_of_values(records: ReadableStore, tmp_path: Path) -> None:
    assert isinstance(records, VirtualStore)
    assert part_of(records, "x/c/1") == Part(records.source, "records.bin", 48, 40)
    assert part_of(records, "x/c/3") is None
    assert isinstance(part_of(records, "x/c/5"), bytes)
    store = MemoryStore("store", {"a": b"1"})
    assert part_of(store, "a") == Part(store, "a", 0, None)
    assert part_of(store, "a", 1) == b"1"
