"""Stores that wrap another store, and the checks of a store's abilities."""

from __future__ import annotations

import tracemalloc

import pytest

from tests.core.stores.test_interface import ArithmeticStore
from zarrcore.errors import ListingUnsupportedError, ReadOnlyError
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    PrefixStore,
    ReadableStore,
    ReadOnlyStore,
    writable,
)


def test_wrappers_list_lazily_too() -> None:
    store = ReadOnlyStore(PrefixStore(ArithmeticStore(20_000), "c/"))
    tracemalloc.start()
    try:
        assert sum(1 for _ in store.list()) == 20_000
        assert sum(1 for _ in store.list_dir("")) == 20
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_a_store_without_write_methods_is_refused() -> None:
    class Plain(ReadableStore):
        url = "test://"

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            return b"1"

    assert Plain().read_only
    for store in (Plain(), ReadOnlyStore(Plain()), PrefixStore(Plain(), "a/")):
        with pytest.raises(ReadOnlyError, match="cannot be written"):
            writable(store)
        with pytest.raises(ListingUnsupportedError):
            list(getattr(store, "list", PrefixStore(store, "a/").list)())
    with pytest.raises(ReadOnlyError):
        PrefixStore(Plain(), "a/").set("x", b"1")
