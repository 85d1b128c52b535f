"""The default methods of stores, and the values that describe parts and facts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.memory import forget_peak, peak_nbytes
from zarrcore.errors import InvalidKeyError, ListingUnsupportedError, StoreError
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    WritableStore,
)

MANY = 1_000_000


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

    def __init__(self, many: int = MANY) -> None:
        self.many = many
        self.erased = 0

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return b"1"

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for number in range(self.many):
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


def test_a_million_keys_are_listed_and_erased_in_little_memory() -> None:
    store = ArithmeticStore()
    before = forget_peak()
    assert sum(1 for _ in store.list_dir("c/")) == 1000
    assert peak_nbytes() - before < 8 << 20
    store = ArithmeticStore(MANY // 5)
    store.erase_prefix("c/")
    assert store.erased == MANY // 5
    assert peak_nbytes() - before < 8 << 20
