"""What comes to a process at the wrong moment, or in the wrong place, kept for later: signals, and what libraries print."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


@contextmanager
def noted(signals: Iterable[signal.Signals]) -> Iterator[set[int]]:
    """Note signals instead of dying by them."""
    arrived: set[int] = set()
    before = {number: signal.signal(number, lambda number, _: arrived.add(number)) for number in signals}
    try:
        yield arrived
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def complaints() -> Iterator[Callable[[], str]]:
    """Catch what libfuse and fusermount3 print to stderr: it is the only place where they say why not."""
    saved = os.dup(2)
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 2)

        def read() -> str:
            caught.seek(0)
            lines = caught.read().decode("utf-8", "replace").strip().splitlines()
            return lines[-1].partition(": ")[2] or lines[-1] if lines else "libfuse gives no reason"

        try:
            yield read
        finally:
            os.dup2(saved, 2)
            os.close(saved)
