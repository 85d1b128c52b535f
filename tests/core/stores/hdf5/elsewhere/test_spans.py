"""Which boxes cross another one, compared with looking at each of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.stores.hdf5.elsewhere.spans import Spans


@st.composite
def boxes(draw: st.DrawFn) -> tuple[int, list[list[tuple[int, int]]]]:
    """A number of dimensions, and boxes as starts and lengths less one."""
    ndim = draw(st.integers(0, 3))
    side = st.tuples(st.integers(0, 9), st.integers(-1, 5))
    return ndim, draw(st.lists(st.lists(side, min_size=ndim, max_size=ndim), max_size=12))


@given(boxes(), st.data())
def test_the_boxes_that_cross_are_those_with_a_common_index(
    some: tuple[int, list[list[tuple[int, int]]]], data: st.DataObject
) -> None:
    ndim, told = some
    ends = np.array([[(start, start + length) for start, length in box] for box in told], "i8").reshape(
        len(told), ndim, 2
    )
    low = np.array([data.draw(st.integers(0, 12)) for _ in range(ndim)], "i8")
    high = low + np.array([data.draw(st.integers(1, 5)) for _ in range(ndim)], "i8")
    wanted = [
        number
        for number, box in enumerate(ends.tolist())
        if all(first < b and last >= a for (first, last), a, b in zip(box, low, high, strict=True))
    ]
    assert Spans(ends).crossing(low, high) == wanted
