"""Signals that arrive before the daemon can handle them, kept for later."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


@contextmanager
def recorded_signals(signals: Iterable[signal.Signals]) -> Iterator[set[int]]:
    """Record signals that would otherwise end the process."""
    arrived: set[int] = set()
    before = {number: signal.signal(number, lambda number, _: arrived.add(number)) for number in signals}
    try:
        yield arrived
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
