"""Dates as typed and displayed text."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.coordinates.dates import SECONDS, count_of_date, date_ticks


@pytest.mark.parametrize("text", ["", "NaT", " nat ", "yesterday"])
def test_text_that_is_not_a_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - NumPy's messages vary
        count_of_date(text, np.dtype("M8[s]"))


def seconds(unit: str) -> Fraction:
    return Fraction(SECONDS[unit]).limit_denominator(10**18)


UNITS = ("W", "D", "h", "m", "s", "ms", "us", "ns")


@given(
    st.sampled_from(UNITS),
    st.integers(1, 12),
    st.floats(-1e9, 1.6e9),
    st.floats(1e-4, 1e5),
    st.floats(2, 12),
)
def test_the_text_of_a_tick_reads_back_as_its_position(
    unit: str, step: int, start_s: float, counts: float, most: float
) -> None:
    """NumPy parses the text back to the exact position."""
    dtype = np.dtype(f"M8[{step}{unit}]")
    first = round(start_s / (SECONDS[unit] * step))
    ticks = date_ticks(0.0, counts, dtype, most, first)
    assert len(ticks) <= most + 2
    assert len({text for _, text in ticks}) == len(ticks), "all different"
    for place, text in ticks:
        assert -1e-9 <= place <= counts + 1e-9
        date = np.datetime64(text)
        told = int(date.astype(np.int64)) * seconds(np.datetime_data(date.dtype)[0])
        stands = (first + Fraction(place)) * seconds(unit) * step
        assert abs(told - stands) <= Fraction(1, 10**9) + abs(stands) / 2**50


def test_dates_between_which_no_unit_has_others_are_labelled() -> None:
    """Picoseconds end in 1970: half a nanosecond has no text."""
    first = int(np.datetime64("2026-01-01", "ns").astype(np.int64))
    ticks = date_ticks(0.0, 4.0, np.dtype("M8[ns]"), 9.8, first)
    assert [place for place, _ in ticks] == [0, 1, 2, 3, 4]
    assert ticks[-1][1] == "2026-01-01T00:00:00.000000004"


@pytest.mark.parametrize(
    ("dtype", "low", "high", "expected"),
    [
        ("M8[Y]", 0, 3, ["1970", "1971", "1972", "1973"]),
        ("M8[M]", 0.2, 3.5, ["1970-02", "1970-03", "1970-04"]),
        ("M8[D]", 0, 1, [*(f"1970-01-01T{hour:02}:00" for hour in (0, 6, 12, 18)), "1970-01-02T00:00"]),
        ("M8[s]", 0, 90, ["1970-01-01T00:00", "1970-01-01T00:01"]),
        ("M8[ns]", 0, 40, [f"1970-01-01T00:00:00.0000000{n}0" for n in range(5)]),
        ("M8[s]", -1e19, 1e19, []),
        ("M8[s]", float("nan"), 1, []),
    ],
)
def test_ticks_are_round_dates(dtype: str, low: float, high: float, expected: list[str]) -> None:
    assert [text for _, text in date_ticks(low, high, np.dtype(dtype), 4)] == expected
