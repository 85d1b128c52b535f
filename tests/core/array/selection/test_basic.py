"""Basic selections mean the same as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.array.selection.basic import AxisRange, crossings, normalize, result_shape, upwards
from zarrcore.array.selection.planes import plane_ndim
from zarrcore.errors import SelectionError
from zarrcore.metadata import ChunkAxis, RegularAxis
from zarrcore.metadata.chunk_grid import rectilinear_axis

ITEMS = st.integers(-12, 12) | st.builds(
    slice,
    st.none() | st.integers(-12, 12),
    st.none() | st.integers(-12, 12),
    st.none() | st.integers(-4, 4).filter(bool),
)


@given(st.lists(ITEMS | st.just(...), max_size=4))
def test_selections_mean_what_numpy_means(items: list) -> None:
    shape = (5, 7, 9)
    reference = np.arange(315).reshape(shape)
    try:
        expected = reference[tuple(items)]
    except IndexError:
        with pytest.raises(SelectionError):
            normalize(tuple(items), shape)
        return
    ranges = normalize(tuple(items), shape)
    assert result_shape(ranges) == expected.shape
    # the elements, gathered chunk by chunk as the reader does
    gathered = [
        [
            chunk * 4 + i
            for chunk, inside, *_ in crossings(axis, RegularAxis(4))
            for i in range(*inside.indices(4))
        ]
        for axis in ranges
    ]
    upwards = reference[np.ix_(*gathered)]
    flips = tuple(slice(None, None, -1) if axis.flipped else slice(None) for axis in ranges)
    dropped = tuple(i for i, axis in enumerate(ranges) if axis.dropped)
    assert np.array_equal(np.squeeze(upwards[flips], axis=dropped), expected)


def test_an_index_is_within_its_dimension() -> None:
    shape = (5, 7)
    assert [axis.start for axis in normalize((-5, 6), shape)] == [0, 6]
    for index in ((5,), (-6,), (0, 7), (0, -8)):
        with pytest.raises(SelectionError, match=r"indices must be in \[0, "):
            normalize(index, shape)


AXES = st.builds(RegularAxis, st.integers(1, 7)) | st.lists(st.integers(1, 7), min_size=12).map(
    rectilinear_axis
)


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


def test_only_one_ellipsis_is_allowed() -> None:
    with pytest.raises(SelectionError, match="only one"):
        normalize((..., 1, ...), (5, 7, 9))


@pytest.mark.parametrize(
    ("shape", "dtype", "expected"),
    [
        ((), "u1", 0),
        ((5,), "u1", 1),
        ((5, 6), "u1", 2),
        ((6, 3), "u1", 2),
        ((5, 6, 3), "u1", 3),
        ((5, 6, 4), "u2", 3),
        ((9, 5, 6, 3), "u2", 3),
        ((5, 6, 2), "u1", 2),
        ((5, 6, 5), "u1", 2),
        ((5, 6, 3), "i2", 2),
    ],
)
def test_planes_are_images_perhaps_with_colours(shape: tuple[int, ...], dtype: str, expected: int) -> None:
    assert plane_ndim(shape, np.dtype(dtype)) == expected
