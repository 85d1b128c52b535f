"""Statistics of blocks are those of NumPy for all numbers at once; missing numbers do not count."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from zarrbrowser.image.calculations.reduction import Accumulator, Statistic, reduced

NUMPYS = {
    Statistic.MEAN: np.nanmean,
    Statistic.MINIMUM: np.nanmin,
    Statistic.MAXIMUM: np.nanmax,
    Statistic.SUM: np.nansum,
    Statistic.DEVIATION: np.nanstd,
}
FLOATS = st.floats(-1e6, 1e6) | st.just(np.nan)
TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")


def expected(statistic: Statistic, numbers: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # all are missing
        found = NUMPYS[statistic](numbers.astype(np.float64), axis=0)
    return np.where(np.isnan(numbers).all(axis=0), np.nan, found) if numbers.dtype.kind == "f" else found


def in_blocks(numbers: Any, cuts: list[int]) -> list[Any]:
    return [part for part in np.split(numbers, sorted({cut % len(numbers) for cut in cuts})) if len(part)]


@given(
    st.sampled_from(Statistic),
    st.integers(1, 12).flatmap(lambda n: arrays(np.float64, (n, 2, 3), elements=FLOATS)),
    st.lists(st.integers(0, 11), max_size=5),
)
def test_floats_in_any_blocks(statistic: Statistic, numbers: Any, cuts: list[int]) -> None:
    found = reduced(statistic, in_blocks(numbers, cuts), (2, 3))
    # A small deviation is the square root of a difference of squares: its last digits depend on the order.
    tolerance = 1e-6 if statistic is Statistic.DEVIATION else 1e-9
    assert np.allclose(found, expected(statistic, numbers), rtol=1e-9, atol=tolerance, equal_nan=True)


@given(
    st.sampled_from(Statistic),
    st.sampled_from(TYPES).flatmap(lambda one: arrays(one, (9, 2))),
    st.lists(st.integers(0, 8), max_size=3),
)
def test_integers_do_not_overflow(statistic: Statistic, numbers: Any, cuts: list[int]) -> None:
    found = reduced(statistic, in_blocks(numbers, cuts), (2,))
    whole = numbers.astype(object)
    if statistic is Statistic.SUM:
        assert found == pytest.approx([float(sum(column)) for column in whole.T], rel=1e-12, abs=1e4)
    elif statistic is Statistic.MAXIMUM:
        assert found.tolist() == [float(max(column)) for column in whole.T]
    elif statistic is Statistic.MINIMUM:
        assert found.tolist() == [float(min(column)) for column in whole.T]
    else:
        scale = float(np.abs(numbers.astype(np.float64)).max()) + 1
        assert np.allclose(found / scale, expected(statistic, numbers) / scale, atol=1e-7)


@pytest.mark.parametrize("statistic", Statistic)
def test_the_result_is_missing_where_all_numbers_are(statistic: Statistic) -> None:
    numbers = np.array([[np.nan, 2.0], [np.nan, np.nan]])
    found = reduced(statistic, [numbers[:1], numbers[1:]], (2,))
    assert np.isnan(found[0])
    assert found[1] == (0.0 if statistic is Statistic.DEVIATION else 2.0)


def test_a_large_mean_does_not_hide_a_small_deviation() -> None:
    numbers = np.array([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16])
    accumulator = Accumulator(Statistic.DEVIATION, ())
    for one in numbers:
        accumulator.add(np.array([one]))
    assert accumulator.result() == pytest.approx(np.std(numbers), rel=1e-9)


@pytest.mark.parametrize("statistic", Statistic)
def test_infinite_numbers_are_as_in_numpy(statistic: Statistic) -> None:
    numbers = np.array([[1.0, -np.inf], [np.inf, np.inf], [np.nan, 1.0]])
    found = reduced(statistic, [numbers[:1], numbers[1:]], (2,))
    assert found.tolist() == pytest.approx(expected(statistic, numbers).tolist(), nan_ok=True)
