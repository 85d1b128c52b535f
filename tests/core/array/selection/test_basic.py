"""Basic selections mean the same as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import (
    SelectionError,
)

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
    from zarrcore.array.selection.basic import crossings, normalize, result_shape
    from zarrcore.metadata import RegularAxis

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
