"""Writing arrays: compared with NumPy, read by other readers, by many threads, and refused writes."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import zarrcore
from zarrcore.array import Array, ChunkCache
from zarrcore.array.pools import CORES
from zarrcore.codecs import Pipeline
from zarrcore.errors import (
    CodecError,
    ElementError,
    ReadCancelledError,
    ReadOnlyError,
    SelectionError,
    StoreTimeoutError,
    UnsupportedError,
)
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores import BytesLike, LocalStore, MemoryStore
from zarrcore.typing import AnyArray

LAYOUTS: list[dict[str, Any]] = [
    {"format": "v3", "chunks": (4, 3)},
    {"format": "v3", "chunks": (4, 3), "codecs": []},
    {"format": "v3", "chunks": (2, 3), "shards": (4, 9)},
    {
        "format": "v3",
        "chunks": (4, 3),
        "codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}}, "zstd"],
    },
    {"format": "v3", "chunks": (50, 50), "codecs": ["gzip", "crc32c"]},
    {
        "format": "v2",
        "chunks": (4, 3),
        "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}],
    },
    {"format": "v2", "chunks": (3, 20)},
    {"format": "n5", "chunks": (4, 3)},
]


def create(
    store: MemoryStore | LocalStore, layout: dict[str, Any], shape: tuple[int, ...] = (11, 17), **more: Any
) -> ArrayNode:
    layout = dict(layout)
    hierarchy = zarrcore.create(store, layout.pop("format", "v3"), chunk_cache=more.pop("chunk_cache", None))
    return hierarchy.create_array("a", shape=shape, dtype=more.pop("dtype", "int32"), **layout, **more)


def axis_items(length: int) -> st.SearchStrategy[Any]:
    return st.one_of(st.integers(-length, length - 1), st.slices(length)) if length else st.slices(0)


@st.composite
def selections(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    items = [draw(axis_items(length)) for length in shape[: draw(st.integers(0, len(shape)))]]
    return (*items, ...) if draw(st.booleans()) else tuple(items)


class Writing(RuleBasedStateMachine):
    """Writes, resizes and reads at random, with and without a cache, and the same with NumPy."""

    @initialize(layout=st.sampled_from(LAYOUTS), cached=st.booleans(), fill=st.sampled_from([0, -5]))
    def start(self, layout: dict[str, Any], cached: bool, fill: int) -> None:
        fill = 0 if layout["format"] == "n5" else fill
        self.store = MemoryStore()
        cache = ChunkCache(2000) if cached else None
        self.array = create(self.store, layout, fill_value=fill, chunk_cache=cache)
        self.expected = np.full(self.array.shape, fill, "i4")
        self.fill = fill

    @rule(data=st.data(), empty=st.booleans())
    def write(self, data: st.DataObject, empty: bool) -> None:
        selection = data.draw(selections(self.array.shape))
        values = data.draw(st.sampled_from(["one", "fill", "each"]))
        shape = self.expected[selection].shape
        value: Any = {"one": 7, "fill": self.fill}.get(values)
        if value is None:
            value = np.arange(int(np.prod(shape)), dtype="i8").reshape(shape) + 100
        self.array.write(selection, value, write_empty_chunks=empty)
        self.expected[selection] = value

    @rule(shape=st.tuples(st.integers(0, 20), st.integers(0, 20)))
    def resize(self, shape: tuple[int, int]) -> None:
        self.array.resize(shape)
        kept = tuple(slice(0, min(new, old)) for new, old in zip(shape, self.expected.shape, strict=True))
        resized = np.full(shape, self.fill, "i4")
        resized[kept] = self.expected[kept]
        self.expected = resized

    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        selection = data.draw(selections(self.array.shape))
        np.testing.assert_array_equal(self.array.read(selection), self.expected[selection])

    @precondition(lambda self: hasattr(self, "array"))
    @invariant()
    def same_to_a_new_reader(self) -> None:
        found = zarrcore.open_hierarchy(self.store)["a"]
        assert isinstance(found, Array)
        np.testing.assert_array_equal(found[...], self.expected)


TestWriting = Writing.TestCase
TestWriting.settings = settings(max_examples=40, stateful_step_count=12)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_zarr_python_and_tensorstore_read_what_was_written_in_part(
    tmp_path: Path, layout: dict[str, Any]
) -> None:
    fill = 0 if layout["format"] == "n5" else -1
    array = create(LocalStore(tmp_path), layout, fill_value=fill)
    expected = np.full(array.shape, fill, "i4")
    for selection, value in [((slice(1, 9), slice(2, 15, 3)), 5), ((slice(None, None, -2), 4), np.arange(6))]:
        array[selection] = value
        expected[selection] = value
    if layout["format"] != "n5":  # which zarr-python cannot read any more
        np.testing.assert_array_equal(zarr.open(tmp_path, mode="r")["a"][...], expected)
    tensorstore = pytest.importorskip("tensorstore")
    driver = {"v3": "zarr3", "v2": "zarr", "n5": "n5"}[layout["format"]]
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": f"{tmp_path / 'a'}/"}}
    found = tensorstore.open(spec).result().read().result()
    np.testing.assert_array_equal(found.T if driver == "n5" else found, expected)


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "float16", "complex128", "M8[ns]", "U5", "S3", "V4", str, bytes]
)
def test_every_kind_of_element_reads_back(dtype: Any) -> None:
    values: Any = {
        "bool": [True, False],
        "M8[ns]": np.array(["2026-01-01", "NaT"], "M8[ns]"),
        "U5": ["a", "bcdef"],
        "S3": [b"a", b"bcd"],
        "V4": np.array([b"abcd", b"\0\1\2\3"], "V4"),
        str: ["", "längere Texte"],
        bytes: np.array([b"", b"\0\1"], object),
    }.get(dtype, [1, 0])
    array = zarrcore.create(MemoryStore()).create_array("a", shape=(5,), dtype=dtype, chunks=(2,))
    array[1:3] = values
    array[4] = values[0]
    expected = np.zeros(5, array.dtype) if array.dtype != object else np.array([b""] * 5, object)
    expected[1:3] = values
    expected[4] = values[0]
    np.testing.assert_array_equal(array[...], expected)


def test_chunks_of_fill_values_are_erased_or_not_stored() -> None:
    store = MemoryStore()
    array = create(store, {"chunks": (4, 4)}, shape=(8, 8), dtype="float32", fill_value=np.nan)

    def stored() -> set[str]:
        return {entry.key for entry in store.list_prefix("a/c/")}

    array[...] = np.nan
    assert stored() == set()
    array[0, 0] = 1
    assert stored() == {"a/c/0/0"}
    array[0, 0] = np.nan
    assert stored() == set()
    array.write((slice(4), ...), np.nan, write_empty_chunks=True)
    assert stored() == {"a/c/0/0", "a/c/0/1"}


def test_the_rest_of_a_chunk_is_read_only_if_the_write_leaves_some_of_it() -> None:
    class Counting(MemoryStore):
        reads = 0

        def get(self, key: str, *arguments: Any, **keywords: Any) -> BytesLike | None:
            self.reads += "/c/" in key
            return super().get(key, *arguments, **keywords)

    store = Counting()
    array = create(store, {"chunks": (4, 4)}, shape=(10, 10))
    array[...] = 1
    array[4:10, 8:] = 2  # chunks at the edge, written completely within the array
    assert store.reads == 0
    array[0, 0] = 3
    assert store.reads == 1


def test_threads_that_write_parts_of_the_same_chunks_lose_nothing() -> None:
    array = create(MemoryStore(), {"chunks": (8, 8)}, shape=(24, 24), chunk_cache=ChunkCache(1 << 20))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda row: array.write(row, row + 1), range(24)))
    np.testing.assert_array_equal(array[...], np.repeat(np.arange(1, 25), 24).reshape(24, 24))


def test_a_failed_write_that_was_carried_out_is_not_hidden_by_cached_chunks() -> None:
    class Losing(MemoryStore):
        loses = False

        def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
            super().set(key, value, if_absent=if_absent)
            if self.loses:
                raise StoreTimeoutError("the answer is lost", key=key)
            return True

    store = Losing()
    array = create(store, {"chunks": (8, 8)}, shape=(8, 8), chunk_cache=ChunkCache(1 << 20))
    array[...] = 1
    assert array[0, 0] == 1
    store.loses = True
    with pytest.raises(StoreTimeoutError):
        array[...] = 2
    assert array[0, 0] == 2


def test_two_hierarchies_of_one_store_with_one_cache_see_what_the_other_writes() -> None:
    cache, store = ChunkCache(1 << 20), MemoryStore()
    writer = create(store, {"chunks": (2, 2), "shards": (4, 4)}, shape=(8, 8), chunk_cache=cache)
    reader = zarrcore.open_hierarchy(store, chunk_cache=cache)["a"]
    assert isinstance(reader, Array)
    for value in range(1, 4):
        writer[:, :] = value
        assert (reader[...] == value).all()
        writer[3, 3] = -value
        assert reader[3, 3] == -value


def test_a_reader_never_sees_half_a_write(tmp_path: Path) -> None:
    array = create(LocalStore(tmp_path), {"chunks": (64, 64), "codecs": []}, shape=(64, 64))
    array[...] = 1
    stop = threading.Event()
    seen: set[tuple[int, ...]] = set()

    def look() -> None:
        reader = zarrcore.open_hierarchy(tmp_path)["a"]
        assert isinstance(reader, Array)
        while not stop.is_set():
            seen.add(tuple(np.unique(reader[...])))

    thread = threading.Thread(target=look)
    thread.start()
    for value in range(2, 150):
        array[...] = value
    stop.set()
    thread.join()
    assert all(len(values) == 1 for values in seen)


@given(value=st.sampled_from([[1, 2, 3], "text", [[1], [2, 3]], object(), 2**40, {"a": 1}]))
def test_values_that_do_not_fit_are_refused(value: Any) -> None:
    array = create(MemoryStore(), {"chunks": (4, 4)}, shape=(8, 8))
    with pytest.raises(ElementError):
        array[...] = value
    assert not array[...].any()


def test_a_refused_write_says_why(tmp_path: Path) -> None:
    array = create(LocalStore(tmp_path), {"chunks": (4, 4)}, shape=(8, 8))
    array[...] = 1
    reader = zarrcore.open_hierarchy(tmp_path)["a"]
    assert isinstance(reader, Array)
    with pytest.raises(ReadOnlyError, match="mode 'r\\+'"):
        reader[0, 0] = 1
    with pytest.raises(SelectionError):
        array[8] = 1
    with pytest.raises(
        UnsupportedError, match=r"has 256 bytes, over the limit of 100|has 64 bytes, over the limit of 50"
    ):
        zarrcore.open_hierarchy(tmp_path, "r+", max_chunk_bytes=50)["a"].write(..., 1)
    (tmp_path / "a" / "c" / "0" / "0").write_bytes(b"garbage")
    with pytest.raises(CodecError, match="a/c/0/0"):
        array[0, 0] = 2
    array[:4, :4] = 2  # written in full, it is whole again
    assert array[0, 0] == 2
    with pytest.raises(ReadCancelledError):
        array.write(..., 5, cancelled=lambda: True)


@contextmanager
def failing(store: MemoryStore, key: str) -> Iterator[None]:
    whole = store.set

    def fail(name: str, value: BytesLike, **keywords: Any) -> bool:
        if name == key:
            raise StoreTimeoutError("no answer", key=name, url=store.url)
        return whole(name, value, **keywords)

    store.set = fail
    yield
    del store.set


def test_a_store_failure_is_reported_and_the_chunk_stays_unchanged() -> None:
    store = MemoryStore()
    array = create(store, {"chunks": (4, 4)}, shape=(8, 8), chunk_cache=ChunkCache(1 << 20))
    array[...] = 1
    with failing(store, "a/c/1/1"), pytest.raises(StoreTimeoutError):
        array[...] = 2
    assert (array[4:, 4:] == 1).all()


def test_a_pickled_array_can_be_written(tmp_path: Path) -> None:
    import pickle

    array = create(LocalStore(tmp_path), {"chunks": (4, 4)}, shape=(8, 8))
    pickle.loads(pickle.dumps(array))[2] = 9
    assert (array[2] == 9).all()


def test_a_scalar_over_many_chunks_takes_no_memory() -> None:
    array = create(MemoryStore(), {"chunks": (1,)}, shape=(10**9,), dtype="int8")
    written = 0

    def enough() -> bool:
        nonlocal written
        written += 1
        return written > 250

    tracemalloc.start()
    try:
        with pytest.raises(ReadCancelledError):
            array.write(..., 0, cancelled=enough)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(CORES < 2, reason="there is only one core")
def test_threads_share_the_inner_chunks_of_a_single_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    array = create(MemoryStore(), {"chunks": (4, 4), "shards": (32, 32)}, (32, 32))
    together, calls, threads = threading.Barrier(2), count(), set()
    encode = Pipeline.encode

    def meet(pipeline: Pipeline, chunk: AnyArray, **options: Any) -> Any:
        if pipeline.spec.shape == (4, 4):
            threads.add(threading.get_ident())
            if next(calls) < 2:
                together.wait(60)  # fails if one thread encodes all of them
        return encode(pipeline, chunk, **options)

    monkeypatch.setattr(Pipeline, "encode", meet)
    values = np.arange(1024, dtype="i4").reshape(32, 32)
    array[...] = values
    assert np.array_equal(array[...], values)
    assert next(calls) == 64
    assert len(threads) > 1
