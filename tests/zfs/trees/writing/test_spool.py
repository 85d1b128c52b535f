"""Bytes being written, in memory and on disk."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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
