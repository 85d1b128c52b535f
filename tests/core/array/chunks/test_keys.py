"""Chunk keys that documents leave open: the store is asked only if they matter."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.command import run_inside
from zarrcore.array import ChunkCache
from zarrcore.array.chunks.keys import ChunkKeys
from zarrcore.errors import AccessDeniedError
from zarrcore.formats import Format
from zarrcore.operations.check import check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import MemoryStore, ReadableStore
from zarrcore.stores.wrapper.statistics import StatisticsStore
from zarrcore.typing import AnyArray

ELEMENTS = np.arange(1, 31, dtype="<i2").reshape(5, 6)


def version_2(separator: str, told: bool, left_out: tuple[tuple[int, int], ...] = ()) -> MemoryStore:
    """An array in chunks of 2×3 whose document contains the separator of its keys, or does not."""
    hierarchy = zarrcore.create(store := MemoryStore(), format="v2")
    array = hierarchy.create_array(
        "a",
        shape=ELEMENTS.shape,
        dtype="int16",
        chunks=(2, 3),
        chunk_key_encoding=zarrcore.metadata.ChunkKeyEncoding("v2", separator),
        codecs=[],
        fill_value=-1,
    )
    array[...] = ELEMENTS
    for index in left_out:
        store.erase(array.chunk_key(index))
    if not told:
        document = json.loads(store.get("a/.zarray") or b"")
        del document["dimension_separator"]
        store.set("a/.zarray", json.dumps(document).encode())
    return store


def opened(store: ReadableStore, **options: Any) -> zarrcore.Array:
    array = zarrcore.open_hierarchy(store, **options)["a"]
    assert isinstance(array, zarrcore.Array)
    return array


def expected(left_out: tuple[tuple[int, int], ...]) -> AnyArray:
    elements = ELEMENTS.copy()
    for i, j in left_out:
        elements[2 * i : 2 * i + 2, 3 * j : 3 * j + 3] = -1
    return elements


class Unlistable(ReadableStore):
    """A store that can only read values."""

    url = "unlistable://"

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def get(self, key: str, byte_range: Any = None, *, max_nbytes: int | None = None) -> Any:
        return self._store.get(key, byte_range, max_nbytes=max_nbytes)


class Secretive(MemoryStore):
    """A store that reads values and refuses to list."""

    def has_prefix(self, prefix: str) -> bool:
        raise AccessDeniedError("you may not list this", key=prefix, url=self.url)


@pytest.mark.parametrize("encoding", [("default", "/"), ("default", "."), ("v2", "."), ("n5", "/")])
def test_likely_keys_are_made_of_their_form(encoding: tuple[Any, str]) -> None:
    keys = ChunkKeys("a/b/", zarrcore.metadata.ChunkKeyEncoding(*encoding))
    beginning, separator, is_reversed = keys.likely_form
    numbers = ["12", "0", "3"][:: -1 if is_reversed else 1]
    assert keys.likely((12, 0, 3)) == keys.key((12, 0, 3)) == beginning + separator.join(numbers)


def test_keys_are_settled_when_the_store_was_asked() -> None:
    told, open_ = (opened(version_2("/", told))._keys for told in (True, False))
    assert told.is_settled
    assert not open_.is_settled
    open_.settle()
    assert open_.is_settled


@given(
    st.sampled_from("./"),
    st.booleans(),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=5).map(lambda found: tuple({*found})),
    st.booleans(),
)
def test_elements_are_found_whatever_the_keys(
    separator: str, told: bool, left_out: tuple[tuple[int, int], ...], cached: bool
) -> None:
    if {(0, 0), (0, 1)} <= {*left_out}:  # no key of the first row, and no way to find the others
        left_out = tuple(index for index in left_out if index != (0, 0))
    store = version_2(separator, told, left_out)
    array = opened(store, chunk_cache=ChunkCache(1 << 20) if cached else None)
    copy = pickle.loads(pickle.dumps(array.with_chunk_cache(ChunkCache(1 << 20))))
    assert (array[...] == expected(left_out)).all()
    assert copy.chunk_key_encoding.separator == separator
    assert array.chunk_key((1, 1)) == f"a/1{separator}1"
    assert array.storage_info().present == 6 - len(left_out)


@pytest.mark.parametrize(
    ("told", "left_out", "stats", "lists"),
    [
        (True, (), 0, 0),
        (True, ((0, 0), (1, 1)), 0, 0),
        (False, (), 0, 0),
        (False, ((0, 0), (0, 1), (1, 1)), 1, 1),
    ],
)
def test_arrays_with_the_usual_keys_need_no_extra_requests(
    told: bool, left_out: Any, stats: int, lists: int
) -> None:
    store = StatisticsStore(version_2(".", told, left_out))
    array = opened(store)
    before = store.statistics()
    for _ in range(3):  # once is enough
        assert (array[...] == expected(left_out)).all()
    after = store.statistics()
    assert after["stat"].requests - before["stat"].requests == stats
    assert after["list"].requests - before["list"].requests == lists
    assert after["get"].requests - before["get"].requests == 3 * 6


def test_opening_nodes_requests_no_chunks() -> None:
    store = StatisticsStore(version_2("/", told=False))
    assert [node.path for node in zarrcore.open_hierarchy(store).walk()] == ["/", "/a"]
    assert store.statistics()["stat"].requests == 0


@pytest.mark.parametrize("kind", [Unlistable, None])
def test_keys_are_found_in_stores_that_cannot_list(kind: Any) -> None:
    store = version_2("/", told=False)
    if kind is None:
        secretive = Secretive()
        for entry in store.list():
            secretive.set(entry.key, store.get(entry.key) or b"")
        sparse = version_2(".", told=False, left_out=((0, 0),))
        for entry in sparse.list():
            secretive.set("sparse/" + entry.key, sparse.get(entry.key) or b"")
        hierarchy = zarrcore.open_hierarchy(secretive, format="v2")
        assert (hierarchy["sparse/a"][...] == expected(((0, 0),))).all()
    else:
        hierarchy = zarrcore.open_hierarchy(kind(store), format="v2")
    assert (hierarchy["a"][...] == ELEMENTS).all()


def test_keys_of_both_kinds_are_read_as_other_readers_do() -> None:
    store = version_2(".", told=False, left_out=((2, 0),))
    store.set("a/2/0", bytes(12))
    store.set("a/0/0", bytes(12))
    assert (opened(store)[...] == expected(((2, 0),))).all()


def test_writing_and_resizing_use_the_existing_kind_of_keys() -> None:
    store = version_2("/", told=False)
    array = zarrcore.open_hierarchy(store, "r+")["a"]
    array[4, 5] = 99
    assert store.get("a/2.1") is None
    array.resize((2, 6))
    array.resize((5, 6))
    after = ELEMENTS.copy()
    after[2:] = -1
    assert (opened(store)[...] == after).all()


def test_copies_checks_and_info_use_the_keys_that_were_found(tmp_path: Any) -> None:
    store = version_2("/", told=False)
    hierarchy = zarrcore.open_hierarchy(store)
    for to in (Format.V2, Format.V3):
        copied = MemoryStore()
        execute(plan_copy(hierarchy, to=to), hierarchy, copied)
        assert (opened(copied)[...] == ELEMENTS).all()
    assert [finding.what for finding in check(hierarchy)] == ["separator-not-named"]
    for entry in store.list():
        path = tmp_path / entry.key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(store.get(entry.key) or b"")
    told = run_inside("info", tmp_path, "a")
    assert "a/0/0  (detected from stored keys: the documents name other keys, or none)" in told.text
    document = json.loads(run_inside("info", tmp_path, "a", "--json").text)
    assert document["metadata"]["chunk_key_encoding"]["configuration"]["separator"] == "/"


def test_an_accepted_document_with_keys_of_a_draft_reads() -> None:
    hierarchy = zarrcore.create(store := MemoryStore())
    hierarchy.create_array(
        "a", shape=ELEMENTS.shape, dtype="int16", chunks=(2, 3), codecs=["bytes"], fill_value=-1
    )[...] = ELEMENTS
    store.erase("a/c/1/1")
    document = (store.get("a/zarr.json") or b"").replace(b'"bytes"', b'"endian"')
    store.set("a/zarr.json", document)
    for entry in [*store.list_prefix("a/c/")]:
        store.set(entry.key.replace("a/c/", "a/c"), store.get(entry.key) or b"")
        store.erase(entry.key)
    counted = StatisticsStore(store)
    assert (opened(counted)[...] == expected(((1, 1),))).all()
    assert counted.statistics()["stat"].requests == 2
    assert opened(store).chunk_key((0, 1)) == "a/c0/1"
