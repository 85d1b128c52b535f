"""Deadlines of whole answers.

httpx limits only the time of each single read. So a server that sends its headers, or its body, byte by byte could keep a request
for ever. Here each read of a connection also ends at the moment that the thread has set with `until`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import Any, Final

_CONNECTED: Final = ("connect_tcp.complete", "start_tls.complete")
"""How httpcore's names of events end after which there is a new stream."""


class _Moment(threading.local):
    """When the reads of this thread end, by `time.monotonic`."""

    give_up: float = inf


_moment = _Moment()


@contextmanager
def until(give_up: float) -> Iterator[None]:
    """Let the reads of this thread end at a moment, by `time.monotonic`."""
    before, _moment.give_up = _moment.give_up, give_up
    try:
        yield
    finally:
        _moment.give_up = before


def bound_reads(event: str, facts: Mapping[str, Any]) -> None:
    """The extension ``trace`` of a request: it lets the reads of each new connection end at the moment of `until`."""
    if not event.endswith(_CONNECTED):
        return
    stream = facts["return_value"]
    read = stream.read

    def read_in_time(max_bytes: int, timeout: float | None = None) -> bytes:
        import httpx

        left_s = _moment.give_up - time.monotonic()
        if left_s <= 0:
            raise httpx.ReadTimeout("the answer takes too long")
        wait_s = left_s if timeout is None else min(timeout, left_s)
        data: bytes = read(max_bytes, None if wait_s == inf else wait_s)
        return data

    stream.read = read_in_time
