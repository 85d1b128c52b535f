"""How old an answer is: when the oldest kept answer that it was made from was requested.

Caches build on one another, so a time limit for each of them would add up. Therefore one time limit holds for all: what keeps an
answer notes when that was requested, each time it gives it away, and what keeps an answer that was made from others keeps the
time of the oldest of them with it. Times are those of the monotonic clock.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class _Oldest(threading.local):
    requested_s = math.inf


_oldest = _Oldest()


def note_age(requested_s: float) -> None:
    """Note that this thread uses an answer that was requested at ``requested_s``."""
    if requested_s < _oldest.requested_s:
        _oldest.requested_s = requested_s


def aged(call: Callable[..., T], *arguments: object) -> tuple[T, float]:
    """The result of a call, and when the oldest kept answer that it used in this thread was requested; infinite if none.

    >>> def answer():
    ...     note_age(7.0)
    ...     note_age(9.0)
    ...     return "found"
    >>> aged(answer), aged(len, "abc")
    (('found', 7.0), (3, inf))
    """
    outer_s, _oldest.requested_s = _oldest.requested_s, math.inf
    try:
        return call(*arguments), _oldest.requested_s
    finally:
        note_age(outer_s)
