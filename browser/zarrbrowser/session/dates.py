"""Dates as they are drawn, counts since 1970, and as they are written."""

from __future__ import annotations

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
_WRITTEN = ("D", "s", "ms", "us", "ns")
_MOST = 2.0**63


def format_date(count: float, dtype: np.dtype[Any], apart: float = 0.0) -> str:
    """The date that a count of the type's unit stands for.

    Args:
        apart: counts between this date and the next that is written; digits that say less are left out.

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


def count_of_date(text: str, dtype: np.dtype[Any]) -> float:
    """The count that a written date stands for.

    Raises:
        ValueError: the text is no date.

    >>> count_of_date("1970-01-31", np.dtype("M8[10D]"))
    3.0
    """
    written = text.strip()
    if written.lower() in ("", "nat"):
        raise ValueError("not a time")
    return float(np.datetime64(written).astype(dtype).astype(np.int64))
