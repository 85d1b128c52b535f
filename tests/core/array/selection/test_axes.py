"""What a selection takes in one dimension, and the chunks that this crosses."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from zarrcore.array.selection.axes import AxisIndices, AxisRange, axis_of, crossings, upwards
from zarrcore.array.selection.basic import normalize
from zarrcore.metadata import ChunkAxis, RegularAxis
from zarrcore.metadata.chunk_grid import rectilinear_axis

AXES = st.builds(RegularAxis, st.integers(1, 7)) | st.lists(st.integers(1, 7), min_size=12).map(
    rectilinear_axis
)


@example(RegularAxis(1), 0, 2, 3)
@given(AXES, st.integers(0, 11), st.integers(1, 9), st.integers(0, 12))
def test_a_range_is_cut_at_the_ends_of_chunks(axis: ChunkAxis, start: int, step: int, count: int) -> None:
    """Steps longer than chunks skip some of them."""
    count = min(count, len(range(start, axis.extent or 100, step)))
    selected = range(start, start + count * step, step)
    found = [*crossings(AxisRange(start, step, count), axis)]
    assert [chunk for chunk, *_ in found] == sorted({axis.find(position) for position in selected})
    for chunk, inside, place, is_whole in found:
        origin, length = axis.place(chunk)
        positions = [origin + offset for offset in range(*inside.indices(length))]
        assert positions == [*selected[place]]
        assert is_whole == (positions == [*range(origin, origin + length)] and step == 1)
    assert [place.start for *_, place, _ in found] == [0, *(place.stop for *_, place, _ in found)][
        : len(found)
    ]
    assert AxisRange(start, step, max(1, count)).last == start + (max(1, count) - 1) * step


def test_a_chunk_of_one_element_is_taken_whole_by_an_integer() -> None:
    """So it is written without reading it first."""
    (axis,) = normalize(2, (5,))
    assert [*crossings(axis, RegularAxis(1))] == [(2, slice(0, 1, 1), slice(0, 1), True)]


def test_a_result_is_filled_upwards_in_all_dimensions() -> None:
    out = np.arange(18).reshape(6, 3)
    view = upwards(out, normalize((2, slice(None, None, -1), slice(1, 4)), (5, 6, 7)))
    assert np.array_equal(view, out[None, ::-1])
    assert np.shares_memory(view, out)


@given(AXES, st.sets(st.integers(0, 11)).map(sorted))
def test_indices_are_cut_at_the_ends_of_chunks(axis: ChunkAxis, selected: list[int]) -> None:
    """Chunks between them are not crossed."""
    taken = axis_of(np.array(selected, np.intp))
    assert taken.count == len(selected)
    if selected:
        assert (taken.start, taken.last) == (selected[0], selected[-1])
    found = [*crossings(taken, axis)]
    assert [chunk for chunk, *_ in found] == sorted({axis.find(position) for position in selected})
    for chunk, inside, place, is_whole in found:
        origin, length = axis.place(chunk)
        positions = (origin + np.arange(length)[inside]).tolist()
        assert positions == selected[place]
        assert not is_whole or (len(positions) == length and isinstance(inside, slice))


def test_evenly_spaced_indices_are_a_range() -> None:
    assert axis_of(np.array([4])) == AxisRange(4, 1, 1)
    assert axis_of(np.array([4, 9])) == AxisRange(4, 5, 2)
    assert axis_of(np.array([], np.intp)).count == 0
    assert isinstance(axis_of(np.array([0, 2, 3, 6])), AxisIndices)
