"""Selections of all kinds read and write the same elements as with zarr-python and NumPy."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import example, given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.array.counting_store import DATA, CountingStore
from tests.core.array.selection.selections import any_selection, numpy_outer, outcome, outer, points, same
from tests.core.array.test_rectilinear import PACKED
from tests.core.array.test_rectilinear import written as rectilinear
from zarrcore.array import ChunkCache
from zarrcore.array.selection.any_selection import normalize_any
from zarrcore.array.selection.outer import Outer
from zarrcore.errors import ElementError, ReadOnlyError, SelectionError
from zarrcore.stores import MemoryStore

SHAPE = (7, 6, 5)
VALUES = np.arange(210, dtype="i4").reshape(SHAPE)
LAYOUTS: dict[str, dict[str, Any]] = {
    "v3": {"chunks": (3, 2, 4)},
    "uncompressed": {"chunks": (3, 2, 4), "codecs": []},
    "small chunks": {"chunks": (1, 2, 1)},
    "shards": {"chunks": (2, 1, 2), "shards": (4, 3, 4)},
    "shards in shards": {
        "chunks": (4, 4, 4),
        "codecs": [
            {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": [2, 4, 2],
                    "codecs": [
                        {
                            "name": "sharding_indexed",
                            "configuration": {"chunk_shape": [2, 2, 1], "codecs": ["bytes"]},
                        }
                    ],
                },
            }
        ],
    },
    "v2": {"format": "v2", "chunks": (3, 2, 4)},
    "n5": {"format": "n5", "chunks": (3, 2, 4)},
}


def created(layout: str, shape: tuple[int, ...] = SHAPE, **options: Any) -> tuple[MemoryStore, Any]:
    options = {**LAYOUTS[layout], **options}
    store = MemoryStore()
    hierarchy = zarrcore.create(store, options.pop("format", "v3"))
    return store, hierarchy.create_array("a", shape=shape, dtype="int32", **options)


def of_numpy(values: np.ndarray, selection: Any) -> np.ndarray:
    """An outer selection of a NumPy array."""
    mesh, shape = numpy_outer(selection, values.shape)
    return values[mesh].reshape(shape)


@cache
def arrays(layout: str) -> tuple[Any, Any, Any]:
    """The values with zarr-python, and stored in a layout, without and with a cache."""
    store, array = created(layout)
    array[...] = VALUES
    theirs = zarr.create_array(zarr.storage.MemoryStore(), shape=SHAPE, dtype="i4", chunks=(3, 2, 4))
    theirs[...] = VALUES
    cached = zarrcore.open_hierarchy(store, chunk_cache=ChunkCache(1 << 20))["a"]
    return theirs, array, cached


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=25, deadline=None)
@given(selection=any_selection(SHAPE, beyond=1))
def test_what_zarr_python_selects_is_selected_here(layout: str, selection: Any) -> None:
    theirs, *ours = arrays(layout)
    expected, numpys = (
        outcome(lambda: theirs[deepcopy(selection)], ValueError),
        outcome(lambda: VALUES[selection]),
    )
    for array in ours:
        found = outcome(lambda array=array: array[selection])
        if expected is not IndexError:
            assert same(found, expected)
        elif found is not IndexError:  # more than zarr-python has, such as negative steps
            # NumPy moves the dimension of an array that a slice separates from an integer; zarr-python does not.
            assert same(found, numpys) or same(found, outcome(lambda: of_numpy(VALUES, selection)))


# zarr-python compares arrays with Ellipsis, which NumPy before 2.2 only warns of.
@pytest.mark.filterwarnings("ignore:The truth value of an empty array:DeprecationWarning:zarr")
@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_points_and_outer_products_are_those_of_zarr_python_and_numpy(
    layout: str, data: st.DataObject
) -> None:
    theirs, *ours = arrays(layout)
    kind = data.draw(st.sampled_from(["oindex", "vindex"]))
    selection = data.draw((outer if kind == "oindex" else points)(SHAPE, beyond=1))
    expected = outcome(lambda: of_numpy(VALUES, selection) if kind == "oindex" else VALUES[selection])
    of_zarr_python = outcome(lambda: getattr(theirs, kind)[deepcopy(selection)], ValueError)
    assert of_zarr_python is IndexError or same(of_zarr_python, expected)
    for array in ours:
        assert same(outcome(lambda array=array: getattr(array, kind)[selection]), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), kind=st.sampled_from(["oindex", "vindex", "any"]), empty=st.booleans())
def test_what_is_written_is_what_numpy_writes(
    layout: str, data: st.DataObject, kind: str, empty: bool
) -> None:
    _, array = created(layout)
    expected = np.zeros(SHAPE, "i4")
    for number in range(1, 4):
        selection = data.draw((outer if kind == "oindex" else points)(SHAPE))
        if kind == "oindex":
            mesh, shape = numpy_outer(selection, SHAPE)
        else:
            mesh, shape = selection, expected[selection].shape
        values = number if data.draw(st.booleans()) else np.arange(np.prod(shape), dtype="i8").reshape(shape)
        if kind == "any":
            array.write(selection, values, write_empty_chunks=empty)
        else:
            getattr(array, kind)[selection] = values
        expected[mesh] = values if np.ndim(values) == 0 else values.reshape(expected[mesh].shape)
        assert np.array_equal(array[...], expected)


@settings(max_examples=25, deadline=None)
@given(data=st.data(), layout=st.sampled_from(["v3", "shards", "v2"]))
def test_zarr_python_writes_the_same_by_the_same_selection(data: st.DataObject, layout: str) -> None:
    _, array = created(layout)
    theirs = zarr.create_array(zarr.storage.MemoryStore(), shape=SHAPE, dtype="i4", chunks=(3, 2, 4))
    for number in range(1, 4):
        selection = data.draw(any_selection(SHAPE))
        try:
            theirs[deepcopy(selection)] = number  # older releases change the indices
        except (IndexError, ValueError):  # with '...' and arrays it compares what cannot be compared
            continue
        array[selection] = number
        assert np.array_equal(array[...], theirs[...])


@settings(max_examples=25, deadline=None)
@given(data=st.data(), cached=st.booleans())
def test_chunks_that_differ_in_shape_are_selected_and_written_too(data: st.DataObject, cached: bool) -> None:
    expected = np.zeros((8, 7), "u2")
    store = rectilinear([[1, 3, 3, 2], [4, 1, 2]], expected, PACKED)
    array = zarrcore.open_hierarchy(store, "r+", chunk_cache=ChunkCache(1 << 16) if cached else None)["/"]
    for number in range(1, 4):
        selection = data.draw(outer((8, 7)))
        mesh, shape = numpy_outer(selection, (8, 7))
        array.oindex[selection] = number
        expected[mesh] = number
        assert np.array_equal(array.oindex[selection], expected[mesh].reshape(shape))
        selection = data.draw(points((8, 7)))
        array.vindex[selection] = 10 * number
        expected[selection] = 10 * number
        assert np.array_equal(array[...], expected)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,)])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_arrays_of_no_elements_or_no_dimensions_are_as_in_numpy(
    shape: tuple[int, ...], data: st.DataObject
) -> None:
    _, array = created("v3", shape, chunks=(2,) * len(shape))
    values = np.zeros(shape, "i4")
    selection = data.draw(outer(shape, beyond=1))
    assert same(outcome(lambda: array.oindex[selection]), outcome(lambda: of_numpy(values, selection)))
    if shape:
        selection = data.draw(points(shape, beyond=1))
        assert same(outcome(lambda: array.vindex[selection]), outcome(lambda: values[selection]))


def test_a_scalar_is_returned_where_numpy_returns_one() -> None:
    _, array, _ = arrays("v3")
    for selection in [(1, 2, 3), (np.int8(1), -4, np.array(3))]:
        for found in (array[selection], array.oindex[selection], array.vindex[selection]):
            assert type(found) is np.int32
            assert found == VALUES[1, 2, 3]
    assert array[1, 2, 3, ...].shape == array[[1], [2], [3]].shape[1:] == ()


def test_indices_may_be_arrays_of_other_libraries() -> None:
    _, array, _ = arrays("v3")
    theirs = zarr.create_array(zarr.storage.MemoryStore(), shape=(2,), dtype="u1")
    theirs[...] = [5, 0]
    _, ours = created("v3", (2,), chunks=(2,))
    ours[...] = [5, 0]
    for indices in ([5, 0], (5, 0), np.array([5, 0], "u8"), range(5, -1, -5), theirs, ours):
        assert np.array_equal(array[:, indices], VALUES[:, [5, 0]])
        assert np.array_equal(array.oindex[:, indices], VALUES[:, [5, 0]])


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (([0, 1], slice(None), [0, 1]), "several arrays beside slices may mean two things: use oindex"),
        (([0, 1], [0, 1]), "several arrays beside slices"),
        ((..., [0], [1]), "several arrays beside slices"),
        (([0, 1], [0, 1, 2], 0), "the indices do not broadcast: "),
        ([7], "dimension 0: indices must be in [0, 7), found 7"),
        ((0, [1, -7]), "dimension 1: indices must be in [0, 6), found -7"),
        ([[0, 1]], "dimension 0: an array that selects in one dimension must have one, found 2"),
        (np.ones(6, bool), "dimension 0: expected a mask of length 7, found 6"),
        (np.ones((7, 6), bool), "dimension 0: an array that selects in one dimension must have one, found 2"),
        ((np.ones((7, 6), bool), 0), "dimension 0: an array that selects"),
        ([0.5], "dimension 0: expected an integer or an array of integers, found float64"),
        (["x"], "['x'] names a field, but elements of int32 have none"),
        ([[1], [1, 2]], "dimension 0: "),
        ((0, None), "dimension 1: expected an integer, a slice, '...' or an array, found None"),
        ("x", "'x' names a field, but elements of int32 have none"),
        ([0, "x"], "dimension 0: expected an integer or an array of integers, found <U21"),
        (True, "dimension 0: expected an integer, a slice, '...' or an array, found True"),
        ([0, slice(None)], "dimension 0: "),
    ],
    ids=str,
)
def test_what_cannot_be_selected_is_an_index_error_of_one_line(selection: Any, message: str) -> None:
    _, array, _ = arrays("v3")
    for use in (lambda: array[selection], lambda: array.__setitem__(selection, 0)):
        with pytest.raises(SelectionError, match="^" + re.escape(message)) as caught:
            use()
        assert isinstance(caught.value, IndexError)
        assert "\n" not in str(caught.value)


def test_values_of_another_shape_are_refused_as_in_numpy() -> None:
    _, array = created("v3")
    for kind, selection in [("oindex", ([0, 1], slice(None), 0)), ("vindex", ([0, 1], 0, 0))]:
        with pytest.raises(ElementError, match="expected values of shape"):
            getattr(array, kind)[selection] = np.zeros(3)
    assert not array[...].any()


def test_an_array_opened_for_reading_is_not_written_by_any_selection() -> None:
    store, _ = created("v3")
    array = zarrcore.open_hierarchy(store)["a"]
    for indexer in (array, array.oindex, array.vindex, array.blocks):
        with pytest.raises(ReadOnlyError, match="was opened read-only"):
            indexer[0, 0, 0] = 1


@pytest.mark.parametrize("name", ["plain", "sharded"])
def test_only_chunks_with_selected_elements_are_requested(store: CountingStore, name: str) -> None:
    array = zarrcore.open_hierarchy(store)[name]
    rows, columns = [0, 29, 3, 29], [1, 39]
    assert np.array_equal(array.oindex[rows, 5, columns], DATA[np.ix_(rows, [5], columns)][:, 0])
    grid = array.chunk_shape
    expected = {f"{name}/c/{r // grid[0]}/0/{c // grid[2]}" for r in rows for c in columns}
    assert set(store.chunk_requests()) == expected
    if name == "plain":
        assert len(store.chunk_requests()) == len(expected), "each chunk once"
    store.requests.clear()
    array[[], 0]
    assert store.chunk_requests() == []


def test_evenly_spaced_indices_are_read_as_a_slice() -> None:
    """So an uncompressed chunk is read by its range."""
    wanted = normalize_any(([1, 3, 5], np.array([False, True, True, False])), (7, 4))
    assert isinstance(wanted, Outer)
    assert wanted.axes == normalize_any((slice(1, 6, 2), slice(1, 3)), (7, 4)).axes
    assert not wanted.rearranged


@example([0, 2, 3, 6])
@given(st.lists(st.integers(0, 11), max_size=12))
def test_out_is_filled_whatever_the_order_of_indices(indices: list[int]) -> None:
    _, array = created("v3", (12,), chunks=(4,))
    values = np.arange(12, dtype="i4") * 3
    array[...] = values
    out = np.zeros((len(indices), 2), "i4")[:, 1]
    assert array.read(indices, out=out) is out
    assert np.array_equal(out, values[np.array(indices, int)])
    with pytest.raises(SelectionError, match="expected a writable out"):
        array.read(indices, out=np.zeros(len(indices) + 1, "i4"))
