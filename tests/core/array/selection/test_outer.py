"""Outer selections: which indices are read, and how they are rearranged."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.array.selection.outer import is_index_array, normalize_outer


@given(st.lists(st.integers(-5, 4), min_size=1))
def test_each_index_is_read_once_and_rearranged(indices: list[int]) -> None:
    values = np.arange(5) * 7
    outer = normalize_outer(indices, (5,))
    assert outer.shape == (len(indices),)
    (axis,) = outer.axes
    assert axis.count == len({index % 5 for index in indices})
    ascending = values[sorted({index % 5 for index in indices})]
    assert np.array_equal(outer.arrange(ascending), values[indices])


@given(st.lists(st.integers(-5, 4), min_size=1))
def test_the_last_of_several_values_is_written(indices: list[int]) -> None:
    expected = np.zeros(5, int)
    expected[indices] = np.arange(1, len(indices) + 1)
    outer = normalize_outer(indices, (5,))
    assert np.array_equal(outer.ascending(np.arange(1, len(indices) + 1)), expected[expected > 0])


def test_ascending_indices_are_not_rearranged() -> None:
    assert not normalize_outer(([0, 3, 4], slice(None, None, -1), [True, False]), (5, 5, 2)).rearranged


def test_what_has_a_length_is_an_array_of_indices() -> None:
    assert all(map(is_index_array, [[], (1,), np.zeros(1), range(3), np.zeros((2, 2), bool)]))
    assert not any(
        map(is_index_array, [1, np.int8(1), np.array(1), np.True_, None, ..., slice(3), "ab", b"ab"])
    )
