"""Blocks are selected as in zarr-python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.array.test_rectilinear import PACKED
from tests.core.array.test_rectilinear import written as rectilinear
from zarrcore.errors import SelectionError
from zarrcore.stores import MemoryStore

VALUES = np.arange(77, dtype="i4").reshape(7, 11)
BOUNDS = st.none() | st.integers(-3, 4)  # zarr-python takes bounds below that for others
ITEMS = st.integers(-5, 5) | st.builds(slice, BOUNDS, BOUNDS, st.none() | st.just(1))


@pytest.mark.parametrize("layout", [{"chunks": (3, 4)}, {"chunks": (1, 2), "shards": (3, 4)}], ids=str)
@settings(max_examples=40, deadline=None)
@given(items=st.lists(ITEMS | st.just(...), max_size=3))
def test_blocks_are_read_and_written_as_in_zarr_python(layout: dict[str, Any], items: list[Any]) -> None:
    theirs = zarr.create_array(zarr.storage.MemoryStore(), shape=(7, 11), dtype="i4", **layout)
    theirs[...] = VALUES
    options = {"chunks": layout["chunks"], "shards": layout.get("shards")}
    ours = zarrcore.create(MemoryStore()).create_array("a", shape=(7, 11), dtype="int32", **options)
    ours[...] = VALUES
    selection = tuple(items)
    try:
        expected = theirs.blocks[selection]
    except IndexError:  # also for slices of nothing, where NumPy has an empty array
        try:
            assert ours.blocks[selection].size == 0
        except SelectionError:
            return
    else:
        assert np.array_equal(ours.blocks[selection], expected)
        theirs.blocks[selection] = -1
        ours.blocks[selection] = -1
        assert np.array_equal(ours[...], theirs[...])


def test_chunks_that_differ_in_shape_are_blocks() -> None:
    values = np.arange(56, dtype="u2").reshape(8, 7)
    array = zarrcore.open_hierarchy(rectilinear([[1, 3, 3, 2], [4, 1, 2]], values, PACKED))["/"]
    assert np.array_equal(array.blocks[3, 1:], values[7:, 4:])
    assert np.array_equal(array.blocks[1], values[1:4])


@pytest.mark.parametrize("selection", [3, -4, (0, 3), slice(None, None, 2), slice(None, None, -1), [0], "x"])
def test_other_blocks_are_refused(selection: Any) -> None:
    array = zarrcore.create(MemoryStore()).create_array("a", shape=(7, 11), dtype="u1", chunks=(3, 4))
    with pytest.raises(SelectionError):
        array.blocks[selection]
