"""Bytes being written, in memory and on disk."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import StoreFullError
from zarrcore.stores import MemoryStore
from zarrfs.trees.writing.spool import Spool, SpoolMemory


@given(
    operations=st.lists(
        st.tuples(
            st.sampled_from(["write", "cut", "read"]),
            st.integers(0, 300),
            st.binary(min_size=1, max_size=100),
        ),
        max_size=30,
    )
)
def test_spools_agree_in_memory_and_on_disk(
    operations: list[tuple[str, int, bytes]],
) -> None:
    spool, expected = Spool(SpoolMemory(150)), bytearray()
    for what, offset, content in operations:
        if what == "cut":
            spool.resize(offset)
        elif what == "write":
            spool.write(offset, content)
        size = (
            offset if what == "cut" else max(len(expected), (offset + len(content)) if what == "write" else 0)
        )
        del expected[size:]
        expected.extend(bytes(size - len(expected)))
        if what == "write":
            expected[offset : offset + len(content)] = content
        assert spool.size == len(expected)
        assert spool.read(offset, 50) == expected[offset : offset + 50]
        store = MemoryStore()
        spool.set_in(store, "key")
        assert store.get("key") == expected
    spool.close()


def test_values_share_the_memory() -> None:
    memory = SpoolMemory(100)
    first, second = Spool(memory), Spool(memory)
    first.write(0, bytes(60))
    second.write(0, bytes(60))  # which does not fit, and goes to disk
    first.resize(100)
    assert not memory.reserve(1)
    first.resize(10)
    assert memory.reserve(90)
    memory.release(90)
    first.close()
    second.close()
    assert memory.reserve(100)


def test_a_value_that_is_released_keeps_its_size() -> None:
    for memory in (0, 100):
        spool = Spool(SpoolMemory(memory))
        spool.write(3, b"x")
        assert spool.read(0, 9) == b"\0\0\0x"
        spool.close()
        assert spool.size == 4


@pytest.mark.parametrize("memory", [0, 100])
def test_a_value_is_stored_only_if_the_key_is_free(memory: int) -> None:
    store = MemoryStore(values={"taken": b"old"})
    spool = Spool(SpoolMemory(memory))
    spool.write(0, b"new")
    assert not spool.set_in(store, "taken", if_absent=True)
    assert spool.set_in(store, "free", if_absent=True)
    spool.close()
    assert (store.get("taken"), store.get("free")) == (b"old", b"new")


def test_a_failed_write_on_disk_leaves_the_value_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(SpoolMemory(0))
    spool.write(0, b"value")
    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", partial(_with_room_for_one_byte, os.pwrite))
        with pytest.raises(StoreFullError):
            spool.write(5, b"more")
    assert (spool.size, spool.read(0, 99)) == (5, b"value")
    spool.resize(7)
    assert spool.read(0, 99) == b"value\0\0"
    spool.close()


def _with_room_for_one_byte(pwrite: Callable[..., int], descriptor: int, content: bytes, offset: int) -> int:
    if offset > 5:
        raise OSError(errno.ENOSPC, "no space left")
    return pwrite(descriptor, content[:1], offset)
