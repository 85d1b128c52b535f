"""Data written into an array's bytes that is not in its chunks yet."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore as zc
from zarrcore.stores import MemoryStore
from zarrfs.trees.writing.array_edits import ArrayEdits, Stretches


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=30))
def test_stretches_agree_with_a_mask(ranges: list[tuple[int, int]]) -> None:
    stretches, expected = Stretches(), np.zeros(100, bool)
    for start, length in ranges:
        stretches.add(start, start + length)
        expected[start : start + length] = True
        found = np.zeros(100, bool)
        parts = [*stretches.within(0, 100)]
        for first, last in parts:
            found[first:last] = True
        np.testing.assert_array_equal(found, expected)
        assert stretches.nbytes == expected.sum()
        assert all(stop < start for (_, stop), (start, _) in pairwise(parts))
        for first, last in stretches.within(10, 30):
            assert 10 <= first < last <= 30


@given(
    shape=st.lists(st.integers(1, 9), max_size=3).map(tuple),
    data=st.data(),
    itemsize=st.sampled_from(["u1", "<i4", "V3"]),
)
@settings(max_examples=40)
def test_edits_agree_with_a_bytearray(shape: tuple[int, ...], data: st.DataObject, itemsize: str) -> None:

    hierarchy = zc.create(MemoryStore())
    chunks = tuple(data.draw(st.integers(1, 4)) for _ in shape)
    array = hierarchy.create_array("/a", shape=shape, dtype=np.dtype(itemsize), chunks=chunks, codecs=[])
    expected = bytearray(np.asarray(array[...]).tobytes())
    edits = ArrayEdits(array)
    for _ in range(data.draw(st.integers(1, 8))):
        offset = data.draw(st.integers(0, len(expected) - 1))
        content = data.draw(st.binary(min_size=1, max_size=len(expected) - offset))
        edits.write(offset, content, True)
        expected[offset : offset + len(content)] = content
        seen = bytearray(np.asarray(array[...]).tobytes())
        edits.overlay(0, memoryview(seen))
        assert seen == expected
        if data.draw(st.booleans()):
            edits.store()
            assert np.asarray(array[...]).tobytes() == expected
    edits.store()
    edits.close()
    assert np.asarray(array[...]).tobytes() == expected
