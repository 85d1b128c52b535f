"""The outline of a series has exactly the extremes of its elements."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.plot.error_bars import logarithms
from zarrbrowser.plot.series import (
    SeriesRequest,
    left_out_text,
    log_outline,
    other_numbers,
    outline,
    read_series,
)
from zarrbrowser.values.elements import Elements, Part


@given(st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=400), st.integers(1, 50))
def test_the_outline_keeps_extremes(values: list[float], pixels: int) -> None:
    numbers = np.array(values, np.float32)
    line = outline(numbers, 0, numbers.size, pixels)
    assert line.y.min() == numbers.min()
    assert line.y.max() == numbers.max()
    assert np.all(np.isin(line.y, numbers.astype(np.float64)))
    assert np.all(np.diff(line.x) >= 0)
    assert line.x.size <= max(3 * pixels + 2 * line.per_pixel, numbers.size)


def test_a_spike_among_a_million_is_seen() -> None:
    numbers = np.zeros(1_000_000)
    numbers[654_321] = 5.0
    line = outline(numbers, 0, numbers.size, 800)
    assert line.per_pixel == 1250
    assert line.y.max() == 5.0
    assert line.x[np.argmax(line.y)] == pytest.approx(654_321, abs=line.per_pixel)


def test_pixels_with_only_nan_are_gaps() -> None:
    numbers = np.ones(1000)
    numbers[100:200] = np.nan
    numbers[300] = np.nan
    line = outline(numbers, 0, 1000, 100)
    assert np.isnan(line.y).sum() == 2 * 10


def test_few_elements_are_drawn_one_by_one() -> None:
    line = outline(np.array([1, 2, 3], np.int16), -5, 5, 800)
    assert line.x.tolist() == [0, 1, 2]
    assert line.y.tolist() == [1, 2, 3]


def test_an_array_is_read_as_a_series() -> None:
    array = FakeArray(np.arange(10).astype("M8[s]"), chunks=(4,))
    request = SeriesRequest(array)
    assert request.cost() == ReadCost(3, 96)
    assert read_series(request).numbers.tolist() == list(range(10))


@given(st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=400), st.integers(1, 50))
def test_a_logarithmic_axis_keeps_extremes(values: list[float], pixels: int) -> None:
    numbers = np.array(values, np.float32)
    line = log_outline(numbers, 0, np.log10(numbers.size), pixels)
    assert line.y.min() == numbers[1:].min()
    assert line.y.max() == numbers[1:].max()
    assert np.all(np.diff(line.x) >= 0)
    assert line.x.size <= max(2 * pixels, 2)


def test_a_logarithmic_axis_starts_at_element_1() -> None:
    line = log_outline(np.arange(1_000_000.0), 0, 6, 600)
    assert line.x[0] == 0
    assert set(np.arange(1.0, 10)) <= set(line.y)


def test_logarithms_of_numbers_that_are_not_positive_are_nan() -> None:
    found = logarithms(np.array([100, 0, -3, 1], np.int32))
    assert np.array_equal(found, [2, np.nan, np.nan, 0], equal_nan=True)
    assert logarithms(np.array([np.nan, 10], np.float32))[1] == 1


def test_other_numbers_are_made_without_reading_again() -> None:
    array = FakeArray(np.array([3 + 4j, 1j]))
    series = read_series(SeriesRequest(array))
    assert series.numbers.tolist() == [5, 1]
    assert other_numbers(series, Elements(part=Part.REAL)).numbers.tolist() == [3, 0]
    assert len(array.selections) == 1
    assert series.extremes == (1, 5)


def test_logarithmic_axes_say_what_they_leave_out() -> None:
    array = FakeArray(np.array([5.0, 0.0, -1.0, np.nan, 2.0]))
    without = " · without 1 missing value"
    assert left_out_text(read_series(SeriesRequest(array)), is_log_x=False) == without
    shown = read_series(SeriesRequest(array), is_log=True)
    assert left_out_text(shown, is_log_x=False) == f"{without} · the logarithmic axis leaves out 2 values ≤ 0"
    both = left_out_text(shown, is_log_x=True)
    assert both.endswith(" ≤ 0 · the logarithmic axis leaves out position 0")


def test_dates_and_large_integers_keep_their_differences() -> None:
    start = np.datetime64("2026-01-01", "ns")
    dates = start + np.array([7, 0, 14], "m8[ns]")
    dates[1] = np.datetime64("NaT", "ns")
    series = read_series(SeriesRequest(FakeArray(dates)))
    assert series.offset == (start + np.timedelta64(7, "ns")).astype(int)
    assert np.array_equal(series.numbers, [0, np.nan, 7], equal_nan=True)
    assert series.extremes == (0, 7)
    days = read_series(SeriesRequest(FakeArray(start.astype("M8[D]") + np.arange(2))))
    assert days.offset == 0
    long = read_series(SeriesRequest(FakeArray(np.array([2**60, 2**60 + 3]))))
    assert (long.offset, long.numbers.tolist()) == (2**60, [0, 3])
