"""Stores that wrap another store, and the checks of a store's abilities."""

from __future__ import annotations

import tracemalloc

import pytest

from tests.core.stores.test_interface import ArithmeticStore
from zarrcore.errors import ListingUnsupportedError, ReadOnlyError
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    ListableStore,
    MemoryStore,
    PrefixStore,
    ReadableStore,
    ReadOnlyStore,
    Renaming,
    WritableStore,
    writable,
)
from zarrcore.stores.wrapper.interface import WrapperStore, listable


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


def test_every_method_of_stores_reaches_the_wrapped_store() -> None:
    """A method that is not passed on would take its default, which may be slow or wrong for the wrapped store."""
    built_on_others = {"list", "check_writable"}
    for kind in (ReadableStore, ListableStore, WritableStore):
        own = {name for name, value in vars(kind).items() if callable(value) and not name.startswith("_")}
        assert own - built_on_others <= vars(WrapperStore).keys()


def test_a_wrapper_describes_itself_as_its_store_does() -> None:
    class Distant(MemoryStore):
        is_remote, remembers, fills_buffers, requests_in_flight = True, True, True, 33
        name_max = 7
        closed = refreshed = 0

        def close(self) -> None:
            self.closed += 1

        def refresh(self) -> None:
            self.refreshed += 1

    inner = Distant("m", {"a": b"1"})
    with WrapperStore(inner) as store:
        for name in (
            "url",
            "identity",
            "is_remote",
            "remembers",
            "fills_buffers",
            "requests_in_flight",
            "name_max",
        ):
            assert getattr(store, name) == getattr(inner, name)
        assert not store.read_only
        store.refresh()
    assert (inner.closed, inner.refreshed) == (1, 1)
    assert WrapperStore(ReadOnlyStore(inner)).read_only


def test_a_store_that_knows_no_limit_is_read_without_one() -> None:
    class Older(ReadableStore):
        """A store of another package, from before ``max_nbytes``."""

        url = "test://older"

        def get(self, key: str, byte_range: ByteRange | None = None) -> BytesLike | None:  # type: ignore[override]
            return b"1"

    assert WrapperStore(Older()).get("a", ByteRange(0)) == b"1"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(True, Renaming.DONE), (False, Renaming.KEY_TAKEN), (None, Renaming.NOT_POSSIBLE)],
)
def test_plain_answers_to_renaming_are_understood(answer: bool | None, expected: Renaming) -> None:
    class Plain(MemoryStore):
        def rename(self, key: str, new: str, *, if_absent: bool = False) -> bool | None:  # type: ignore[override]
            return answer

        def link(self, key: str, new: str) -> bool | None:  # type: ignore[override]
            return answer

    store = WrapperStore(Plain())
    assert store.rename("a", "b") is store.link("a", "b") is expected


def test_the_abilities_of_a_store_are_checked() -> None:
    store = MemoryStore(values={"a": b"1"})
    assert listable(store) is writable(store) is store
    with pytest.raises(ReadOnlyError, match="its medium is sealed"):
        writable(ReadOnlyStore(store, "its medium is sealed"))

    class Silent(MemoryStore):
        read_only = True

    with pytest.raises(ReadOnlyError, match=r"^memory://x cannot be written$"):
        writable(Silent("x"))
