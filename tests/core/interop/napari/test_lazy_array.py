"""Parts of arrays that are read when NumPy asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.errors import ReadOnlyError, SelectionError
from zarrcore.interop.napari.lazy_array import Conversion, LazyArray
from zarrcore.stores import MemoryStore

VALUES = np.arange(4 * 5 * 6).reshape(4, 5, 6)


class Source:
    """An array that counts reads."""

    def __init__(self) -> None:
        self.shape, self.dtype = VALUES.shape, VALUES.dtype
        self.reads: list[Any] = []

    def read(self, selection: Any) -> np.ndarray:
        self.reads.append(selection)
        return np.asarray(VALUES[selection])


BOUND = st.none() | st.integers(-8, 8)
SLICE = st.builds(slice, BOUND, BOUND, st.sampled_from([None, 1, 2, 3, -1, -2]))


@given(st.data())
def test_parts_of_parts_are_those_of_numpy(data: st.DataObject) -> None:
    source = Source()
    found, expected = LazyArray(source), VALUES
    for _ in range(data.draw(st.integers(1, 4))):
        parts = [
            data.draw(SLICE | st.integers(-length, length - 1)) if length else slice(None)
            for length in expected.shape[: data.draw(st.integers(0, expected.ndim))]
        ]
        if data.draw(st.booleans()):
            parts.insert(data.draw(st.integers(0, len(parts))), ...)
            # What follows the dots selects in the last dimensions, which have other lengths.
            parts = [part if part is ... or isinstance(part, slice) else slice(None) for part in parts]
        key = tuple(parts)
        found, expected = found[key], expected[key]
        assert (found.shape, found.ndim, found.size) == (expected.shape, expected.ndim, expected.size)
    assert not source.reads
    assert np.array_equal(np.asarray(found), expected)
    assert len(source.reads) == 1


@given(st.data())
def test_an_array_of_a_hierarchy_reads_what_numpy_selects(data: st.DataObject) -> None:
    array = zarrcore.create(MemoryStore()).create_array(
        "/x", shape=VALUES.shape, dtype="int64", chunks=(2, 3, 4)
    )
    array[...] = VALUES
    key = tuple(data.draw(SLICE | st.integers(-length, length - 1)) for length in VALUES.shape)
    assert np.array_equal(np.asarray(LazyArray(array)[key]), VALUES[key])


def test_elements_are_converted_when_they_are_read() -> None:
    half = Conversion(np.dtype("f4"), lambda found: found.astype("f4") / 2)
    lazy = LazyArray(Source(), half)[1]
    assert lazy.dtype == np.dtype("f4")
    assert lazy.nbytes == 4 * 30
    assert np.array_equal(np.asarray(lazy), VALUES[1] / 2)
    assert np.asarray(lazy, dtype="i8").dtype == np.dtype("i8")


def test_chunks_are_told_where_a_part_has_whole_dimensions() -> None:
    lazy = LazyArray(Source(), chunk_shape=(1, 2, 3))
    assert lazy.chunks == (1, 2, 3)
    assert lazy[2].chunks == (2, 3)
    assert lazy[:, 1:].chunks is None
    assert LazyArray(Source()).chunks is None


@pytest.mark.parametrize("key", [[0, 1], np.array([0]), None, True, (slice(None),) * 4, 9, (..., ...), "x"])
def test_other_keys_are_refused(key: Any) -> None:
    with pytest.raises(SelectionError):
        LazyArray(Source())[key]


def test_layers_are_read_only() -> None:
    with pytest.raises(ReadOnlyError, match="read-only: make a layer of"):
        LazyArray(Source())[0] = 1
    with pytest.raises(ValueError, match="copied"):
        np.asarray(LazyArray(Source()), copy=False)
