"""Points mean the same as in NumPy, whatever the type and the chunks, and each chunk that has some is read once."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import zarrcore
from tests.core.array.counting_store import DATA, CountingStore
from tests.core.array.test_rectilinear import PACKED, RAW, shards
from tests.core.array.test_rectilinear import written as rectilinear
from zarrcore.array import reader
from zarrcore.array.selection.points import Points, normalize_points, points_by_chunk
from zarrcore.errors import (
    CodecError,
    ReadCancelledError,
    SelectionError,
    StoreTimeoutError,
    UnsupportedError,
)
from zarrcore.metadata import RegularAxis
from zarrcore.stores import ByteRange, MemoryStore

SHAPE = (7, 9, 5)
COUNT = 7 * 9 * 5
NUMBERS = np.arange(COUNT)


def record() -> np.ndarray:
    record = np.zeros(COUNT, [("a", "<i2"), ("b", "<f4", (2,)), ("c", "S3")])
    record["a"], record["b"][:, 1], record["c"] = NUMBERS, NUMBERS / 2, NUMBERS.astype("S3")
    return record


TYPES: dict[str, tuple[Any, np.ndarray]] = {
    "int32": ("int32", NUMBERS.astype("i4")),
    "float16": ("float16", np.where(NUMBERS % 7, NUMBERS, np.nan).astype("f2")),
    "complex64": ("complex64", (NUMBERS * 1j).astype("c8")),
    "bool": ("bool", NUMBERS % 3 == 0),
    "int4": ("int4", (NUMBERS % 15 - 7).astype(ml_dtypes.int4)),
    "bfloat16": ("bfloat16", NUMBERS.astype(ml_dtypes.bfloat16)),
    "datetime64": ("M8[10ns]", NUMBERS.astype("M8[10ns]")),
    "text": ("U4", NUMBERS.astype("U4")),
    "zero-terminated": ("S4", NUMBERS.astype("S4")),
    "bytes that end in 0": ("V4", NUMBERS.astype("<u4").view("V4")),
    "record": (record().dtype, record()),
    "string": ("string", NUMBERS.astype(np.dtypes.StringDType()) + "é"),
    "variable_length_bytes": ("variable_length_bytes", np.array([b"\0" * i for i in range(COUNT)], object)),
}
LAYOUTS: dict[str, Any] = {
    "chunks": {"chunks": (3, 4, 2)},
    "one chunk": {"chunks": (8, 9, 6)},
    "chunks of one element": {"chunks": (1, 1, 1)},
    "uncompressed": {"chunks": (3, 4, 2), "codecs": []},
    "transposed": {
        "chunks": (3, 4, 2),
        "codecs": [{"name": "transpose", "configuration": {"order": [2, 0, 1]}}, *PACKED[1:]],
    },
    "shards": {"chunks": (3, 2, 1), "shards": (6, 4, 2)},
}


def array_of(data_type: Any, values: np.ndarray, cached: bool, **layout: Any) -> zarrcore.Array:
    """An array of ``values``; the elements before index 3 of the first dimension are fill values, and not stored."""
    store = MemoryStore()
    array = zarrcore.create(store).create_array("a", shape=values.shape, dtype=data_type, **layout)
    values[:3] = array.fill_value
    array[...] = values
    return zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20) if cached else None)["a"]


def same(found: Any, expected: Any) -> bool:
    """Whether two arrays or scalars are equal, bit for bit."""
    if type(found) is not type(expected) or np.shape(found) != np.shape(expected):
        return False
    if not isinstance(expected, np.ndarray | np.generic):
        return bool(found == expected)
    if found.dtype != expected.dtype:
        return False
    return (
        found.tolist() == expected.tolist()
        if expected.dtype.kind in "TO"
        else found.tobytes() == expected.tobytes()
    )


@cache  # Hypothesis checks each new strategy, which takes longer than to draw from it
@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...], *, beyond: int = 0) -> tuple[Any, ...]:
    """One index per dimension, which broadcast; up to ``beyond`` out of range."""
    shapes = draw(
        npst.mutually_broadcastable_shapes(num_shapes=len(shape), min_side=beyond, max_dims=3, max_side=5)
    ).input_shapes
    return tuple(
        draw(
            npst.arrays("i8", one, elements=st.integers(-length - beyond, length - 1 + beyond))
            | st.integers(-length - beyond, length - 1 + beyond)
        )
        for one, length in zip(shapes, shape, strict=True)
    )


@cache
def arrays(name: str, layout: str) -> tuple[np.ndarray, list[zarrcore.Array]]:
    data_type, flat = TYPES[name]
    values = flat.copy().reshape(SHAPE)
    return values, [array_of(data_type, values, cached, **LAYOUTS[layout]) for cached in (False, True)]


@pytest.mark.sampled
@settings(max_examples=10)
@given(selection=indices(SHAPE), mask=npst.arrays(bool, SHAPE))
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", TYPES)
def test_points_read_as_in_numpy(name: str, layout: str, selection: Any, mask: np.ndarray) -> None:
    values, uncached_and_cached = arrays(name, layout)
    for array in uncached_and_cached:
        assert same(array.vindex[selection], values[selection])
        assert same(array.vindex[mask], values[mask])


EDGES = st.lists(st.integers(1, 6), min_size=1, max_size=5)


@pytest.mark.sampled
@settings(max_examples=30)
@given(data=st.data(), rows=EDGES, columns=EDGES, missing=st.integers(-1, 8))
@pytest.mark.parametrize("codecs", [RAW, PACKED, shards([2, 3])], ids=["raw", "zstd", "shards"])
@pytest.mark.parametrize("cached", [False, True], ids=["uncached", "cached"])
def test_points_of_chunks_that_differ_in_shape_read_as_in_numpy(
    codecs: list[Any], cached: bool, data: st.DataObject, rows: list[int], columns: list[int], missing: int
) -> None:
    edges = [[2 * edge for edge in rows], [3 * edge for edge in columns]]
    shape = (data.draw(st.integers(1, sum(edges[0]))), data.draw(st.integers(1, sum(edges[1]))))
    values = np.arange(shape[0] * shape[1], dtype="u2").reshape(shape) + 100
    store = rectilinear(edges, values, codecs, missing)
    array = zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20) if cached else None)["/"]
    selection = data.draw(indices(shape))
    assert same(array.vindex[selection], values[selection])


@given(indices((4, 6), beyond=1))
@example(([], 99))
@example(([[]], [0]))
@example((np.uint64(2**64 - 1), 0))
@example((2**70, 0))
@example((np.zeros((0, 3), "u1"), np.zeros((4, 1, 1), ">i8")))
def test_an_index_is_out_of_range_where_numpy_says_so(selection: tuple[Any, ...]) -> None:
    values = np.arange(24).reshape(4, 6)
    try:
        expected = values[selection]
    except (IndexError, OverflowError):
        with pytest.raises(
            SelectionError, match=r"^dimension [01]: indices must be in \[0, [46]\), found -?\d+$"
        ):
            normalize_points(selection, values.shape)
        return
    points = normalize_points(selection, values.shape)
    assert points.shape == expected.shape
    assert all((axis >= 0).all() for axis in points.positions)
    assert np.array_equal(values[points.positions], expected)


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ((7, 0, 0), "dimension 0: indices must be in [0, 7), found 7"),
        ((0, [1, -10], 0), "dimension 1: indices must be in [0, 9), found -10"),
        (0, "expected 3 indices, one per dimension, found 1"),
        ((), "expected 3 indices, one per dimension, found 0"),
        ((0, 0, 0, 0), "expected 3 indices, one per dimension, found 4"),
        ((0, slice(None), 0), "dimension 1: expected an integer or an array of integers, found slice"),
        (..., "dimension 0: expected an integer or an array of integers, found ellipsis"),
        ((0, None, 0), "dimension 1: expected an integer or an array of integers, found NoneType"),
        ((0, 0, 1.0), "dimension 2: expected an integer or an array of integers, found float64"),
        ((0, 0, np.zeros(0)), "dimension 2: expected an integer or an array of integers, found float64"),
        ((0, 0, "x"), "dimension 2: expected an integer or an array of integers, found <U1"),
        ((0, 0, [True]), "dimension 2: a mask must be the only index"),
        (np.ones((7, 9), bool), "expected a mask of shape (7, 9, 5), found one of (7, 9)"),
        (True, "expected a mask of shape (7, 9, 5), found one of ()"),
        (([0, 1], [0, 1, 2], 0), "the indices do not broadcast: "),
        (([[0], [0, 1]], 0, 0), "dimension 0: "),
    ],
    ids=str,
)
def test_selections_that_are_not_points_are_refused_in_one_line(selection: Any, message: str) -> None:
    with pytest.raises(SelectionError, match="^" + re.escape(message)) as caught:
        normalize_points(selection, SHAPE)
    assert "\n" not in str(caught.value)


def test_the_indices_of_the_caller_are_left_alone() -> None:
    indices = np.array([-1, 2])
    normalize_points((indices,), (5,))
    assert indices.tolist() == [-1, 2]


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("name", TYPES)
def test_an_array_without_dimensions_has_one_point(name: str, cached: bool) -> None:
    data_type, values = TYPES[name]
    store = MemoryStore()
    zarrcore.create(store).create_array("a", shape=(), dtype=data_type)[...] = values[1]
    array = zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20) if cached else None)["a"]
    expected = np.empty((), array.dtype)
    expected[...] = values[1]
    for selection in ((), True, False, np.array(True)):
        assert same(array.vindex[selection], expected[selection])


@pytest.mark.parametrize(
    "selection", [([], []), (np.zeros((0, 3), int), [4]), np.zeros((0, 5), bool)], ids=str
)
def test_an_empty_array_has_no_points(selection: Any) -> None:
    array = zarrcore.create(MemoryStore()).create_array("a", shape=(0, 5), dtype="int32")
    assert same(array.vindex[selection], np.zeros((0, 5), "i4")[selection])


def test_a_mask_may_be_a_list_or_in_a_tuple() -> None:
    array = array_of("int32", np.arange(4, dtype="i4") + 5, False)
    assert array.vindex[[False, True, False, True]].tolist() == [0, 8]
    assert array.vindex[(np.array([False, True, False, True]),)].tolist() == [0, 8]


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 8)), min_size=1))
def test_points_are_grouped_by_chunk(points: list[tuple[int, int]]) -> None:
    rows, columns = (np.array(axis) for axis in zip(*points, strict=True))
    axes, shape = (RegularAxis(4), RegularAxis(3)), (16, 9)
    sorted_points = points_by_chunk(Points((rows, columns), rows.shape), axes, shape, keeps_order=True)
    order, found = sorted_points.order, list(sorted_points)
    assert [group.chunk for group in found] == sorted({(row // 4, column // 3) for row, column in points})
    for group in found:
        chosen = order[group.place].tolist()
        assert chosen == sorted(chosen)
        expected = [(points[i][0] - 4 * group.chunk[0], points[i][1] - 3 * group.chunk[1]) for i in chosen]
        assert list(zip(*(offsets.tolist() for offsets in group.offsets), strict=True)) == expected
    assert sorted(order.tolist()) == [*range(len(points))]


def test_each_chunk_with_points_is_requested_once(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["plain"]
    corners = [0, 1, 9, 29, -1]
    assert np.array_equal(array.vindex[corners, 0, corners], DATA[corners, 0, corners])
    keys = {"plain/c/0/0/0", "plain/c/2/0/2", "plain/c/2/0/4"}
    assert sorted(store.chunk_requests()) == sorted(keys)
    array.vindex[[], 0, 0]
    array.vindex[np.zeros(DATA.shape, bool)]
    assert len(store.chunk_requests()) == 3


def test_only_inner_chunks_with_points_are_read(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["sharded"]
    i, j, k = [0, 4, 5, 0], [0, 1, 0, 39], [0, 0, 1, 0]
    assert np.array_equal(array.vindex[i, j, k], DATA[i, j, k])
    requests = [(key, byte_range) for key, byte_range in store.requests if "/c/" in key]
    assert {key for key, _ in requests} == {"sharded/c/0/0/0", "sharded/c/0/1/0"}
    assert all(byte_range is not None for _, byte_range in requests)
    assert len(requests) == 4, "an index and one range for each shard"


def test_one_point_of_an_uncompressed_chunk_is_read_without_the_rest(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["raw"]
    assert np.array_equal(array.vindex[[1, 11], 2, 3], DATA[[1, 11], 2, 3])
    ranges = [byte_range for key, byte_range in store.requests if "/c/" in key]
    assert ranges == [ByteRange(246, 248)] * 2


@pytest.mark.parametrize("name", ["plain", "sharded"])
def test_the_cache_serves_points_and_keeps_their_chunks(store: CountingStore, name: str) -> None:
    chunk_cache = zarrcore.ChunkCache(1 << 24)
    array = zarrcore.open_hierarchy(store, chunk_cache=chunk_cache)[name]
    i, j, k = np.random.default_rng(1).integers(0, 30, (3, 200))
    for _ in range(2):
        assert np.array_equal(array.vindex[i, j, k], DATA[i, j, k])
        decoded = chunk_cache.decoded
    inner = {
        tuple(p // n for p, n in zip(point, array.inner_chunk_shape, strict=True))
        for point in zip(i, j, k, strict=True)
    }
    assert decoded == len(inner)
    requests = len(store.chunk_requests())
    assert np.array_equal(array.vindex[i, j, k], DATA[i, j, k])
    assert len(store.chunk_requests()) == requests


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(reader, "_UNITS_AT_ONCE", 7)
    return


@pytest.mark.usefixtures("few_at_once")
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("name", ["plain", "sharded"])
def test_more_chunks_than_are_read_at_once(written: Path, name: str, cached: bool) -> None:
    array = zarrcore.open_hierarchy(written, chunk_cache=zarrcore.ChunkCache(1 << 24) if cached else None)[
        name
    ]
    mask = np.random.default_rng(2).random(DATA.shape) < 0.1
    assert np.array_equal(array.vindex[mask], DATA[mask])


def test_missing_chunks_have_points_of_the_fill_value_and_failures_do_not(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["missing"]
    assert array.vindex[[9, 10, 29], 5, [0, 0, 49]].tolist() == [DATA[9, 5, 0], 9, 9]
    store.failing.add("missing/c/1/0/0")
    with pytest.raises(StoreTimeoutError):
        array.vindex[[9, 10, 29], 5, 0]


def test_an_array_of_very_many_chunks_costs_only_its_points() -> None:
    store = MemoryStore()
    made = zarrcore.create(store).create_array("a", shape=(1 << 30, 1 << 31), dtype="int8", chunks=(1, 1))
    made[-1, -1] = 5
    far = np.random.default_rng(3).integers(0, 1 << 30, 500)
    assert made.vindex[[*far, -1], [*far, -1]].tolist() == [0] * 500 + [5]


def test_reading_points_can_be_cancelled(store: CountingStore) -> None:
    array = zarrcore.open_hierarchy(store)["plain"]
    store.delay_s = 0.002
    mask = np.ones(DATA.shape, bool)
    with pytest.raises(ReadCancelledError):
        array.read_points(mask, cancelled=lambda: len(store.chunk_requests()) >= 10)
    assert len(store.chunk_requests()) < 60
    assert np.array_equal(array.read_points(mask), DATA.reshape(-1))


def test_points_of_a_broken_chunk_name_its_key() -> None:
    with tempfile.TemporaryDirectory() as folder:
        array = zarrcore.create(folder).create_array("a", shape=(4,), dtype="int32", chunks=(2,))
        array[...] = [1, 2, 3, 4]
        (Path(folder) / "a" / "c" / "1").write_bytes(b"nonsense")
        with pytest.raises(CodecError, match=r"^a/c/1 in .*: "):
            array.vindex[[0, 3]]
        assert array.vindex[[1, 0]].tolist() == [2, 1]


def test_limits_hold_for_points() -> None:
    store = MemoryStore()
    zarrcore.create(store).create_array("a", shape=(4, 4), dtype="int32", chunks=(4, 4))
    with pytest.raises(UnsupportedError, match="decodes to 64 bytes, over the limit of 63"):
        zarrcore.open_hierarchy(store, max_chunk_bytes=63)["a"].vindex[0, 0]
    zarrcore.open_hierarchy(store, mode="r+").create_array("b", shape=(1,) * 4, dtype="int32")
    axes = np.ix_(*np.zeros((4, 1 << 14), "i1"))
    with pytest.raises(SelectionError, match="do not fit in memory: select less"):
        zarrcore.open_hierarchy(store)["b"].vindex[axes]
