"""Arrays in C order, divided into chunks of consecutive bytes."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import zarrcore.stores.virtual.row_chunks as module
from zarrcore.stores.virtual.row_chunks import row_chunk_shape, rows_of


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple), st.integers(1, 4), st.integers(1, 200))
def test_chunks_hold_all_bytes_in_order(shape: tuple[int, ...], item: int, aimed: int) -> None:
    before, module._AIMED_NBYTES = module._AIMED_NBYTES, aimed  # type: ignore[misc]
    try:
        chunk_shape = row_chunk_shape(shape, item)
    finally:
        module._AIMED_NBYTES = before  # type: ignore[misc]
    assert int(np.prod(chunk_shape)) * item <= max(aimed, item)
    counts = [-(-n // c) for n, c in zip(shape, chunk_shape, strict=True)]
    at = 0
    for index in itertools.product(*map(range, counts)):
        rows = rows_of(shape, chunk_shape, index, item)
        assert rows.offset == at
        assert 0 < rows.stored_nbytes <= rows.nbytes
        at += rows.stored_nbytes
    assert at == int(np.prod(shape)) * item


@given(st.integers(1, 3000), st.integers(1, 400))
def test_a_long_dimension_is_divided_into_equal_chunks_where_that_is_possible(length: int, most: int) -> None:
    before, module._AIMED_NBYTES = module._AIMED_NBYTES, most  # type: ignore[misc]
    try:
        found = row_chunk_shape((length,), 1)
    finally:
        module._AIMED_NBYTES = before  # type: ignore[misc]
    divisors = [n for n in range(max(1, most // 4), most + 1) if length % n == 0]
    assert found == (length if length <= most else max(divisors, default=most),)


def test_a_prime_length_takes_no_search_of_millions() -> None:
    assert row_chunk_shape((10**15 + 37,), 1) == (4 << 20,)
