"""Dates as numbers for drawing (counts since 1970) and as text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SECONDS = {
    "Y": 31_556_952.0,
    "M": 2_629_746.0,
    "W": 604_800.0,
    "D": 86_400.0,
    "h": 3600.0,
    "m": 60.0,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    "ps": 1e-12,
    "fs": 1e-15,
    "as": 1e-18,
}
_WRITTEN = ("D", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
_MOST = 2.0**63
_ATTO = {
    **{
        unit: round(seconds) * 10**18
        for unit, seconds in SECONDS.items()
        if seconds >= 1 and unit not in "YM"
    },
    **{unit: 10 ** (15 - 3 * place) for place, unit in enumerate(("ms", "us", "ns", "ps", "fs", "as"))},
}
"""The attoseconds of each unit of fixed length."""
_STEPS = (
    *(digit * 10**power for power in range(18) for digit in (1, 2, 5)),
    *(seconds * 10**18 for seconds in (1, 5, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600)),
    *(days * 86_400 * 10**18 for days in (1, 2, 7, 14)),
)
"""Distances between ticks, in attoseconds."""
_MONTHS = (1, 3, 6, *(12 * digit * 10**power for power in range(10) for digit in (1, 2, 5)))
_EPOCH_MONTHS = 1970 * 12
"""Counted from year 0, so that decades are round."""


def format_date(count: float, dtype: np.dtype[Any], apart: float = 0.0) -> str:
    """The date for a count of the type's unit, as text.

    Args:
        apart: counts between this date and the next one shown; finer digits are left out.

    >>> format_date(3, np.dtype("M8[10D]")), format_date(1e18, np.dtype("M8[ns]"), 2e9)
    ('1970-01-31', '2001-09-09T01:46:40')
    """
    if not -_MOST < count < _MOST:
        return f"{count:.6g}"
    date = np.array(round(count), np.int64).view(dtype)
    unit, step = np.datetime_data(dtype)
    own = SECONDS.get(unit, 1.0)
    written = next((one for one in _WRITTEN if SECONDS[one] <= max(own, apart * own * step)), _WRITTEN[-1])
    return str(date.astype(f"M8[{written}]") if SECONDS[written] > own else date)


def date_ticks(
    low: float, high: float, dtype: np.dtype[Any], most: float, first: int = 0
) -> list[tuple[float, str]]:
    """At most ``most`` round dates between two counts of the type's unit, with their labels.

    Args:
        first: the count that ``low``, ``high`` and the positions are relative to: floats have 53 bits, dates 64.

    >>> date_ticks(0, 1, np.dtype("M8[D]"), 3)
    [(0.0, '1970-01-01T00:00'), (0.5, '1970-01-01T12:00'), (1.0, '1970-01-02T00:00')]
    """
    unit, step = np.datetime_data(dtype)
    if not -_MOST < first + low <= first + high < _MOST:
        return []
    if unit in "YM":
        return _calendar_ticks(low, high, dtype, most, first)
    per_count = _ATTO[unit] * step
    start, stop = (first * per_count + round(end * per_count) for end in (low, high))
    wanted = (stop - start) / max(1.0, most)
    for apart in _STEPS:
        if apart < wanted:
            continue
        written, atto = next((unit, atto) for unit in _WRITTEN if apart % (atto := _ATTO[unit]) == 0)
        if max(abs(start), abs(stop)) // atto < 2**63 - 1:  # fine units have no dates far from 1970
            places = range(-(-start // apart) * apart, stop + 1, apart)
            return [
                ((place - first * per_count) / per_count, str(np.array(place // atto, f"M8[{written}]")))
                for place in places
            ]
    return _calendar_ticks(low, high, dtype, most, first)


def _calendar_ticks(
    low: float, high: float, dtype: np.dtype[Any], most: float, first: int
) -> list[tuple[float, str]]:
    """First days of months or years."""
    unit, step = np.datetime_data(dtype)
    wanted = (high - low) * step * SECONDS[unit] / SECONDS["M"] / max(1.0, most)
    least = {"Y": 12, "M": 1}.get(unit, 1)
    months = next((one for one in _MONTHS if one >= max(wanted, least)), _MONTHS[-1])
    ends = np.array([first + math.floor(low), first + math.ceil(high)]).view(dtype)
    begin, end = (int(one) for one in ends.astype("M8[M]").astype(np.int64))
    begin = -(-(begin + _EPOCH_MONTHS) // months) * months - _EPOCH_MONTHS
    dates = np.arange(begin, end + 1, months).astype("M8[M]")
    if unit in "YM":
        exact = dates.astype(dtype)
        counts = (exact.astype(np.int64) - first).tolist()
        found = dict(zip(counts, map(str, exact), strict=True))  # a type of several years has fewer dates
    else:
        per_count = _ATTO[unit] * step
        days = dates.astype("M8[D]")
        numbers = [day * _ATTO["D"] - first * per_count for day in days.astype(np.int64).tolist()]
        found = dict(zip([number / per_count for number in numbers], map(str, days), strict=True))
    return [(float(count), text) for count, text in found.items() if low <= count <= high]


def count_of_date(text: str, dtype: np.dtype[Any]) -> float:
    """The count for a date given as text.

    Raises:
        ValueError: the text is not a date.

    >>> count_of_date("1970-01-31", np.dtype("M8[10D]"))
    3.0
    """
    written = text.strip()
    if written.lower() in ("", "nat"):
        raise ValueError("not a date")
    return float(np.datetime64(written).astype(dtype).astype(np.int64))
