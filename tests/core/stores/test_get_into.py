"""Reading into the caller's buffer: the same bytes as `get`, without new memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import BodyTooLargeError
from zarrcore.stores import ByteRange, LocalStore, MemoryStore, PrefixStore
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.wrapper.read_only import ReadOnlyStore

VALUE = bytes(range(100))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[ReadableStore]:
    root = tmp_path_factory.mktemp("store")
    (root / "p").mkdir()
    (root / "p/a").write_bytes(VALUE)
    (root / "a").write_bytes(VALUE)
    local = LocalStore(root)
    return [local, PrefixStore(local, "p/"), ReadOnlyStore(local), MemoryStore(values={"a": VALUE})]


@given(start=st.integers(-120, 120), length=st.none() | st.integers(0, 120), room=st.integers(0, 120))
def test_get_into_reads_the_same_bytes_as_get(
    stores: list[ReadableStore], start: int, length: int | None, room: int
) -> None:
    byte_range = ByteRange(start, None if length is None or start < 0 else start + length)
    for store in stores:
        expected = store.get("a", byte_range)
        assert expected is not None
        buffer = bytearray(b"-" * room)
        if len(expected) > room:
            with pytest.raises(BodyTooLargeError):
                store.get_into("a", memoryview(buffer), byte_range)
        else:
            assert store.get_into("a", memoryview(buffer), byte_range) == len(expected)
            assert bytes(buffer) == bytes(expected) + b"-" * (room - len(expected))


def test_get_into_returns_none_for_absent_keys_and_directories(
    stores: list[ReadableStore], tmp_path: Path
) -> None:
    (tmp_path / "directory").mkdir()
    buffer = memoryview(bytearray(200))
    assert [store.get_into("b", buffer) for store in stores] == [None] * 4
    assert LocalStore(tmp_path).get_into("directory", buffer) is None
    assert [store.fills_buffers for store in stores] == [True, True, True, False]
