"""Times agree with cftime in every calendar."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import cftime
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from zarrcore.conventions.cf import decode_times, is_time

CALENDARS = [
    "standard",
    "gregorian",
    "proleptic_gregorian",
    "noleap",
    "365_day",
    "all_leap",
    "366_day",
    "360_day",
    "julian",
]
UNITS = {"days": 1, "hours": 24, "minutes": 1440, "seconds": 86400, "milliseconds": 86400000}


def texts(dates: Any) -> list[str]:
    """Dates to the microsecond, from either form."""
    assert dates is not None
    found = []
    for date in dates.tolist() if dates.dtype.kind == "U" else dates.astype("M8[us]").astype(str).tolist():
        day, _, time = date.partition("T")
        time = {0: "00:00:00", 5: f"{time}:00"}.get(len(time), time)
        found.append(f"{day}T{time.partition('.')[0]}.{time.partition('.')[2]:0<6}")
    return found


@given(
    st.lists(st.integers(-400_000, 900_000), min_size=1, max_size=5),
    st.sampled_from([*UNITS]),
    st.integers(0, 2500),
    st.integers(1, 12),
    st.integers(1, 28),
    st.sampled_from(
        ["", " 06:30", "T23:59:59", " 00:00:00 UTC", " 00:00:00.25", " 01:00 +02:00", " 00:00 -0330"]
    ),
    st.sampled_from(CALENDARS),
)
def test_dates_are_those_of_cftime(
    days: list[int], unit: str, year: int, month: int, day: int, clock: str, calendar: str
) -> None:
    units = f"{unit} since {year:04}-{month:02}-{day:02}{clock}"
    counts = np.array([number * UNITS[unit] + number % 7 for number in days])
    try:
        expected = cftime.num2date(counts, units, calendar)
    except (ValueError, OverflowError, UserWarning):
        assume(False)
    assume(all(1 <= date.year <= 9999 for date in expected))
    mixed = calendar in ("standard", "gregorian")
    # The reference of this calendar cannot be in the days that it leaves out.
    assume(not (mixed and (year, month) == (1582, 10)))
    assume(year > 0 or calendar in ("noleap", "365_day", "all_leap", "366_day", "360_day"))
    assert texts(decode_times(counts, units, calendar)) == [
        f"{date.year:04}-{date.month:02}-{date.day:02}T{date.hour:02}:{date.minute:02}:{date.second:02}.{date.microsecond:06}"
        for date in expected
    ]


@pytest.mark.parametrize("calendar", ["standard", "360_day"])
def test_counts_that_are_not_finite_are_no_dates(calendar: str) -> None:
    dates = decode_times(np.array([1.5, np.nan, np.inf]), "days since 2000-01-01", calendar)
    assert dates is not None
    assert [str(date) for date in dates] == (
        ["2000-01-02T12:00", "NaT", "NaT"]
        if calendar == "standard"
        else ["2000-01-02T12:00", "no date", "no date"]
    )


@pytest.mark.parametrize(
    ("values", "units", "calendar"),
    [
        ([1.5], "months since 2000-01-01", ""),
        ([1], "days since 2000-13-01", ""),
        ([1], "days since 2000-02-30", ""),
        ([1], "days since 2000-02-30", "noleap"),
        ([1], "days since yesterday", ""),
        ([1], "days", ""),
        ([1], "days since 2000-01-01", "lunar"),
        ([1e30], "days since 2000-01-01", ""),
        ([np.nan], "days since 2000-01-01", ""),
        (["a"], "days since 2000-01-01", ""),
        ([1], "days since 2000-01-01 25:00", ""),
    ],
)
def test_what_is_not_supported(values: list[Any], units: str, calendar: str) -> None:
    assert decode_times(np.array(values), units, calendar) is None


def test_an_hour_alone() -> None:
    dates = decode_times(np.array([0]), "days since 2000-01-01 12", "noleap")
    assert dates is not None
    assert dates.tolist() == ["2000-01-01T12:00"]


def test_the_days_before_the_reform() -> None:
    dates = decode_times(np.array([-1, 0]), "days since 1582-10-15", "standard")
    assert dates is not None
    assert dates.tolist() == ["1582-10-04", "1582-10-15"]


@pytest.mark.parametrize(
    ("units", "expected"),
    [("days since 1-1-1", True), ("Hours Since 1900-1-1", True), ("m s-1", False), ("", False)],
)
def test_units_of_time(units: str, expected: bool) -> None:
    assert is_time(units) is expected


@pytest.mark.parametrize(
    ("units", "calendar"),
    [
        ("months since 1960-01-01", "360_day"),
        ("Month since 1960-02-30 06:00", "360_day"),
        ("common_years since 2000-02-28", "noleap"),
        ("Common_Year since 2000-01-01", "365_day"),
        ("  DAYS   Since  2000-1-1T ", "standard"),
        ("Hours since +2000-01-01 00:00:0.0", "julian"),
    ],
)
def test_units_that_cftime_reads(units: str, calendar: str) -> None:
    counts = np.array([0, 1, 14, -30, 700] if "year" in units.lower() else [0, 0.5, 1, 14, 700.25])
    expected = cftime.num2date(counts, units.strip(), calendar)
    assert texts(decode_times(counts, units, calendar)) == [
        f"{date.isoformat(timespec='microseconds')}" for date in expected
    ]


def test_the_calendar_360_is_that_of_360_days() -> None:
    counts = np.array([0, 0.5, 14, 700.25])
    expected = cftime.num2date(counts, "months since 1960-01-01", "360_day")
    found = decode_times(counts, "months since 1960-01-01", "360")
    assert texts(found) == [date.isoformat(timespec="microseconds") for date in expected]


@given(
    st.lists(st.integers(-3000, 3000), min_size=1, max_size=5), st.integers(1850, 2050), st.integers(1, 28)
)
def test_whole_months_and_years_are_those_of_the_calendar(counts: list[int], year: int, day: int) -> None:
    start = pd.Timestamp(year, 5, day, 6)
    for unit in ("months", "years"):
        numbers = np.array(counts) if unit == "months" else np.array(counts) // 12
        expected = [str(start + pd.DateOffset(**{unit: int(one)}))[:16].replace(" ", "T") for one in numbers]
        units = f"{unit} since {year}-05-{day:02} 06:00"
        found = decode_times(np.append(numbers, np.nan), units, "proleptic_gregorian")
        assert found is not None
        assert found.astype("M8[m]").astype(str).tolist() == [*expected, "NaT"]
        noleap = decode_times(numbers, units, "noleap")
        assert noleap is not None
        assert noleap.tolist() == expected, "a day before the 29th is in every calendar"
        assert decode_times(numbers + 0.5, units, "standard") is None


def test_months_that_lack_the_day_are_not_guessed() -> None:
    assert decode_times(np.array([1]), "months since 2000-01-31") is None
    assert decode_times(np.array([1]), "years since 1200-01-01", "standard") is None
    assert decode_times(np.array([1]), "years since 1900-01-01", "julian") is None


@given(st.lists(st.datetimes(datetime(1600, 1, 1), datetime(2500, 1, 1)), min_size=1, max_size=5))
def test_dates_as_numbers(dates: list[datetime]) -> None:
    days = [date.replace(hour=0, minute=0, second=0, microsecond=0) for date in dates]
    numbers = np.array([int(f"{day:%Y%m%d}") for day in days], float)
    fractions = np.array([date.hour / 24 for date in dates])
    found = decode_times(numbers + fractions, "day as %Y%m%d.%f", "proleptic_gregorian")
    assert found is not None
    assert found.astype("M8[h]").astype(datetime).tolist() == [
        day + timedelta(hours=date.hour) for day, date in zip(days, dates, strict=True)
    ]


def test_numbers_that_are_no_dates() -> None:
    for number in (20000231, 20001301, 20000100, -5.0, 1e12):
        assert decode_times(np.array([number]), "day as %Y%m%d.%f") is None
    assert decode_times(np.array([20000230.5]), "day as %Y%m%d.%f", "360_day").tolist() == [
        "2000-02-30T12:00"
    ]
    assert is_time("day as %Y%m%d.%f")


def test_no_units_take_long_to_parse() -> None:
    """A pattern with quadratic time would take hours for these units."""
    assert not is_time("days since 2000-01-01" + " " * 500_000 + "x")
