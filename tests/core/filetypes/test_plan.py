"""Plans of reads cover exactly the requested elements."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.filetypes.plan import boxes


@given(st.lists(st.integers(1, 4), max_size=4), st.data())
def test_boxes_cover_a_run_in_order(shape: list[int], data: st.DataObject) -> None:
    size = int(np.prod(shape, dtype=int))
    start = data.draw(st.integers(0, size))
    stop = data.draw(st.integers(start, size))
    elements = np.arange(size).reshape(shape)
    found = [
        elements[tuple(slice(*axis) for axis in box)].reshape(-1) for box in boxes(tuple(shape), start, stop)
    ]
    assert np.concatenate([np.arange(0), *found]).tolist() == list(range(start, stop))
