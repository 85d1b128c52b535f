"""A look at a store: what it requests, and that it requests nothing twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.waiting import PATIENCE_S
from zarrcore.errors import BodyTooLargeError, ListingUnsupportedError, StoreError
from zarrcore.formats.detect import fetch_document
from zarrcore.formats.look import Look, look_at
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, ReadableStore, StoreEntry
from zarrcore.stores.interface import ListableStore
from zarrcore.stores.wrapper.interface import WrapperStore


class Asked(WrapperStore):
    """Records what it is asked for and by how many threads, and fails for some prefixes."""

    def __init__(self, values: dict[str, bytes], *, remote: bool = True, fails: tuple[str, ...] = ()) -> None:
        super().__init__(MemoryStore(values=values))
        self.is_remote = remote
        self.asked: list[str] = []
        self.threads: set[int] = set()
        self.fails = fails

    def _note(self, what: str) -> None:
        self.asked.append(what)
        self.threads.add(threading.get_ident())

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self._note(key)
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        self._note(f"list {prefix}")
        if prefix in self.fails:
            raise StoreError(f"{prefix} cannot be listed")
        return super().list_dir(prefix)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        self._note(f"all {prefix}")
        return super().list_prefix(prefix)

    def has_prefix(self, prefix: str) -> bool:
        self._note(f"any {prefix}")
        return super().has_prefix(prefix)


VALUES = {"zarr.json": b"{}", "a/zarr.json": b"[1]", "a/c/0": b"0", "a/d": b"1"}


def listable(look: Look) -> ListableStore:
    assert isinstance(look, ListableStore)
    return look


def listed(look: Look, prefix: str) -> list[str]:
    return sorted(entry.key for entry in listable(look).list_dir(prefix))


class TestDocuments:
    @pytest.mark.parametrize("remote", [False, True])
    def test_are_requested_once(self, remote: bool) -> None:
        store = Asked(VALUES, remote=remote)
        look = look_at(store, ["zarr.json", "b"])
        for key in ("zarr.json", "b", "a/zarr.json") * 2:
            assert fetch_document(look, key) == VALUES.get(key)
        assert sorted(store.asked) == ["a/zarr.json", "b", "zarr.json"]

    def test_of_a_local_store_are_requested_when_needed_without_threads(self) -> None:
        store = Asked(VALUES, remote=False)
        look = look_at(store, ["zarr.json", "b"], ["a/"])
        assert store.asked == []
        assert fetch_document(look, "b") is None
        assert listed(look, "a/") == listed(look, "a/") == ["a/c/", "a/d", "a/zarr.json"]
        assert store.asked == ["b", "list a/", "list a/"]
        assert store.threads == {threading.get_ident()}

    def test_of_a_remote_store_are_requested_at_once(self) -> None:
        together = threading.Barrier(4, timeout=PATIENCE_S)

        class Meeting(Asked):
            """Answers only when all requests have arrived."""

            def _note(self, what: str) -> None:
                super()._note(what)
                together.wait()

        store = Meeting(VALUES)
        look = look_at(store, ["zarr.json", "a/zarr.json", "b"], ["c/"])
        assert [look.get(key) for key in ("zarr.json", "a/zarr.json", "b")] == [b"{}", b"[1]", None]
        assert listed(look, "c/") == []

    def test_are_read_in_part(self) -> None:
        look = look_at(Asked(VALUES))
        assert look.get("a/zarr.json", ByteRange(1, 2)) == b"1"
        assert look.get("a/zarr.json", ByteRange(-1)) == b"]"
        with pytest.raises(BodyTooLargeError):
            look.get("a/zarr.json", max_nbytes=1)
        assert (look.stat("a/d"), look.stat("b")) == (look.stat("a/d"), None)


class TestListings:
    def test_are_requested_once(self) -> None:
        store = Asked(VALUES)
        look = look_at(store, ["zarr.json"], ["a/"])
        assert listable(look).has_prefix("a/")
        assert listed(look, "a/") == listed(look, "a/") == ["a/c/", "a/d", "a/zarr.json"]
        assert listed(look, "") == listed(look, "") == ["a/", "zarr.json"]
        assert [what for what in store.asked if what.startswith(("list", "any"))] == ["list a/", "list "]

    def test_that_are_empty_answer_for_all_below(self) -> None:
        store = Asked({})
        look = listable(look_at(store, [], ["a/"]))
        assert not look.has_prefix("a/b/")
        assert not look.has_prefix("a/")
        assert [*look.list_dir("a/b/"), *look.list_prefix("a/"), *look.list_dir("a/")] == []
        assert store.asked == ["list a/"]
        assert not look.has_prefix("c/")
        assert [*look.list_dir("d/"), *look.list_prefix("d/e/")] == []
        assert store.asked[1:] == ["any c/", "list d/"]

    @pytest.mark.parametrize("remote", [False, True])
    def test_of_a_prefix_that_was_found_empty_are_not_requested(self, remote: bool) -> None:
        store = Asked({}, remote=remote)
        look = listable(look_at(store))
        assert not look.has_prefix("c/")
        assert [*look.list_prefix("c/")] == []
        assert store.asked == ["any c/"]

    def test_of_a_prefix_with_content_answer_only_for_it(self) -> None:
        look = listable(look_at(Asked(VALUES), [], ["a/"]))
        assert look.has_prefix("a/c/")
        assert not look.has_prefix("a/b/")
        assert [entry.key for entry in look.list_prefix("a/c/")] == ["a/c/0"]

    def test_that_fail_are_errors_only_where_they_matter(self) -> None:
        look = listable(look_at(Asked(VALUES, fails=("",)), ["zarr.json"], [""]))
        assert look.get("zarr.json") == b"{}"  # type: ignore[attr-defined]
        assert look.has_prefix("a/")
        for ask in (look.list_dir, look.has_prefix, look.list_prefix):
            with pytest.raises(StoreError, match="cannot be listed"):
                ask("")

    def test_of_a_store_that_cannot_list(self) -> None:
        class Unlistable(ReadableStore):
            url = "test://unlistable"
            is_remote = True

            def get(
                self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
            ) -> BytesLike | None:
                return None

        assert not isinstance(look_at(Unlistable(), ["a", "b"], ["c/"]), ListableStore)
        wrapped = listable(look_at(WrapperStore(Unlistable()), ["a", "b"], ["c/"]))
        with pytest.raises(ListingUnsupportedError):
            wrapped.list_dir("c/")
