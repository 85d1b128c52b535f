"""Basic selections mean the same as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.array.selection.axes import crossings, result_shape
from zarrcore.array.selection.basic import normalize
from zarrcore.array.selection.planes import plane_ndim
from zarrcore.errors import SelectionError
from zarrcore.metadata import RegularAxis

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
