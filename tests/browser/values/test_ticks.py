"""Which positions of axes are labelled, and how."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.values.ticks import log_ticks, number_text, number_ticks

NUMBERS = st.floats(-1e12, 1e12, allow_nan=False)


@given(NUMBERS, NUMBERS, st.integers(1, 20))
def test_ticks_are_round_few_and_inside(one: float, other: float, most: int) -> None:
    low, high = sorted((one, other))
    ticks = number_ticks(low, high, most)
    places = [place for place, _ in ticks]
    assert len(places) <= most + 1
    margin = 1e-6 * (high - low)
    assert all(low - margin <= place <= high + margin for place in places)
    assert len({text for _, text in ticks}) == len(ticks), "different numbers have different labels"


def test_labels_have_the_digits_that_they_need() -> None:
    assert [text for _, text in number_ticks(0, 1, 5)] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert [text for _, text in number_ticks(-2e-7, 2e-7, 3)] == ["-2 × 10⁻⁷", "0", "2 × 10⁻⁷"]
    assert number_text(1_200_000.0, 1e5) == "1.2 × 10⁶"
    assert number_text(4_000_500.0, 500.0) == "4,000,500"
    assert [number_text(one, 0.25) for one in (1e6, 1e6 + 0.25)] == ["1,000,000.00", "1,000,000.25"]
    assert number_text(-1e-17, 0.1) == "0.0"
    assert number_text(math.inf, 1.0) == "inf"
    assert number_text(3.0, 1.0, offset=2**60) == f"{2**60 + 3:,}"


def test_logarithmic_axes_have_powers_of_ten() -> None:
    assert [text for _, text in log_ticks(-7, 7, 4)] == ["0.0001", "1", "10,000"]
    assert [text for _, text in log_ticks(0, 1, 4)] == ["1", "2", "5", "10"]
    assert log_ticks(-8, -6, 4)[0][1] == "10⁻⁸"
    assert [text for _, text in log_ticks(2.75, 5.625, 2)] == ["10,000"]
    assert [text for _, text in log_ticks(2.11, 2.17, 4)] == ["130", "135", "140", "145"]


@given(st.floats(-290, 290), st.floats(0.01, 20), st.integers(2, 20))
def test_every_logarithmic_axis_has_labels_inside_it(low: float, length: float, most: int) -> None:
    ticks = log_ticks(low, low + length, most)
    assert ticks
    assert all(low - 1e-6 <= place <= low + length + 1e-6 for place, _ in ticks)
    assert len({text for _, text in ticks}) == len(ticks)
