"""The default methods of stores, and the values that describe parts and facts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.memory import forget_peak, peak_nbytes
from zarrcore.errors import (
    BodyTooLargeError,
    ChangedError,
    InvalidKeyError,
    ListingUnsupportedError,
    StoreError,
    ValueTooLargeError,
)
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    Renaming,
    StoreEntry,
    StoreStat,
    WritableStore,
)

MANY = 200_000


class DictionaryStore(ReadableStore, ListableStore, WritableStore):
    """A store with the minimum of methods."""

    url = "test://dictionary"

    def __init__(self, values: dict[str, bytes] | None = None) -> None:
        self.values = dict(values or {})

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        value = self.values.get(key)
        return value if value is None or byte_range is None else value[slice(*byte_range.resolve(len(value)))]

    def list(self) -> Iterator[StoreEntry]:
        return (StoreEntry(key) for key in sorted(self.values))

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        if if_absent and key in self.values:
            return False
        self.values[key] = bytes(value)
        return True

    def erase(self, key: str) -> None:
        self.values.pop(key, None)


class ArithmeticStore(ReadableStore, ListableStore, WritableStore):
    """A store with any number of keys, ``c/<thousands>/<rest>``, that keeps nothing in memory."""

    url = "test://arithmetic"

    def __init__(self, count: int = MANY) -> None:
        self.count, self.erased = count, 0

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return b"1"

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for number in range(self.count):
            yield StoreEntry(f"c/{number // 1000}/{number % 1000}", 1)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        return True

    def erase(self, key: str) -> None:
        self.erased += 1


def test_one_way_of_listing_is_enough_for_all() -> None:
    store = DictionaryStore({"a/b": b"1", "a/c/d": b"2", "a/c/e": b"3", "ab": b"4"})
    assert [entry.key for entry in store.list_prefix("a/")] == ["a/b", "a/c/d", "a/c/e"]
    assert [entry.key for entry in store.list_dir("a/")] == ["a/b", "a/c/"]
    assert [entry.key for entry in store.list_dir("")] == ["a/", "ab"]
    assert store.has_prefix("a/c/")
    assert not store.has_prefix("b/")
    with pytest.raises(InvalidKeyError):
        store.list_prefix("a")


def test_one_way_of_writing_and_erasing_is_enough_for_all() -> None:
    store = DictionaryStore({"a/b": b"1", "a/c/d": b"2", "ab": b"4", **{f"n/{n}": b"" for n in range(2500)}})
    store.set_partial_values([("ab", 1, b"5"), ("new", 2, b"6"), ("ab", 0, b"9")])
    assert store.values["ab"] == b"95"
    assert store.values["new"] == b"\0\0" + b"6"
    store.erase_values(["ab", "absent", "new"])
    store.erase_prefix("n/")
    assert store.values == {"a/b": b"1", "a/c/d": b"2"}
    store.erase_prefix("a/c/")
    assert store.values == {"a/b": b"1"}


def test_unsupported_operations_raise_an_error() -> None:
    class WriteOnly(WritableStore):
        url = "test://write-only"

        def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
            return True

        def erase(self, key: str) -> None:
            pass

    class Forgetful(ReadableStore, ListableStore):
        url = "test://forgetful"

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            return None

    with pytest.raises(ListingUnsupportedError):
        WriteOnly().erase_prefix("a/")
    with pytest.raises(StoreError, match="a store that cannot be read"):
        WriteOnly().set_partial_values([("a", 0, b"1")])
    with pytest.raises(ListingUnsupportedError):
        Forgetful().list()


def test_very_many_keys_are_listed_and_erased_in_little_memory() -> None:
    store = ArithmeticStore()
    before = forget_peak()
    assert sum(1 for _ in store.list_dir("c/")) == MANY // 1000
    assert peak_nbytes() - before < 8 << 20
    store.erase_prefix("c/")
    assert store.erased == MANY
    assert peak_nbytes() - before < 8 << 20


@given(st.integers(-40, 40), st.none() | st.integers(0, 40), st.integers(0, 20))
def test_a_range_is_cut_to_the_value_as_a_slice_is(start: int, stop: int | None, size: int) -> None:
    value = bytes(range(size))
    byte_range = ByteRange(start, None if start < 0 else stop)
    first, last = byte_range.resolve(size)
    assert 0 <= first <= last <= size
    assert value[first:last] == value[slice(*byte_range)]
    if byte_range.is_empty:
        assert first == last


def test_a_version_is_the_etag_or_else_the_time_and_size() -> None:
    assert StoreStat(3).version is None
    assert StoreStat(3, 1.5, "e").version == StoreStat(4, 2.5, "e").version == "e"
    versions = {StoreStat(3, 1.5).version, StoreStat(4, 1.5).version, StoreStat(3, 2.5).version}
    assert len(versions) == 3
    assert StoreStat(3, 1.5).version == StoreStat(3, 1.5).version


def test_only_a_renaming_that_was_done_is_true() -> None:
    assert [bool(outcome) for outcome in Renaming] == [outcome is Renaming.DONE for outcome in Renaming]


def test_the_facts_of_a_value_are_those_of_the_version_that_was_read() -> None:
    class Changing(DictionaryStore):
        """A value that is replaced after each of the first requests."""

        def __init__(self, changes: int) -> None:
            super().__init__({"a": b""})
            self.changes = changes

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            value = super().get(key, byte_range)
            if self.changes and value is not None:
                self.changes -= 1
                self.values["a"] += b"x"
            return value

        def stat(self, key: str) -> StoreStat | None:
            return StoreStat(len(self.values[key])) if key in self.values else None

    assert Changing(0).get_with_stat("b") is None
    assert Changing(0).get_with_stat("a") == (b"", StoreStat(0))
    assert Changing(3).get_with_stat("a") == (b"xxx", StoreStat(3))
    with pytest.raises(ChangedError, match=r"^a in test://dictionary changes faster than it can be read$"):
        Changing(1000).get_with_stat("a")


def test_a_store_without_stat_tells_the_size_of_the_whole_value_with_a_part_of_it() -> None:
    store = DictionaryStore({"a": b"123"})
    assert store.get_with_stat("a", ByteRange(1), max_nbytes=2) == (b"23", StoreStat(3))
    assert store.get_with_stat("b", ByteRange(1)) is None
    with pytest.raises(BodyTooLargeError, match="it has 3 bytes; at most 2 can be right"):
        store.get_with_stat("a", max_nbytes=2)


def test_a_value_of_a_plain_store_is_copied_into_a_buffer() -> None:
    class Limited(DictionaryStore):
        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            value = super().get(key, byte_range)
            if value is not None and max_nbytes is not None and len(value) > max_nbytes:
                raise BodyTooLargeError(len(value), max_nbytes, key=key, url=self.url)
            return value

    store, buffer = Limited({"a": b"12345"}), bytearray(b"----")
    assert store.get_into("a", memoryview(buffer), ByteRange(1, 3)) == 2
    assert buffer == b"23--"
    assert store.get_into("b", memoryview(buffer)) is None
    with pytest.raises(BodyTooLargeError):
        store.get_into("a", memoryview(buffer))
    assert buffer == b"23--"
    assert store.get_partial_values([("a", ByteRange(-1)), ("b", None), ("a", None)]) == [
        b"5",
        None,
        b"12345",
    ]


def test_a_file_is_stored_from_its_beginning_up_to_a_limit(tmp_path: Path) -> None:
    store = DictionaryStore()
    with open(tmp_path / "file", "w+b") as file:
        file.write(b"12345")
        file.flush()
        assert store.set_file("a", file.fileno())
        assert not store.set_file("a", file.fileno(), if_absent=True)
        os.truncate(file.fileno(), (1 << 30) + 1)
        with pytest.raises(ValueTooLargeError, match=r"^b in test://dictionary: 1073741825 bytes are more"):
            store.set_file("b", file.fileno())
    assert store.values == {"a": b"12345"}


def test_a_plain_store_cannot_rename_or_link() -> None:
    store = DictionaryStore({"a": b"1"})
    assert store.rename("a", "b") is store.link("a", "b") is Renaming.NOT_POSSIBLE
    assert store.values == {"a": b"1"}


def test_a_store_is_closed_by_a_with_block_and_shows_its_url() -> None:
    class Closing(DictionaryStore):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    store = Closing()
    assert repr(store) == "Closing('test://dictionary')"
    with pytest.raises(ZeroDivisionError), store as opened:
        raise ZeroDivisionError(opened.closed)
    assert (opened, store.closed) == (store, 1)
