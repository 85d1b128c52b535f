"""Units of decoding: the units that a selection crosses, and the chunks that contain them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.array.chunks.decode_units import DecodeUnitGrid, unit_of_points
from zarrcore.array.selection.basic import normalize
from zarrcore.array.selection.points import normalize_points
from zarrcore.metadata import RegularChunkGrid

SHAPE = (11, 9)


@given(st.tuples(*(st.slices(length).filter(lambda part: (part.step or 1) > 0) for length in SHAPE)))
def test_the_units_of_a_selection_contain_each_of_its_elements_once(selection: tuple[slice, ...]) -> None:
    ranges = normalize(selection, SHAPE)
    data = np.arange(99).reshape(SHAPE)
    padded = np.pad(data, ((0, 1), (0, 3)))
    grid = DecodeUnitGrid(RegularChunkGrid((6, 6)), (3, 2))
    out = np.full(data[selection].shape, -1)
    crossed = grid.crossings(ranges)
    for unit in grid.units(crossed, out):
        origin = [i * length for i, length in zip(unit.index, grid.unit_shape, strict=True)]
        unit.take(padded[origin[0] : origin[0] + 3, origin[1] : origin[1] + 2])
        assert grid.chunk_of(unit.index) == tuple(first // 6 for first in origin)
    assert out.tolist() == data[selection].tolist()
    indices = [unit.index for parts in grid.by_chunk(crossed) for unit in grid.units(parts, None)]
    assert sorted(indices) == sorted(unit.index for unit in grid.units(crossed, None))


@given(st.lists(st.tuples(*(st.integers(0, length - 1) for length in SHAPE)), min_size=1))
def test_the_units_of_points_contain_each_of_them_once(chosen: list[tuple[int, int]]) -> None:
    data = np.arange(99).reshape(SHAPE)
    padded = np.pad(data, ((0, 1), (0, 3)))
    points = normalize_points(tuple(np.transpose(chosen)), SHAPE)
    grid = DecodeUnitGrid(RegularChunkGrid((6, 6)), (3, 2))
    gathered = np.full(len(chosen), -1)
    groups = grid.by_unit(points, SHAPE)
    indices = []
    for group in groups:
        unit = unit_of_points(group, gathered)
        origin = [i * length for i, length in zip(unit.index, grid.unit_shape, strict=True)]
        unit.take(padded[origin[0] : origin[0] + 3, origin[1] : origin[1] + 2])
        indices.append(unit.index)
    assert indices == sorted({(row // 3, column // 2) for row, column in chosen})
    out = np.empty_like(gathered)
    out[groups.order] = gathered
    assert out.tolist() == [data[point] for point in chosen]


def test_the_units_of_a_chunk_are_its_inner_chunks_or_itself() -> None:
    grid = DecodeUnitGrid(RegularChunkGrid((6, 6)), (3, 2))
    assert list(grid.units_of((1, 0))) == list(product((2, 3), (0, 1, 2)))
    assert list(DecodeUnitGrid(RegularChunkGrid((6, 6))).units_of((1, 0))) == [(1, 0)]


def test_a_unit_that_is_read_whole_has_no_region() -> None:
    grid = DecodeUnitGrid(RegularChunkGrid((3, 2)))
    units = list(grid.units(grid.crossings(normalize((slice(0, 6), slice(0, 3)), SHAPE)), None))
    assert [unit.region is None for unit in units] == [True, False, True, False]


@pytest.mark.parametrize("selection", [(slice(0), slice(None)), (slice(None), slice(5, 5))], ids=str)
def test_an_empty_selection_crosses_no_units_however_long_its_other_axis_is(
    selection: tuple[slice, ...],
) -> None:
    grid = DecodeUnitGrid(RegularChunkGrid((6, 6)), (3, 2))
    assert grid.crossings(normalize(selection, (1 << 16, 1 << 16))) == [[], []]
