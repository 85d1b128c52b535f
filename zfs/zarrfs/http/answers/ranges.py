"""Byte ranges of a request, RFC 9110 section 14.

Ranges that overlap or touch are joined, so that no byte is sent twice. A header that is not valid, asks for other units or for
too many ranges is ignored, as the RFC permits: the answer is then the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_RANGES_MAX: Final = 32
_HEADER: Final = re.compile(r"\s*bytes\s*=(.*)", re.IGNORECASE | re.DOTALL)
_RANGE: Final = re.compile(r"(?P<first>[0-9]+)-(?P<last>[0-9]*)|-(?P<suffix>[0-9]+)", re.ASCII)
_DIGITS_MAX: Final = 20
"""A number of more digits is beyond the end of any file."""

Interval = tuple[int, int]
"""The half-open interval of offsets ``[start, stop)``."""


def requested(header: str | None, size: int) -> Sequence[Interval] | None:
    """The parts of a file that a request asks for, in the order of the file.

    Args:
        header: the value of ``Range``.
        size: the size of the file in bytes.

    Returns:
        None for the whole file; an empty sequence if no part of the file is asked for, which is an error (416).

    >>> requested("bytes=0-3,2-5,8-", 10), requested("bytes=-4", 10), requested("bytes=10-", 10)
    ([(0, 6), (8, 10)], [(6, 10)], [])
    >>> requested("lines=0-3", 10) is None
    True
    """
    found = _HEADER.fullmatch(header or "")
    parts = found[1].split(",") if found else []
    matches = [_RANGE.fullmatch(part.strip()) for part in parts if part.strip()]
    if not matches or len(matches) > _RANGES_MAX:
        return None
    intervals: list[Interval] = []
    for match in matches:
        if match is None or (match["last"] and _number(match["last"]) < _number(match["first"])):
            return None
        interval = _interval(match, size)
        if interval is not None:
            intervals.append(interval)
    return _joined(sorted(intervals))


def _interval(match: re.Match[str], size: int) -> Interval | None:
    if match["suffix"]:
        length = _number(match["suffix"])
        return (max(0, size - length), size) if length and size else None
    first = _number(match["first"])
    stop = min(size, _number(match["last"]) + 1) if match["last"] else size
    return (first, stop) if first < size else None


def _number(text: str) -> int:
    digits = text.lstrip("0")
    return int(digits or 0) if len(digits) <= _DIGITS_MAX else 10**_DIGITS_MAX


def _joined(intervals: list[Interval]) -> list[Interval]:
    joined: list[Interval] = []
    for start, stop in intervals:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], stop)
        else:
            joined.append((start, stop))
    return joined
