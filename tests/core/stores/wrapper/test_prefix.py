"""PrefixStore."""

from __future__ import annotations

import pytest

from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from zarrcore.errors import InvalidKeyError, ListingUnsupportedError
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, PrefixStore, ReadableStore


@pytest.fixture
def store() -> PrefixStore:
    values = {f"some/where/{key}": value for key, value in VALUES.items()}
    return PrefixStore(
        MemoryStore(values={**values, "zarr.json": b"above", "some/wherever": b""}), "some/where/"
    )


@pytest.fixture
def empty() -> PrefixStore:
    return PrefixStore(MemoryStore(values={"some/wherever": b"", "a/x": b"beside"}), "some/where/")


class TestPrefixStore(StoreTests, WritableStoreTests):
    path_like = False


def test_it_is_named_after_the_store_and_the_prefix() -> None:
    store = PrefixStore(PrefixStore(MemoryStore("m"), "a/"), "b/c/")
    assert store.url == "memory://m/a/b/c"


@pytest.mark.parametrize("prefix", ["", "/", "a", "a//"])
def test_an_empty_prefix_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidKeyError):
        PrefixStore(MemoryStore(), prefix)


def test_a_store_that_cannot_list_still_cannot_list() -> None:
    class Unlistable(ReadableStore):
        url = "test://"

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            return b"1" if key == "a/b" else None

    store = PrefixStore(Unlistable(), "a/")
    assert store.get("b") == b"1"
    with pytest.raises(ListingUnsupportedError):
        list(store.list())
