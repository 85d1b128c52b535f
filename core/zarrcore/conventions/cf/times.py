"""Times as counts of a unit since a date, in all calendars of the CF conventions.

CF conventions, 4.4 "Time Coordinate" and 4.4.1 "Calendar". Dates of calendars that NumPy does not have become texts. Climate
models also store dates themselves as numbers, with the unit ``day as %Y%m%d.%f``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from zarrcore.typing import AnyArray

_SINCE: Final = re.compile(
    r"^\s*(?P<unit>\w+?)s?\s+since\s+\+?(?P<year>\d{1,4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:[T ]\s*(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2}))?(?::(?P<second>\d{1,2}(?:\.\d*)?))?|T)?"
    r"\s*+(?:Z|UTC|GMT|(?P<sign>[+-])(?P<off_hour>\d{1,2}):?(?P<off_minute>\d{2})?)?\s*$",
    re.IGNORECASE,
)
_MICROSECONDS: Final = {
    **dict.fromkeys(("week",), 604_800e6),
    **dict.fromkeys(("day", "d"), 86_400e6),
    **dict.fromkeys(("hour", "hr", "h"), 3600e6),
    **dict.fromkeys(("minute", "min"), 60e6),
    **dict.fromkeys(("second", "sec", "s"), 1e6),
    **dict.fromkeys(("millisecond", "millisec", "msec", "ms"), 1e3),
    **dict.fromkeys(("microsecond", "microsec"), 1.0),
    "nanosecond": 1e-3,
}
"""The microseconds of each unit of a fixed length."""
_MONTHS_OF_UNIT: Final = {
    **dict.fromkeys(("month", "mon"), 1),
    **dict.fromkeys(("year", "yr", "common_year"), 12),
}
_DATE_AS_NUMBER: Final = re.compile(r"\s*days?\s+as\s+%Y%m%d(?:\.%f)?\s*", re.IGNORECASE)
_DAY: Final = 86_400_000_000
_GREGORIAN: Final = ("", "standard", "gregorian", "proleptic_gregorian")
_REFORM: Final = np.datetime64("1582-10-15", "us")
"""The first day of the Gregorian calendar; the standard calendar is the Julian one before."""
_MONTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LEAP_MONTHS: Final = (31, 29, *_MONTHS[2:])
_YEARS_OF_MONTHS: Final = {
    **dict.fromkeys(("noleap", "365_day"), _MONTHS),
    **dict.fromkeys(("all_leap", "366_day"), _LEAP_MONTHS),
    **dict.fromkeys(("360_day", "360"), (30,) * 12),
}
"""The months of calendars whose years are all alike."""

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Reference:
    """The date that times are counted from."""

    year: int
    month: int
    day: int
    microseconds: int
    """Of the day, in UTC; may be negative or longer than a day."""
    unit: float
    """The length of the unit in microseconds; 0 for months."""
    months: int = 0
    """The months of the unit, if it is months or years."""


_EPOCH_OF_DATES: Final = _Reference(2000, 1, 1, 0, 1.0)
"""What dates that are stored as numbers are counted from here."""


def is_time(units: str) -> bool:
    """Whether a unit counts from a date.

    >>> is_time("days since 1850-01-01"), is_time("days")
    (True, False)
    """
    return _SINCE.match(units) is not None or _DATE_AS_NUMBER.fullmatch(units) is not None


def decode_times(values: AnyArray, units: str, calendar: str = "") -> AnyArray | None:
    """The dates of counts.

    Args:
        values: numbers; those that are not finite become NaT, or ``no date`` in other calendars.
        units: such as ``hours since 1900-01-01``. Months and years have 30 and 360 days in the calendar ``360_day``, where
            they may have fractions as in cftime; elsewhere whole numbers of them are those of the calendar.
        calendar: the attribute of that name.

    Returns:
        datetime64 in the largest unit that holds all of them, texts for dates that datetime64 cannot hold, or None if the
        unit or the calendar is not supported.

    >>> decode_times(np.array([0.0, 31.5]), "days since 2000-01-01")
    array(['2000-01-01T00:00', '2000-02-01T12:00'], dtype='datetime64[m]')
    >>> decode_times(np.array([59]), "days since 2000-01-01", "360_day").tolist()
    ['2000-02-30']
    """
    calendar = calendar.lower()
    months = _YEARS_OF_MONTHS.get(calendar)
    if values.dtype.kind not in "iuf":
        return None
    reference = _EPOCH_OF_DATES if _DATE_AS_NUMBER.fullmatch(units) else _reference(units)
    if reference is None:
        return None
    if reference is _EPOCH_OF_DATES:
        counted = _of_dates(values, calendar, months)
    elif not reference.months:
        counted = _microseconds(values, reference.unit)
    elif months and len(set(months)) == 1:
        counted = _microseconds(values, reference.months * months[0] * float(_DAY))
    else:
        counted = _of_months(values, reference, calendar, months)
    if counted is None:
        return None
    since, is_known = counted
    microseconds = since + reference.microseconds
    if calendar in _GREGORIAN:
        return _gregorian(reference, microseconds, is_known, calendar)
    if calendar == "julian":
        return _texts(
            _julian_date, _julian_days(reference.year, reference.month, reference.day), microseconds, is_known
        )
    if months is None or not 1 <= reference.day <= months[reference.month - 1]:
        return None
    start = reference.year * sum(months) + sum(months[: reference.month - 1]) + reference.day - 1
    return _texts(lambda days: _equal_years_date(days, months), start, microseconds, is_known)


def _microseconds(values: AnyArray, unit: float) -> tuple[Integers, NDArray[np.bool_]] | None:
    """Counts of a unit in microseconds, and which of them are known; None if there are none, or some are too large."""
    with np.errstate(over="ignore", invalid="ignore"):
        counts = values.astype(np.float64) * unit
    is_known = np.isfinite(counts)
    if not is_known.any() or not np.abs(counts[is_known]).max() < 2**62:
        return None
    if values.dtype.kind in "iu" and unit == int(unit):
        return values.astype(np.int64) * int(unit), is_known  # exact, also where floats have too few digits
    return np.where(is_known, counts, 0).round().astype(np.int64), is_known


def _of_dates(
    values: AnyArray, calendar: str, months: tuple[int, ...] | None
) -> tuple[Integers, NDArray[np.bool_]] | None:
    """Dates as numbers such as 20000131.5, in microseconds since the beginning of 2000; None unless all are dates."""
    numbers = values.astype(np.float64)
    is_known = np.isfinite(numbers)
    numbers = np.where(is_known, numbers, 20000101)
    whole = np.floor(numbers)
    if not is_known.any() or not 0 <= whole.min() <= whole.max() < 1e8:
        return None
    year, rest = np.divmod(whole.astype(np.int64), 10_000)
    month, day = np.divmod(rest, 100)
    if not 1 <= month.min() <= month.max() <= 12:
        return None
    days = _days_since(np.full_like(year, 2000), np.ones_like(month), year, month, calendar, months)
    ends = _days_since(year, month, year + month // 12, month % 12 + 1, calendar, months)
    if days is None or ends is None or day.min() < 1 or (day > ends).any():
        return None
    seconds = np.round((numbers - whole) * 86_400).astype(np.int64)  # a float has no more digits
    return (days + day - 1) * _DAY + seconds * 1_000_000, is_known


def _of_months(
    values: AnyArray, reference: _Reference, calendar: str, months: tuple[int, ...] | None
) -> tuple[Integers, NDArray[np.bool_]] | None:
    """Whole numbers of months or years in microseconds; None if there are others, or months without that day."""
    counts = values.astype(np.float64) * reference.months
    is_known = np.isfinite(counts)
    counts = np.where(is_known, counts, 0)
    if (
        not is_known.any()
        or reference.day > 28
        or (counts % reference.months).any()
        or np.abs(counts).max() > 1e5
    ):
        return None
    year, month = np.divmod(reference.year * 12 + reference.month - 1 + counts.astype(np.int64), 12)
    first = np.full_like(year, reference.year), np.full_like(month, reference.month)
    days = _days_since(*first, year, month + 1, calendar, months)
    return None if days is None else (days * _DAY, is_known)


def _days_since(
    year: Integers,
    month: Integers,
    later_year: Integers,
    later_month: Integers,
    calendar: str,
    months: tuple[int, ...] | None,
) -> Integers | None:
    """The days from the first of one month to that of another; None in the Julian calendar, also before the reform."""
    if months is not None:
        starts = np.cumsum((0, *months))
        days: Integers = (later_year - year) * sum(months) + starts[later_month - 1] - starts[month - 1]
        return days
    if calendar not in _GREGORIAN:
        return None
    first, last = (
        ((a - 1970) * 12 + b - 1).astype("M8[M]").astype("M8[D]")
        for a, b in ((year, month), (later_year, later_month))
    )
    if calendar != "proleptic_gregorian" and min(first.min(), last.min()) < _REFORM:
        return None
    between: Integers = (last - first).astype(np.int64)
    return between


def _reference(units: str) -> _Reference | None:
    match = _SINCE.match(units)
    if match is None:
        return None
    name = match["unit"].lower()
    unit = 0.0 if name in _MONTHS_OF_UNIT else _MICROSECONDS.get(name, _MICROSECONDS.get(f"{name}s"))
    month = int(match["month"])
    hour, minute, second = int(match["hour"] or 0), int(match["minute"] or 0), float(match["second"] or 0)
    if unit is None or not 1 <= month <= 12 or hour > 24 or minute > 59 or second >= 61:
        return None
    offset = 60 * int(match["off_hour"] or 0) + int(match["off_minute"] or 0)
    minutes = 60 * hour + minute - (offset if match["sign"] == "+" else -offset)
    microseconds = minutes * 60_000_000 + round(second * 1e6)
    months = _MONTHS_OF_UNIT.get(name, 0)
    return _Reference(int(match["year"]), month, int(match["day"]), microseconds, unit, months)


def _gregorian(
    reference: _Reference, microseconds: Integers, is_known: NDArray[np.bool_], calendar: str
) -> AnyArray | None:
    try:
        start = np.datetime64(f"{reference.year:04}-{reference.month:02}-{reference.day:02}", "us")
    except ValueError:
        return None
    dates: AnyArray = start + microseconds.astype("m8[us]")
    is_mixed = calendar != "proleptic_gregorian"
    if is_mixed and (start < _REFORM or (dates[is_known] < _REFORM).any()):
        return _mixed(reference, microseconds, is_known)
    dates[~is_known] = np.datetime64("NaT", "us")
    return shortest(dates)


def _mixed(reference: _Reference, microseconds: Integers, is_known: NDArray[np.bool_]) -> AnyArray:
    """Dates of the standard calendar: Julian ones before the reform. All are datetime64 if none is before it."""
    reform = _julian_days(1582, 10, 5)
    start = np.datetime64(f"{reference.year:04}-{reference.month:02}-{reference.day:02}", "us")
    if start < _REFORM:
        days = _julian_days(reference.year, reference.month, reference.day)
    else:
        days = reform + int((start - _REFORM).astype(np.int64)) // _DAY
    since_reform = microseconds + (days - reform) * _DAY
    if (since_reform[is_known] >= 0).all():
        dates: AnyArray = _REFORM + since_reform.astype("m8[us]")
        dates[~is_known] = np.datetime64("NaT", "us")
        return shortest(dates)

    def date(numbers: Integers) -> tuple[Integers, Integers, Integers]:
        later = np.datetime64("1582-10-15", "D") + np.maximum(numbers - reform, 0).astype("m8[D]")
        months = later.astype("M8[M]")
        gregorian = (
            later.astype("M8[Y]").astype(np.int64) + 1970,
            months.astype(np.int64) % 12 + 1,
            (later - months.astype("M8[D]")).astype(np.int64) + 1,
        )
        is_julian = numbers < reform
        julian = _julian_date(numbers)
        year, month, day = (np.where(is_julian, a, b) for a, b in zip(julian, gregorian, strict=True))
        return year, month, day

    return _texts(date, days, microseconds, is_known)


def _equal_years_date(days: Integers, months: tuple[int, ...]) -> tuple[Integers, Integers, Integers]:
    """Year, month and day of days since the year 0 in a calendar whose years are all alike."""
    year, rest = np.divmod(days, sum(months))
    ends = np.cumsum(months)
    month = np.searchsorted(ends, rest, side="right")
    return year, month + 1, rest - (ends - np.array(months))[month] + 1


def _julian_days(year: int, month: int, day: int) -> int:
    """Days since the first day of the year 0 of the Julian calendar, a leap year."""
    months = _LEAP_MONTHS if year % 4 == 0 else _MONTHS
    return 365 * year + (year + 3) // 4 + sum(months[: month - 1]) + day - 1


def _julian_date(days: Integers) -> tuple[Integers, Integers, Integers]:
    """Year, month and day of days since the year 0 of the Julian calendar."""
    cycle, rest = np.divmod(days, 1461)
    year_of_cycle = np.where(rest < 366, 0, (rest - 1) // 365)
    day_of_year = rest - np.where(year_of_cycle > 0, year_of_cycle * 365 + 1, 0)
    _, leap_month, leap_day = _equal_years_date(day_of_year, _LEAP_MONTHS)
    _, month, day = _equal_years_date(day_of_year, _MONTHS)
    is_leap = year_of_cycle == 0
    return 4 * cycle + year_of_cycle, np.where(is_leap, leap_month, month), np.where(is_leap, leap_day, day)


def _texts(date: Any, start: int, microseconds: Integers, is_known: NDArray[np.bool_]) -> AnyArray:
    """Dates as texts, with as much of the time of day as all of them need.

    Args:
        date: year, month and day of a number of days.
        start: the number of days of the date that times are counted from.
        microseconds: since that date.
        is_known: False where the value is missing.
    """
    days, time = np.divmod(microseconds, _DAY)
    texts = np.char.mod("%04d", (parts := date(days + start))[0])
    for part in parts[1:]:
        texts = np.char.add(texts, np.char.mod("-%02d", part))
    times = shortest((np.datetime64("1970-01-01", "us") + time.astype("m8[us]"))[is_known]).dtype
    if np.datetime_data(times)[0] != "D":
        clock = np.datetime_as_string(
            (np.datetime64("1970-01-01", "us") + time.astype("m8[us]")).astype(times)
        )
        texts = np.char.add(texts, np.char.lstrip(clock, "0123456789-"))
    return np.where(is_known, texts, "no date")


def shortest(dates: AnyArray) -> AnyArray:
    """The same dates in the largest unit that represents them: noon should not be shown with microseconds."""
    for unit in ("D", "m", "s", "ms"):
        shorter: AnyArray = dates.astype(f"M8[{unit}]")
        if ((shorter == dates) | np.isnat(dates)).all():
            return shorter
    return dates
