"""Plans of reads: whether they are ready, and the elements that they read."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.array.selection.axes import AxisRange

DATA = np.arange(5 * 7 * 6, dtype="i4").reshape(5, 7, 6)


def array(shard_shape: tuple[int, ...] | None = None) -> zarrcore.Array:
    stored = zarrcore.create("memory://").create_array(
        "/a", shape=DATA.shape, dtype="int32", chunks=(2, 3, 4), shards=shard_shape
    )
    stored[...] = DATA
    return stored.with_chunk_cache(zarrcore.ChunkCache(1 << 20))


@st.composite
def regions(draw: st.DrawFn) -> list[AxisRange]:
    ranges = []
    for length in DATA.shape:
        start = draw(st.integers(0, length))
        step = draw(st.integers(1, 3))
        ranges.append(AxisRange(start, step, draw(st.integers(0, len(range(start, length, step))))))
    return ranges


@given(regions(), st.sampled_from([None, (4, 6, 4)]), st.booleans())
def test_a_plan_reads_as_numpy_selects_ready_or_not(
    ranges: list[AxisRange], shard_shape: tuple[int, ...] | None, in_sequence: bool
) -> None:
    cached = array(shard_shape)
    index = tuple(slice(axis.start, axis.start + axis.count * axis.step, axis.step) for axis in ranges)
    expected = DATA[index]
    cold, warm = np.empty(expected.shape, DATA.dtype), np.empty(expected.shape, DATA.dtype)
    cached.plan(ranges).read_into(cold, in_sequence=in_sequence)
    cached.plan(ranges).prefetch()
    plan = cached.plan(ranges)
    assert plan.is_ready()
    plan.read_into(warm)
    assert cold.tolist() == warm.tolist() == expected.tolist()


EVERYTHING = [AxisRange(0, 1, length) for length in DATA.shape]


def test_a_plan_that_was_ready_stays_ready_when_the_cache_drops_its_chunks() -> None:
    cached = array()
    cached.plan(EVERYTHING).prefetch()
    plan = cached.plan(EVERYTHING)
    assert plan.is_ready()
    assert cached.chunk_cache is not None
    cached.chunk_cache.clear()
    out = np.empty(DATA.shape, DATA.dtype)
    plan.read_into(out)
    assert out.tolist() == DATA.tolist()
    assert not cached.plan(EVERYTHING).is_ready()
    assert cached.chunk_cache.decoded == cached.chunk_grid_shape[0] * 3 * 2, "decoded once only"


def test_without_a_cache_nothing_is_ready() -> None:
    stored = array()
    stored.chunk_cache = None
    stored.plan(EVERYTHING).prefetch()
    assert not stored.plan(EVERYTHING).is_ready()


@pytest.mark.parametrize("suffix", ["raw", "npy"])
def test_the_calls_of_a_warm_request_do_not_grow_with_its_chunks(suffix: str) -> None:
    """A mount answers these requests on its only thread."""
    calls = []
    for chunks in (4, 16):
        shape = (chunks, chunks, chunks)
        stored = zarrcore.create("memory://").create_array(
            "/a", shape=shape, dtype="uint8", chunks=(1, 1, chunks), fill_value=3
        )
        file = zarrcore.virtual_file(stored.with_chunk_cache(zarrcore.ChunkCache(1 << 22)), suffix=suffix)
        file.prefetch(0, file.size)
        plan = file.plan(0, file.size)
        assert plan.is_ready()
        buffer = memoryview(bytearray(plan.nbytes))
        calls.append(_calls(plan.read_into, buffer))
    assert calls[0] == calls[1] < 40


def _calls(function: Any, *arguments: Any) -> int:
    """The number of Python calls that a call makes."""
    count = 0

    def note(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return count
