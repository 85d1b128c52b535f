"""Reading arrays: caches, failing stores, limits, threads."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from numcodecs import Delta

import zarrcore
from zarrcore.array import pools
from zarrcore.errors import (
    CodecError,
    MetadataError,
    ReadCancelledError,
    SelectionError,
    StoreTimeoutError,
    UnsupportedError,
)
from zarrcore.stores import ByteRange, LocalStore, MemoryStore

DATA = np.random.default_rng(7).integers(0, 60_000, (30, 40, 50)).astype("u2")


class CountingStore(LocalStore):
    """A local store that counts, waits, and fails on demand."""

    def __init__(self, root: Path, remote: bool) -> None:
        super().__init__(root)
        self.is_remote = remote
        self.requests_in_flight = 8
        self.requests: list[tuple[str, ByteRange | None]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._guard = threading.Lock()
        self.delay_s = 0.0
        self.failing: set[str] = set()

    def _read(self, key: str, read: Any, byte_range: ByteRange | None, limit: Any) -> Any:
        with self._guard:
            self.requests.append((key, byte_range))
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if self.delay_s:
                time.sleep(self.delay_s)
            if key in self.failing:
                raise StoreTimeoutError("no answer", key=key, url=self.url)
            return super()._read(key, read, byte_range, limit)
        finally:
            with self._guard:
                self._at_once -= 1

    def chunk_requests(self) -> list[str]:
        return [key for key, _ in self.requests if "/c/" in key]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("arrays") / "a.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("plain", data=DATA, chunks=(10, 10, 10))
    group.create_array("raw", data=DATA, chunks=(10, 10, 10), compressors=None)
    group.create_array("sharded", data=DATA, chunks=(5, 10, 10), shards=(10, 20, 20), fill_value=3)
    part = group.create_array("missing", shape=DATA.shape, dtype="u2", chunks=(10, 10, 10), fill_value=9)
    part[:10] = DATA[:10]
    return path


@pytest.fixture(params=[False, True], ids=["local", "remote"])
def store(written: Path, request: pytest.FixtureRequest) -> Iterator[CountingStore]:
    with CountingStore(written, request.param) as store:
        yield store


@pytest.mark.parametrize("name", ["plain", "sharded"])
@pytest.mark.parametrize("cache_bytes", [None, 0, 10_000, 10_000_000])
def test_arrays_are_equal_with_any_cache(store: CountingStore, name: str, cache_bytes: int | None) -> None:
    cache = None if cache_bytes is None else zarrcore.ChunkCache(cache_bytes)
    array = zarrcore.open(store, chunk_cache=cache)[name]
    for selection in (..., (3, slice(None, None, -7)), (slice(2, 25, 3), -1, slice(5, 45))):
        for _ in range(2):
            assert np.array_equal(array[selection], DATA[selection])
    if cache is not None:
        assert cache.nbytes <= cache.max_bytes


def test_chunks_in_the_cache_are_not_read_again(store: CountingStore) -> None:
    array = zarrcore.open(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["plain"]
    assert np.array_equal(array[:10], DATA[:10])
    read = len(store.chunk_requests())
    assert read == 20
    assert np.array_equal(array[5:10, 3:17], DATA[5:10, 3:17])
    assert len(store.chunk_requests()) == read


def test_a_cache_counts_what_was_decoded(store: CountingStore) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    arrays = zarrcore.open(store, chunk_cache=cache)
    for _ in range(2):
        arrays["plain"][:10]
        arrays["missing"][10:20]
    assert (cache.decoded, cache.decoded_bytes) == (20, DATA[:10].nbytes)
    assert cache.decode_s > 0


def test_many_who_miss_one_chunk_decode_it_once(store: CountingStore) -> None:
    array = zarrcore.open(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["plain"]
    store.delay_s = 0.05
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda i: array[i, i, i], range(8)))
    assert results == [DATA[i, i, i] for i in range(8)]
    assert store.chunk_requests() == ["plain/c/0/0/0"]


def test_a_plane_of_shards_reads_only_what_it_crosses(store: CountingStore) -> None:
    array = zarrcore.open(store)["sharded"]
    assert np.array_equal(array[7], DATA[7])
    ranges = [byte_range for key, byte_range in store.requests if "/c/" in key]
    assert None not in ranges, "no shard is read whole"
    shards = 2 * 3
    assert len(ranges) == 2 * shards, "an index and one range for each shard"


def test_of_uncompressed_chunks_only_what_is_wanted_is_read(store: CountingStore) -> None:
    array = zarrcore.open(store)["raw"]
    assert np.array_equal(array[7, 12:17], DATA[7, 12:17])
    ranges = [byte_range for key, byte_range in store.requests if "/c/" in key]
    assert ranges == [ByteRange(1440, 1540)] * 5, "five rows of one plane in each of five chunks"
    assert np.array_equal(array[7, 12:17, ::-3], DATA[7, 12:17, ::-3])


def test_uncompressed_chunks_that_are_cut_are_told(written: Path, tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=DATA, chunks=(10, 10, 10), compressors=None)
    chunk = tmp_path / "a.zarr/c/0/0/0"
    chunk.write_bytes(chunk.read_bytes()[:1500])
    array = zarrcore.open(tmp_path / "a.zarr")["/"]
    assert np.array_equal(array[6, :10, :10], DATA[6, :10, :10])
    with pytest.raises(CodecError, match=r"c/0/0/0: .* found 100 of them"):
        array[7, :10, :10]


def test_requests_in_flight_are_bounded_and_used(written: Path) -> None:
    with CountingStore(written, remote=True) as store:
        array = zarrcore.open(store, format="v3")["plain"]  # nothing is asked that nobody waits for
        store.delay_s = 0.01
        assert np.array_equal(array[...], DATA)
        assert 4 <= store.most_at_once <= store.requests_in_flight


def test_missing_chunks_are_fill_values_and_failures_are_not(store: CountingStore) -> None:
    array = zarrcore.open(store)["missing"]
    expected = np.full_like(DATA, 9)
    expected[:10] = DATA[:10]
    assert np.array_equal(array[...], expected)
    store.failing.add("missing/c/1/0/0")  # absent in the store: an outage must not look like absence
    with pytest.raises(StoreTimeoutError):
        array[...]
    assert np.array_equal(array[:10], expected[:10])


def test_after_a_failure_the_cache_serves_and_asks_again(store: CountingStore) -> None:
    array = zarrcore.open(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["plain"]
    store.failing.add("plain/c/1/1/1")
    for _ in range(2):
        with pytest.raises(StoreTimeoutError):
            array[...]
    store.failing.clear()
    assert np.array_equal(array[...], DATA)


def test_who_waits_for_a_claim_that_fails_reads_for_himself(store: CountingStore) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    array = zarrcore.open(store, chunk_cache=cache)["plain"]
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


def test_who_waits_for_a_chunk_that_cannot_be_had_is_told_at_once(store: CountingStore) -> None:
    array = zarrcore.open(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["plain"]
    store.failing.add("plain/c/0/0/0")
    store.delay_s = 0.2
    with ThreadPoolExecutor(8) as threads:
        futures = [threads.submit(lambda: array[0, 0, 0]) for _ in range(8)]
        assert all(isinstance(future.exception(), StoreTimeoutError) for future in futures)
    assert len(store.chunk_requests()) == 1


def test_a_read_that_waits_for_another_can_be_cancelled(store: CountingStore) -> None:
    array = zarrcore.open(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["plain"]
    store.delay_s = 0.5
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(lambda: array[0, 0, 0])
        while not store.chunk_requests():
            time.sleep(0.001)
        with pytest.raises(ReadCancelledError):
            array.read((0, 0, 0), cancelled=lambda: True)
        assert not other.done()
        assert other.result() == DATA[0, 0, 0]


def test_two_stores_of_one_name_share_no_chunks() -> None:
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
        assert zarrcore.open(store, chunk_cache=cache)["/"][...].tolist() == list(values)


def test_the_cache_counts_what_an_entry_weighs(written: Path) -> None:
    cache = zarrcore.ChunkCache(50_000)
    array = zarrcore.open(written, chunk_cache=cache)["missing"]
    array[...]
    assert len(cache._entries) <= 50


def test_chunks_decoded_while_the_cache_is_cleared_are_not_kept(store: CountingStore) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    array = zarrcore.open(store, chunk_cache=cache)["plain"]
    store.delay_s = 0.2
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(lambda: array[0, 0, 0])
        while not store.chunk_requests():
            time.sleep(0.001)
        cache.clear()
        assert future.result() == DATA[0, 0, 0]
    assert cache.nbytes == 0


PROGRAMS = {
    "a thread reads while the interpreter ends": """
import sys, threading, time, zarrcore
array = zarrcore.open(sys.argv[1])["sharded"]
threading.Thread(target=lambda: [array[...] for _ in range(20)]).start()
time.sleep(0.05)
""",
    "a thread begins to read when the interpreter has ended": """
import sys, threading, time, zarrcore
array = zarrcore.open(sys.argv[1])["sharded"]
def late():
    threading.main_thread().join()
    time.sleep(0.1)
    assert array[...].sum() == SUM
threading.Thread(target=late).start()
""",
    "a child is forked while chunks are being decoded": """
import os, sys, threading, time, warnings, zarrcore
warnings.simplefilter("ignore")
cache = zarrcore.ChunkCache(1 << 24)
array = zarrcore.open(sys.argv[1], chunk_cache=cache)["plain"]
claim = cache.claim(array._reader._cache_key((0, 0, 0)))
child = os.fork()
if child == 0:
    os._exit(0 if array[...].sum() == SUM else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_process_hangs(written: Path, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[name].replace("SUM", str(DATA.sum())), written],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("dtype", "filter_dtype"),
    [(">i4", "<i4"), ("<i4", ">i4"), (">u2", "<i2"), ("<u4", "<i2"), ("<m8[ns]", "<i8"), (">f8", ">i8")],
)
def test_version_2_filters_of_another_type_than_the_array(
    tmp_path: Path, dtype: str, filter_dtype: str
) -> None:
    data = (np.arange(30).reshape(5, 6) * 3 + 1).astype(dtype)
    array = zarr.create_array(
        tmp_path / "a.zarr",
        shape=data.shape,
        chunks=(2, 4),
        dtype=dtype,
        zarr_format=2,
        filters=[Delta(filter_dtype)],
    )
    array[...] = data
    assert np.array_equal(zarr.open(tmp_path / "a.zarr")[...], data)
    assert np.array_equal(zarrcore.open(tmp_path / "a.zarr")["/"][...], data)


def test_old_chunks_are_decoded_again(store: CountingStore) -> None:
    array = zarrcore.open(store, chunk_cache=zarrcore.ChunkCache(1 << 20, max_age_s=0.0))["plain"]
    for _ in range(2):
        assert array[0, 0, 0] == DATA[0, 0, 0]
    assert len(store.chunk_requests()) == 2


def test_a_read_can_be_cancelled(store: CountingStore) -> None:
    array = zarrcore.open(store)["plain"]
    store.delay_s = 0.002

    def enough() -> bool:
        return len(store.chunk_requests()) >= 20

    with pytest.raises(ReadCancelledError):
        array.read(cancelled=enough)
    assert len(store.chunk_requests()) < 60
    assert np.array_equal(array[...], DATA)


def test_a_large_read_does_not_shut_out_a_small_one(written: Path) -> None:
    with CountingStore(written, remote=True) as store:
        array = zarrcore.open(store)["plain"]
        store.delay_s = 0.03
        with ThreadPoolExecutor(1) as threads:
            large = threads.submit(lambda: array[...])
            while not store.chunk_requests():
                time.sleep(0.001)
            assert np.array_equal(array[15:25, 0:20, 3], DATA[15:25, 0:20, 3])
            assert not large.done()
            assert np.array_equal(large.result(), DATA)


def test_tasks_that_make_tasks_and_fail(store: CountingStore) -> None:
    done: list[int] = []

    def task(depth: int) -> list[pools.Task] | None:
        done.append(depth)
        return [lambda: task(depth - 1)] * 2 if depth else None

    pools.run_tasks(iter([lambda: task(6)] * 3), store)
    assert len(done) == 3 * (2**7 - 1)

    def failing() -> None:
        raise CodecError("no")

    with pytest.raises(CodecError):
        pools.run_tasks(iter([lambda: task(3), failing, *[lambda: task(3)] * 10]), store)


def test_out_is_filled_in_place_and_must_fit(store: CountingStore) -> None:
    array = zarrcore.open(store)["plain"]
    frame = np.zeros((60, 50), "u2")
    assert array.read((slice(None), 4), out=frame[::2].reshape(30, 50)) is not None
    target = np.zeros((30, 2, 50), "u2")[:, 1]
    assert array.read((slice(None), 4), out=target) is target
    assert np.array_equal(target, DATA[:, 4])
    for wrong in (np.zeros((30, 51), "u2"), np.zeros((30, 50), "u4")):
        with pytest.raises(SelectionError, match="expected a writable out"):
            array.read((slice(None), 4), out=wrong)


@pytest.mark.parametrize(
    "selection", [30, -31, (0, 0, 0, 0), (..., ...), "x", 1.5, True, None, [1], slice(0, 5, 0)]
)
def test_what_is_no_basic_selection(store: CountingStore, selection: object) -> None:
    with pytest.raises(SelectionError):
        zarrcore.open(store)["plain"][selection]


def test_chunks_over_the_limit_are_refused(store: CountingStore) -> None:
    assert np.array_equal(zarrcore.open(store, max_chunk_bytes=2000)["plain"][...], DATA)
    with pytest.raises(UnsupportedError, match="decodes to 2,000 bytes, over 1,999"):
        zarrcore.open(store, max_chunk_bytes=1999)["plain"][...]


def test_arrays_pickle(written: Path) -> None:
    array = zarrcore.open(written)["sharded"]
    again = pickle.loads(pickle.dumps(array))
    assert again.path == "/sharded"
    assert np.array_equal(again[3], DATA[3])
    assert again.hierarchy["plain"].shape == DATA.shape


def test_arrays_duck_type_numpy(written: Path) -> None:
    array = zarrcore.open(written)["plain"]
    assert (array.ndim, array.size, array.nbytes, array.itemsize, len(array)) == (
        3,
        DATA.size,
        DATA.nbytes,
        2,
        30,
    )
    assert np.array_equal(np.asarray(array), DATA)
    assert np.asarray(array, dtype="f8").dtype == np.float64
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(array, copy=False)
    assert array.chunk_grid_shape == (3, 4, 5)
    assert array.chunk_key((1, 2, 3)) == "plain/c/1/2/3"
    assert np.array_equal(array.read_chunk((2, 3, 4)), DATA[20:, 30:, 40:])
    with pytest.raises(SelectionError):
        array.read_chunk((3, 0, 0))


def test_a_broken_chunk_names_its_key(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=DATA, chunks=(10, 10, 10))
    (tmp_path / "a.zarr/c/1/0/0").write_bytes(b"nonsense")
    array = zarrcore.open(tmp_path / "a.zarr")["/"]
    with pytest.raises(CodecError) as caught:
        array[...]
    assert caught.value.key == "c/1/0/0"
    assert str(caught.value).startswith("c/1/0/0: zstd: ")
    assert np.array_equal(array[20:], DATA[20:])


def test_codecs_that_do_not_fit_are_told_when_the_array_opens(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=DATA, chunks=(10, 10, 10))
    document = tmp_path / "a.zarr/zarr.json"
    content = json.loads(document.read_text())
    content["codecs"].append("bytes")
    document.write_text(json.dumps(content))
    with pytest.raises(MetadataError, match=r"zarr.json: codecs"):
        zarrcore.open(tmp_path / "a.zarr")["/"]


ITEMS = st.integers(-12, 12) | st.builds(
    slice,
    st.none() | st.integers(-12, 12),
    st.none() | st.integers(-12, 12),
    st.none() | st.integers(-4, 4).filter(bool),
)


@given(st.lists(ITEMS | st.just(...), max_size=4))
def test_selections_mean_what_numpy_means(items: list) -> None:
    shape = (5, 7, 9)
    reference = np.arange(315).reshape(shape)
    from zarrcore.array.selection.basic import crossings, normalize, result_shape
    from zarrcore.metadata import RegularAxis

    try:
        expected = reference[tuple(items)]
    except IndexError:
        with pytest.raises(SelectionError):
            normalize(tuple(items), shape)
        return
    ranges = normalize(tuple(items), shape)
    assert result_shape(ranges) == expected.shape
    # the elements, gathered chunk by chunk as the reader does
    gathered = [
        [
            chunk * 4 + i
            for chunk, inside, *_ in crossings(axis, RegularAxis(4))
            for i in range(*inside.indices(4))
        ]
        for axis in ranges
    ]
    upwards = reference[np.ix_(*gathered)]
    flips = tuple(slice(None, None, -1) if axis.flipped else slice(None) for axis in ranges)
    dropped = tuple(i for i, axis in enumerate(ranges) if axis.dropped)
    assert np.array_equal(np.squeeze(upwards[flips], axis=dropped), expected)


def test_more_than_fits_in_memory_is_refused() -> None:
    array = zarrcore.create(MemoryStore()).create_array("a", shape=(10**9, 10**9), data_type="int8")
    with pytest.raises(SelectionError, match="do not fit in memory: select less"):
        array[...]
