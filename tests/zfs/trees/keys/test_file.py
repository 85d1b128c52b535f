"""Reading the value of a key, always of one version."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.zfs.trees.entries import Remote, fresh, walk
from zarrcore.errors import ChangedError
from zarrcore.stores import LocalStore, MemoryStore, StoreStat
from zarrcore.stores.interface import ByteRange, BytesLike
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.keys.file import OpenKey, fetched, version_of
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.writing.spool import SpoolMemory


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


def test_bytes_past_the_end_of_a_value_do_not_exist(tmp_path: Path) -> None:
    local, memory = LocalStore(tmp_path), MemoryStore()
    for store in (local, memory):
        store.set("k", b"01234")
        opened = walk(KeysTree(store, fresh()).root(), "k").open(True)
        assert bytes(opened.read(3, 10, False)) == b"34"
        assert bytes(opened.read(5, 10, False)) == bytes(opened.read(99, 10, False)) == b""
        assert bytes(opened.read_into(3, memoryview(bytearray(10)))) == b"34"


def test_an_empty_value_is_read(tmp_path: Path) -> None:
    (tmp_path / "k").touch()
    opened = walk(KeysTree(LocalStore(tmp_path), fresh()).root(), "k").open(False)
    assert (opened.size, bytes(opened.read(0, 4096, False))) == (0, b"")


def test_a_local_value_replaced_by_one_of_the_same_size_is_stale(tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(b"01234")
    forgotten: list[str] = []
    store = LocalStore(tmp_path)
    stat = store.stat("k")
    assert stat is not None
    opened = OpenKey(store, "k", stat, forgotten.append)
    assert bytes(opened.read(0, 2, False)) == b"01"
    (tmp_path / "k").write_bytes(b"56789")
    os.utime(tmp_path / "k", (1, 1))
    for read in (
        lambda: opened.read(0, 2, False),
        lambda: opened.read_into(0, memoryview(bytearray(2))),
    ):
        with pytest.raises(ChangedError, match="changed while it was open"):
            read()
    assert forgotten == ["k", "k"]


def test_a_large_read_of_a_local_file_does_not_delay_other_requests(tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(bytes(3 << 20))
    opened = walk(KeysTree(LocalStore(tmp_path), fresh()).root(), "k").open(False)
    with pytest.raises(WouldBlockError):
        opened.read(0, 2 << 20, False)
    assert len(opened.read(0, 2 << 20, True)) == 2 << 20


def test_versions_differ_if_the_store_tells_values_apart() -> None:
    assert version_of(StoreStat(1, 5.0, "x")) == version_of(StoreStat(2, 6.0, "x"))
    known = {version_of(StoreStat(size, time)) for size in (1, 2) for time in (5.0, 6.0, None)}
    assert len(known) == 6


@pytest.mark.parametrize("size", [0, 1, (4 << 20) + 1])
def test_a_fetched_copy_is_the_whole_value(size: int) -> None:
    value = bytes(range(251)) * (size // 251 + 1)
    store = MemoryStore(values={"k": value[:size]})
    stat = store.stat("k")
    assert stat is not None
    spool = fetched(OpenKey(store, "k", stat, lambda _: None), SpoolMemory(1 << 20))
    assert (spool.size, spool.read(0, size + 1) == value[:size]) == (size, True)
    spool.close()


class Replaced(Remote):
    """A store whose value is replaced after each read."""

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        found = super().get_with_stat(key, byte_range, max_nbytes=max_nbytes)
        self.values[key] += b"more"
        return found


def test_the_memory_of_a_copy_that_could_not_be_fetched_is_released() -> None:
    store, memory = Replaced({"k": bytes(6 << 20)}), SpoolMemory(8 << 20)
    stat = store.stat("k")
    assert stat is not None
    with pytest.raises(ChangedError):
        fetched(OpenKey(store, "k", stat, lambda _: None), memory)
    assert memory.reserve(8 << 20)
