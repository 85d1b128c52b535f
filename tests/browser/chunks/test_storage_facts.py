"""Facts about the storage of an array: while chunks are counted, and at the end."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np

from tests.browser.fakes import FakeArray
from zarrbrowser.chunks.chunk_map import ChunkMap, count_chunks
from zarrbrowser.chunks.storage_facts import is_never_written, storage_facts
from zarrcore.array.storage_info import StorageInfo


def array_of(*stored: tuple[int, ...]) -> FakeArray:
    """An array of 4 × 3 chunks of 100 decoded bytes."""
    array = FakeArray(np.zeros((40, 30), np.uint8), chunks=(10, 10))
    array.stored_chunks = [*stored]
    return array


def counted(array: FakeArray) -> ChunkMap:
    return count_chunks(array, lambda: False, lambda _map: None)


def texts(array: FakeArray, known: ChunkMap) -> dict[str, str]:
    return {fact.label: fact.text for fact in storage_facts(array, known)}


def test_an_array_that_is_stored_completely_misses_nothing() -> None:
    array = array_of(*product(range(4), range(3)))
    found = texts(array, counted(array))
    assert found["Stored"] == "12 of 12 chunks (100 %)"
    assert found["Not stored"] == "0 chunks"
    assert found["Ratio"] == "1 : 1"
    assert found["Mean size"] == "100 bytes per stored chunk"
    details = {fact.label: fact.detail for fact in storage_facts(array, counted(array))}
    assert details["Not stored"] == ""


def test_an_array_without_stored_chunks_has_neither_ratio_nor_mean_size() -> None:
    array = array_of()
    found = texts(array, counted(array))
    assert found["Stored"] == "0 of 12 chunks (0 %)"
    assert found["Not stored"] == "12 chunks"
    assert {"Ratio", "Mean size", "Outside"}.isdisjoint(found)


def test_a_count_that_is_running_says_so() -> None:
    array = array_of((0, 0))
    found = texts(array, replace(counted(array), info=None))
    assert found["Stored size"] == "100 bytes so far"
    assert found["Stored"] == "1 of 12 chunks (8.33 %) so far"
    assert {"Ratio", "Not stored", "Outside"}.isdisjoint(found)


def test_shards_are_counted_as_shards() -> None:
    array = array_of((0, 0))
    array.inner_chunk_shape = (5, 5)
    found = texts(array, counted(array))
    assert found["Stored"] == "1 of 12 shards (8.33 %)"
    assert found["Mean size"].endswith("per stored shard")


def test_chunks_left_beyond_the_shape_are_reported() -> None:
    array = array_of((0, 0))
    info = StorageInfo(12, 1, 100, array.nbytes, outside=2, outside_nbytes=2048)
    facts = {fact.label: fact for fact in storage_facts(array, replace(counted(array), info=info))}
    assert facts["Outside"].text == "2 chunks"
    assert facts["Outside"].detail == "2.00 KiB beyond the array's shape"


def test_arrays_without_chunks_have_no_share() -> None:
    empty = FakeArray(np.zeros((0, 5), np.uint8), chunks=(1, 5))
    assert texts(empty, counted(empty))["Stored"] == "0 of 0 chunks"


def test_the_search_for_a_chunk_ends_at_the_first() -> None:
    seen: list[object] = []
    array = array_of((0, 0), (0, 1), (0, 2))
    array.before_read = seen.append
    assert not is_never_written(array)
    assert seen == [(0, 0)]
    assert is_never_written(array_of())


def test_chunks_of_a_store_that_cannot_list_are_not_looked_for_one_by_one() -> None:
    array = FakeArray(np.zeros((90, 90), np.uint8), chunks=(10, 10))
    array.hierarchy = SimpleNamespace(store=object())  # type: ignore[attr-defined]
    assert not is_never_written(array)
    few = array_of()
    few.hierarchy = array.hierarchy  # type: ignore[attr-defined]
    assert is_never_written(few)
