"""Reading arrays: partial reads, limits, cancelling, missing and broken chunks."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore
from tests.core.array.counting_store import DATA, CountingStore
from zarrcore.errors import (
    ChunkNotFoundError,
    CodecError,
    ReadCancelledError,
    StoreTimeoutError,
    UnsupportedError,
)
from zarrcore.stores import ByteRange, LocalStore, MemoryStore


def test_a_plane_of_shards_reads_only_what_it_crosses(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["sharded"]
    assert np.array_equal(array[7], DATA[7])
    ranges = [byte_range for key, byte_range in store.requests if "/c/" in key]
    assert None not in ranges, "no shard is read whole"
    shards = 2 * 3
    assert len(ranges) == 2 * shards, "an index and one range for each shard"


def test_only_the_wanted_bytes_of_uncompressed_chunks_are_read(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["raw"]
    assert np.array_equal(array[7, 12:17], DATA[7, 12:17])
    ranges = [byte_range for key, byte_range in store.requests if "/c/" in key]
    assert ranges == [ByteRange(1440, 1540)] * 5, "five rows of one plane in each of five chunks"
    assert np.array_equal(array[7, 12:17, ::-3], DATA[7, 12:17, ::-3])


def test_truncated_uncompressed_chunks_are_reported(written: Path, tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=DATA, chunks=(10, 10, 10), compressors=None)
    chunk = tmp_path / "a.zarr/c/0/0/0"
    chunk.write_bytes(chunk.read_bytes()[:1500])
    array = zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"]
    assert np.array_equal(array[6, :10, :10], DATA[6, :10, :10])
    with pytest.raises(CodecError, match=r"c/0/0/0 in .*: .* found 100 of them"):
        array[7, :10, :10]


@pytest.mark.parametrize(
    ("selection", "is_direct"),
    [
        ((), True),
        ((slice(3, 17),), True),
        ((7, slice(12, 17)), True),
        ((slice(0, 40, 2),), False),
        ((..., slice(0, 10)), False),
    ],
)
@pytest.mark.usefixtures("without_engine")
def test_elements_stored_as_in_memory_are_read_to_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, selection: tuple[slice, ...], is_direct: bool
) -> None:
    values = np.arange(40 * 20 * 30, dtype="<u2").reshape(40, 20, 30)
    zarr.create_array(tmp_path / "a.zarr", data=values, chunks=(10, 20, 30), compressors=None)
    array = zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"]
    out = np.empty(values[selection].shape, "<u2")
    buffers = []
    read = LocalStore.get_into

    def get_into(self: LocalStore, key: str, buffer: memoryview, *rest: ByteRange | None) -> int | None:
        buffers.append(np.shares_memory(np.frombuffer(buffer, np.uint8), out))
        return read(self, key, buffer, *rest)

    monkeypatch.setattr(LocalStore, "get_into", get_into)
    assert np.array_equal(array.read(selection, out=out), values[selection])
    assert set(buffers) == {is_direct}


def test_missing_chunks_read_as_fill_values_and_failures_do_not(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["missing"]
    expected = np.full_like(DATA, 9)
    expected[:10] = DATA[:10]
    assert np.array_equal(array[...], expected)
    store.failing.add("missing/c/1/0/0")  # absent in the store: an outage must not look like absence
    with pytest.raises(StoreTimeoutError):
        array[...]
    assert np.array_equal(array[:10], expected[:10])


def test_a_read_can_be_cancelled(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["plain"]
    store.delay_s = 0.002

    def enough() -> bool:
        return len(store.chunk_requests()) >= 20

    with pytest.raises(ReadCancelledError):
        array.read(cancelled=enough)
    assert len(store.chunk_requests()) < 60
    assert np.array_equal(array[...], DATA)


def test_chunks_over_the_limit_are_refused(store: CountingStore) -> None:
    assert np.array_equal(zarrcore.open_hierarchy(store, max_chunk_bytes=2000)["plain"][...], DATA)
    with pytest.raises(UnsupportedError, match="decodes to 2,000 bytes, over the limit of 1,999"):
        zarrcore.open_hierarchy(store, max_chunk_bytes=1999)["plain"][...]


def test_a_broken_chunk_names_its_key(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=DATA, chunks=(10, 10, 10))
    (tmp_path / "a.zarr/c/1/0/0").write_bytes(b"nonsense")
    array = zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"]
    with pytest.raises(CodecError) as caught:
        array[...]
    assert caught.value.key == "c/1/0/0"
    assert str(caught.value).startswith(f"c/1/0/0 in {array.store.url}: zstd: ")
    assert np.array_equal(array[20:], DATA[20:])


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize(
    ("options", "where", "message"),
    [
        ({"chunks": (2, 5)}, "c/1/1", "the chunk is missing"),  # read in batches
        ({"chunks": (2, 5), "compressors": None}, "c/1/1", "the chunk is missing"),  # read directly, in part
        ({"chunks": (2, 5), "shards": (4, 10)}, "c/0/0", r"inner chunk \(1, 1\) is missing"),
        (
            {"chunks": (2, 5), "shards": (4, 5)},
            "c/0/1",
            r"inner chunk \([01], 1\) is missing",
        ),  # the whole shard
    ],
)
def test_a_missing_chunk_is_an_error_where_that_is_wanted(
    options: dict[str, Any], where: str, message: str, cached: bool
) -> None:
    memory = MemoryStore(values={})
    data = np.arange(1, 41).reshape(4, 10)
    data[2:4, 5:] = 0
    if where == "c/0/1":
        data[:, 5:] = 0
    values = zarr.storage.MemoryStore()
    zarr.create_array(values, data=data, **options, config={"write_empty_chunks": False})
    for key, value in values._store_dict.items():
        memory.set(key, value.to_bytes())
    cache = zarrcore.ChunkCache(1 << 20) if cached else None
    usual = zarrcore.open_hierarchy(memory, chunk_cache=cache)["/"]
    strict = zarrcore.open_hierarchy(memory, chunk_cache=cache, missing="error")["/"]
    assert np.array_equal(usual[...], data)
    assert np.array_equal(strict[:2, :5], data[:2, :5])
    for read in (
        lambda: strict[...],
        lambda: strict[3, 6],
        lambda: strict.vindex[[0, 3], [0, 6]],
        lambda: pickle.loads(pickle.dumps(strict))[2:, 4:7],
    ):
        with pytest.raises(ChunkNotFoundError, match=f"^{where} in memory://.*: {message}") as raised:
            read()
        assert raised.value.key == where
    assert np.array_equal(usual[...], data)


def test_partial_writes_fill_missing_chunks_although_reading_them_is_an_error() -> None:
    store = zarrcore.open_store("memory://")
    zarrcore.create(store).create_array("a", shape=(4,), dtype="i4", chunks=(4,))
    array = zarrcore.open_hierarchy(store, "r+", missing="error")["a"]
    array[1] = 5
    assert array[...].tolist() == [0, 5, 0, 0]
    with pytest.raises(UnsupportedError, match="missing 'never' is unknown; known are fill, error"):
        zarrcore.open_hierarchy(store, missing="never")  # type: ignore[arg-type]
