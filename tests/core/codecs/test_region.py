"""Regions of a chunk are indices as NumPy takes them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.region import are_points, as_part, count_of, outer_region, sorted_groups

CHUNK = np.arange(120).reshape(4, 5, 6)
ASCENDING = [st.sets(st.integers(0, n - 1), min_size=1).map(sorted) for n in CHUNK.shape]


@given(st.tuples(*ASCENDING), st.tuples(*[st.booleans()] * 3))
def test_an_outer_region_is_that_of_numpy(
    indices: tuple[list[int], ...], as_slices: tuple[bool, ...]
) -> None:
    parts: list[Any] = [
        as_part(np.array(part)) if is_slice else np.array(part)
        for part, is_slice in zip(indices, as_slices, strict=True)
    ]
    region = outer_region(parts)
    assert np.array_equal(CHUNK[region], CHUNK[np.ix_(*indices)])
    assert not are_points(region)
    counts = [count_of(part, n) for part, n in zip(region, CHUNK.shape, strict=True)]
    assert counts == [len(part) for part in indices]


@given(st.sets(st.integers(0, 30)).map(sorted))
def test_a_part_is_a_slice_where_indices_are_evenly_spaced(indices: list[int]) -> None:
    part = as_part(np.array(indices, np.intp))
    assert np.arange(31)[part].tolist() == indices
    assert isinstance(part, slice) == (len(set(np.diff(indices).tolist())) <= 1)


@given(st.lists(st.sampled_from([0, 1, 2, 2**16 - 1, 2**16, 2**16 + 1, 2**62]), min_size=1), st.booleans())
def test_equal_numbers_are_grouped(numbers: list[int], keeps_order: bool) -> None:
    order, bounds = sorted_groups(np.array(numbers), keeps_order=keeps_order)
    groups = [order[begin:end].tolist() for begin, end in pairwise(bounds)]
    assert [{numbers[i] for i in group} for group in groups] == [{n} for n in sorted(set(numbers))]
    assert sorted(order.tolist()) == [*range(len(numbers))]
    if keeps_order:
        assert all(group == sorted(group) for group in groups)


def test_points_have_one_dimension_each() -> None:
    assert are_points((np.array([1, 0]), np.array([0, 0])))
    assert not are_points(())
    assert not are_points((slice(2), np.array([0])))
