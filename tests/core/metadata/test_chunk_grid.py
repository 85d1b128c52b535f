"""Chunk grids: the specification's own example, arithmetic against explicit lists, and invalid grids."""

from __future__ import annotations

import math
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration, RectilinearChunkGrid, RegularAxis
from zarrcore.metadata.chunk_grid import ChunkGrid, chunk_indices, parse_chunk_grid, rectilinear_axis

EDGES = st.lists(st.integers(1, 7), max_size=12)


def parse(edges: object, shape: tuple[int, ...]) -> ChunkGrid:
    return parse_chunk_grid(
        NamedConfiguration("rectilinear", {"kind": "inline", "chunk_shapes": edges}), shape
    )


def test_the_specifications_example() -> None:
    shape = (6, 6, 6, 6, 6)
    grid = parse([4, [1, 2, 3], [[4, 2]], [[1, 3], 3], [4, 4, 4]], shape)
    assert grid.grid_shape(shape) == (2, 3, 2, 4, 2)
    lengths = [
        [axis.place(i)[1] for i in range(count)]
        for axis, count in zip(grid.axes, grid.grid_shape(shape), strict=True)
    ]
    assert lengths == [[4, 4], [1, 2, 3], [4, 4], [1, 1, 1, 3], [4, 4]]
    assert grid.chunk_shape == (4, 3, 4, 3, 4)
    assert grid.chunk_shape_at((1, 1, 0, 3, 1)) == (4, 2, 4, 3, 4)
    assert grid.chunk_origin((1, 1, 0, 3, 1)) == (4, 1, 0, 3, 4)
    again = parse_chunk_grid(NamedConfiguration(**grid.document()), shape)
    assert again == grid


@given(EDGES)
def test_axes_equal_their_explicit_lists(edges: list[int]) -> None:
    axis = rectilinear_axis(edges)
    owners = [index for index, edge in enumerate(edges) for _ in range(edge)]
    assert axis.extent == len(owners)
    assert [axis.find(position) for position in range(len(owners))] == owners
    assert [axis.place(index) for index in range(len(edges))] == [
        (sum(edges[:index]), edge) for index, edge in enumerate(edges)
    ]
    for extent in range(len(owners) + 1):
        assert axis.count(extent) == len(set(owners[:extent]))


@given(EDGES, st.integers(1, 7))
def test_grids_read_back_as_written(edges: list[int], length: int) -> None:
    shape = (sum(edges), 3)
    grid = RectilinearChunkGrid((rectilinear_axis(edges), RegularAxis(length)))
    assert parse_chunk_grid(NamedConfiguration(**grid.document()), shape) == grid


def test_edges_are_never_written_out() -> None:
    shape = (10**15, 5)
    grid = parse([[[1, 10**15], 7], 5], shape)
    assert grid.grid_shape(shape) == (10**15, 1)
    assert grid.chunk_origin((10**15, 0)) == (10**15, 0)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (None, "expected an array of edge lengths, found null"),
        ([5], "expected 2 lengths"),
        ([[2, 2], 5], r"chunk_shapes\[0\]: expected edges that sum to 5 elements, found 4"),
        (
            [[2, [3]], 5],
            r"chunk_shapes\[0\]\[1\]: expected a length and a count, found 1 elements",
        ),
        ([[2, [3, 0]], 5], r"chunk_shapes\[0\]\[1\]\[1\]: expected at least 1"),
        ([0, 5], "expected at least 1"),
        ([[5, -1], 5], "expected at least 1"),
        ([[5, True], 5], "expected an integer"),
        (["5", 5], "expected an integer"),
        ([[[[5, 1], 1]], 5], "expected an integer"),
    ],
)
def test_invalid_rectilinear_grids_are_refused(edges: object, message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        parse(edges, (5, 5))


def test_an_unknown_kind_of_grid_is_named() -> None:
    with pytest.raises(UnsupportedError, match="external"):
        parse_chunk_grid(NamedConfiguration("rectilinear", {"kind": "external"}), (5,))


@given(st.lists(st.integers(0, 4), max_size=4).map(tuple))
def test_the_indices_of_a_grid_are_in_c_order(grid_shape: tuple[int, ...]) -> None:
    indices = list(chunk_indices(grid_shape))
    assert indices == list(product(*map(range, grid_shape)))
    assert len(indices) == math.prod(grid_shape)


def test_indices_are_made_one_at_a_time() -> None:
    long = 1 << 60
    assert list(islice(chunk_indices((long, long)), 2)) == [(0, 0), (0, 1)]
    assert list(chunk_indices((long, 0))) == list(chunk_indices((0, long))) == []
