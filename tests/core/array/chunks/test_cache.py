"""The cache of decoded chunks: entries, counters, dropped chunks, and readers that share the work."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.core.array.counting_store import DATA, CountingStore
from tests.waiting import wait_until
from zarrcore.errors import (
    ReadCancelledError,
    StoreTimeoutError,
)
from zarrcore.stores import MemoryStore


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", ["plain", "sharded"])
@pytest.mark.parametrize("cache_bytes", [None, 0, 10_000, 10_000_000])
def test_arrays_are_equal_with_every_cache(store: CountingStore, name: str, cache_bytes: int | None) -> None:
    cache = None if cache_bytes is None else zarrcore.ChunkCache(cache_bytes)
    array = zarrcore.open_hierarchy(store, chunk_cache=cache)[name]
    for selection in (..., (3, slice(None, None, -7)), (slice(2, 25, 3), -1, slice(5, 45))):
        for _ in range(2):
            assert np.array_equal(array[selection], DATA[selection])
    if cache is not None:
        assert cache.nbytes <= cache.max_bytes


def test_chunks_in_the_cache_are_not_read_again(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["plain"]
    assert np.array_equal(array[:10], DATA[:10])
    read = len(store.chunk_requests())
    assert read == 20
    assert np.array_equal(array[5:10, 3:17], DATA[5:10, 3:17])
    assert len(store.chunk_requests()) == read


def test_a_cache_counts_what_was_decoded(store: CountingStore) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    arrays = zarrcore.open_hierarchy(store, chunk_cache=cache)
    for _ in range(2):
        arrays["plain"][:10]
        arrays["missing"][10:20]
    assert (cache.decoded, cache.decoded_bytes) == (20, DATA[:10].nbytes)
    assert cache.decode_s > 0


def test_readers_that_miss_the_same_chunk_decode_it_once(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["plain"]
    store.delay_s = 0.05
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda i: array[i, i, i], range(8)))
    assert results == [DATA[i, i, i] for i in range(8)]
    assert store.chunk_requests() == ["plain/c/0/0/0"]


def test_after_a_failure_the_cache_reads_the_chunk_again(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["plain"]
    store.failing.add("plain/c/1/1/1")
    for _ in range(2):
        with pytest.raises(StoreTimeoutError):
            array[...]
    store.failing.clear()
    assert np.array_equal(array[...], DATA)


def test_a_reader_that_waits_for_a_failed_claim_reads_the_chunk_itself(store: CountingStore) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    array = zarrcore.open_hierarchy(store, chunk_cache=cache)["plain"]
    store.failing.add("plain/c/0/0/1")
    store.delay_s = 0.02
    with ThreadPoolExecutor(6) as threads:
        good = [threads.submit(lambda: array[:10, :10, :10]) for _ in range(3)]
        bad = [threads.submit(lambda: array[:10, :10, :20]) for _ in range(3)]
        for future in good:
            assert np.array_equal(future.result(), DATA[:10, :10, :10])
        for future in bad:
            with pytest.raises(StoreTimeoutError):
                future.result()


def test_a_reader_that_waits_for_an_unreadable_chunk_fails_at_once(store: CountingStore) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    array = zarrcore.open_hierarchy(store, chunk_cache=cache)["plain"]
    store.failing.add("plain/c/0/0/0")
    store.hold_chunks()
    with ThreadPoolExecutor(8) as threads:
        futures = [threads.submit(lambda: array[0, 0, 0]) for _ in range(8)]
        wait_until(lambda: cache.misses == 8)
        store.released.set()
        assert all(isinstance(future.exception(), StoreTimeoutError) for future in futures)
    assert len(store.chunk_requests()) == 1


def test_a_read_that_waits_for_another_can_be_cancelled(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["plain"]
    store.hold_chunks()
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(lambda: array[0, 0, 0])
        wait_until(lambda: bool(store.chunk_requests()))
        with pytest.raises(ReadCancelledError):
            array.read((0, 0, 0), cancelled=lambda: True)
        assert not other.done()
        store.released.set()
        assert other.result() == DATA[0, 0, 0]


def test_two_stores_of_the_same_name_share_no_chunks() -> None:
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "fill_value": 0,
        "codecs": ["bytes"],
    }
    cache = zarrcore.ChunkCache(1 << 20)
    for values in (b"\1\2\3\4", b"\5\6\7\10"):
        store = MemoryStore()
        store.set("zarr.json", json.dumps(document).encode())
        store.set("c/0", values)
        assert zarrcore.open_hierarchy(store, chunk_cache=cache)["/"][...].tolist() == list(values)


def test_the_cache_counts_the_memory_of_an_entry(written: Path) -> None:
    cache = zarrcore.ChunkCache(50_000)
    array = zarrcore.open_hierarchy(written, chunk_cache=cache)["missing"]
    array[...]
    assert len(cache._entries) <= 50


def test_chunks_decoded_while_the_cache_is_cleared_are_not_kept(store: CountingStore) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    array = zarrcore.open_hierarchy(store, chunk_cache=cache)["plain"]
    store.hold_chunks()
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(lambda: array[0, 0, 0])
        wait_until(lambda: bool(store.chunk_requests()))
        cache.clear()
        store.released.set()
        assert future.result() == DATA[0, 0, 0]
    assert cache.nbytes == 0


def test_old_chunks_are_decoded_again(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20, max_age_s=0.0))["plain"]
    for _ in range(2):
        assert array[0, 0, 0] == DATA[0, 0, 0]
    assert len(store.chunk_requests()) == 2
