"""Chunk grids: the specification's own example, arithmetic against explicit lists, and invalid grids."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration, RectilinearChunkGrid, RegularAxis, RegularChunkGrid
from zarrcore.metadata.chunk_grid import (
    ChunkGrid,
    RectilinearAxis,
    chunk_indices,
    parse_chunk_grid,
    rectilinear_axis,
)

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


@given(EDGES.filter(bool), st.integers(1, 7))
def test_many_positions_are_located_at_once(edges: list[int], length: int) -> None:
    for axis in (rectilinear_axis(edges), RegularAxis(length)):
        positions = np.arange(sum(edges))[::-1]
        chunks, within = axis.locate(positions)
        assert chunks.tolist() == [axis.find(position) for position in positions.tolist()]
        assert within.tolist() == [p - axis.place(axis.find(p))[0] for p in positions.tolist()]


def test_positions_are_located_on_an_axis_that_is_longer_than_any_array() -> None:
    axis = RectilinearAxis(((3, 2), (5, 10**30), (7, 1)))
    chunks, within = axis.locate(np.array([4, 6, 2**62]))
    assert chunks.dtype == within.dtype == np.intp
    assert (chunks.tolist(), within.tolist()) == ([1, 2, axis.find(2**62)], [1, 0, (2**62 - 6) % 5])
    axis = RectilinearAxis(((2**62, 1), (5, 2), (2**63, 1), (7, 1), (3**63, 1), (7, 1)))
    chunks, within = axis.locate(np.array([4, 2**62 + 6, 2**62 + 11]))
    assert chunks.dtype == within.dtype == np.intp
    assert (chunks.tolist(), within.tolist()) == ([0, 2, 3], [4, 1, 1])


def test_chunks_may_be_longer_than_any_array() -> None:
    chunks, within = RegularAxis(2**63).locate(np.array([3, 2**62]))
    assert (chunks.tolist(), within.tolist()) == ([0, 0], [3, 2**62])


@given(st.lists(st.integers(0, 3), max_size=4).map(tuple))
def test_all_chunks_of_a_grid_come_in_c_order(grid_shape: tuple[int, ...]) -> None:
    assert [*chunk_indices(grid_shape)] == [*np.ndindex(grid_shape)]


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


def regular(chunk_shape: object, shape: tuple[int, ...]) -> ChunkGrid:
    return parse_chunk_grid(NamedConfiguration("regular", {"chunk_shape": chunk_shape}), shape)


@given(st.integers(1, 7), st.integers(0, 30), st.integers(0, 5))
def test_a_regular_grid_is_one_of_equal_edges(length: int, extent: int, index: int) -> None:
    shape = (extent, 4)
    grid = regular([length, 3], shape)
    same = parse([length, 3], shape)
    assert grid.grid_shape(shape) == same.grid_shape(shape)
    assert grid.chunk_origin((index, 1)) == same.chunk_origin((index, 1))
    assert grid.chunk_shape_at((index, 1)) == same.chunk_shape_at((index, 1)) == (length, 3)
    assert grid.axes == same.axes
    assert parse_chunk_grid(NamedConfiguration(**grid.document()), shape) == grid


def test_an_empty_dimension_may_have_empty_chunks() -> None:
    assert regular([0, 1, 2], (0, 5, 1)) == RegularChunkGrid((1, 1, 2))
    for shape in ((1,), (5,)):
        with pytest.raises(MetadataError, match="a chunk length of 0 for a dimension that is not empty"):
            regular([0], shape)
    grid = parse([[], 2], (0, 3))
    assert (grid.chunk_shape, grid.grid_shape((0, 3))) == ((1, 2), (0, 2))


@pytest.mark.parametrize("chunk_shape", [[-1], [5, 5], [], [True], 5, None])
def test_invalid_regular_grids_are_refused(chunk_shape: object) -> None:
    with pytest.raises(MetadataError):
        regular(chunk_shape, (0,))


def test_an_unknown_grid_is_named() -> None:
    with pytest.raises(UnsupportedError, match="hexagonal"):
        parse_chunk_grid(NamedConfiguration("hexagonal", {}), (5,))


def test_edges_are_written_in_their_shortest_form() -> None:
    document = parse([[1, 2, 2, [7, 1]], 5], (12, 5)).document()
    assert document["configuration"] == {"kind": "inline", "chunk_shapes": [[1, [2, 2], 7], 5]}


@pytest.mark.parametrize(
    ("value", "member"),
    [
        (RegularAxis(2), "length"),
        (rectilinear_axis([1, 2]), "runs"),
        (RegularChunkGrid((2,)), "chunk_shape"),
        (RectilinearChunkGrid((RegularAxis(2),)), "axes"),
    ],
)
def test_grids_do_not_change_and_print_what_they_are_made_of(value: Any, member: str) -> None:
    made_of = getattr(value, member)
    with pytest.raises(FrozenInstanceError):
        setattr(value, member, made_of)
    assert repr(value) == f"{type(value).__name__}({member}={made_of!r})"
    assert hash(value) == hash(type(value)(made_of))
