"""Blocks: together they are the array, no two share a chunk, and each is found by what lies in it."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.metadata.chunk_grid import ChunkAxis, RegularAxis, rectilinear_axis
from zarrcore.operations.copy.blocks import BlockAxis, BlockGrid, NumberSet, block_factors


@st.composite
def block_axes(draw: st.DrawFn) -> BlockAxis:
    extent = draw(st.integers(1, 20))
    axis: ChunkAxis = RegularAxis(draw(st.integers(1, 7)))
    if draw(st.booleans()):
        edges = draw(st.lists(st.integers(1, 5), min_size=extent, max_size=extent))
        axis = rectilinear_axis(edges)
    return BlockAxis(axis, extent, draw(st.integers(1, 4)))


grids = st.lists(block_axes(), max_size=3).map(lambda axes: BlockGrid(tuple(axes)))


@given(grid=grids)
def test_blocks_cover_the_array_once(grid: BlockGrid) -> None:
    seen = np.zeros(tuple(axis.extent for axis in grid.axes), int)
    for number in range(grid.count):
        seen[grid.box(number)] += 1
    assert (seen == 1).all()


@given(grid=grids)
def test_two_blocks_never_share_a_chunk(grid: BlockGrid) -> None:
    for axis in grid.axes:
        owner: dict[int, int] = {}
        for block in range(axis.count):
            part = axis.place(block)
            for element in range(part.start, part.stop):
                assert owner.setdefault(axis.chunks.find(element), block) == block


@given(grid=grids, data=st.data())
def test_a_box_crosses_the_blocks_that_share_elements_with_it(grid: BlockGrid, data: st.DataObject) -> None:
    box = []
    for axis in grid.axes:
        start = data.draw(st.integers(0, axis.extent - 1))
        box.append(slice(start, data.draw(st.integers(start + 1, axis.extent))))
    numbers = np.empty(tuple(axis.extent for axis in grid.axes), int)
    for number in range(grid.count):
        numbers[grid.box(number)] = number
    assert list(grid.crossed(tuple(box))) == np.unique(numbers[tuple(box)]).tolist()


lengths = st.lists(st.tuples(st.integers(1, 500), st.integers(1, 60), st.integers(1, 60)), max_size=4)


@given(lengths=lengths, limit=st.integers(1, 10**6))
def test_blocks_stay_within_the_limit_and_hold_whole_decoded_chunks(
    lengths: list[tuple[int, int, int]], limit: int
) -> None:
    shape, chunks, units = zip(*lengths, strict=True) if lengths else ((), (), ())
    factors = block_factors(shape, chunks, units, limit // 2, limit)
    block = [min(n * chunk, length) for n, chunk, length in zip(factors, chunks, shape, strict=True)]
    assert math.prod(block) <= limit or set(factors) <= {1}
    if math.prod(map(math.lcm, chunks, units)) <= limit:  # there is room for whole units of the source
        for length, unit, whole in zip(block, units, shape, strict=True):
            assert length % unit == 0 or length == whole


@given(numbers=st.lists(st.integers(0, 99)), many=st.booleans())
def test_a_set_of_numbers(numbers: list[int], many: bool) -> None:
    found = NumberSet(10**12 if many else 100)
    for number in numbers:
        found.add(number)
    assert list(found) == sorted(set(numbers))
    assert all((number in found) == (number in numbers) for number in range(100))
