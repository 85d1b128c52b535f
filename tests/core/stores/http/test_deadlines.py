"""Deadlines of whole answers, on a stream that answers by the clock of the test."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from zarrcore.stores.http.deadlines import bound_reads, until


class Stream:
    """Remembers how long each read may take."""

    def __init__(self) -> None:
        self.waits: list[float | None] = []

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self.waits.append(timeout)
        return bytes(max_bytes)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(s=100.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.s)
    return clock


def bound(event: str = "connection.connect_tcp.complete") -> Any:
    stream = Stream()
    bound_reads(event, {"return_value": stream})
    return stream


def test_a_read_takes_no_longer_than_the_deadline_leaves(now: SimpleNamespace) -> None:
    stream = bound()
    with until(103.0):
        stream.read(1, 9.0)
        stream.read(1, 2.0)
        stream.read(1)
        now.s = 102.5
        stream.read(1, 2.0)
        now.s = 103.0
        with pytest.raises(httpx.ReadTimeout):
            stream.read(1, 2.0)
    assert stream.waits == [3.0, 2.0, 3.0, 0.5]


def test_without_a_deadline_reads_are_as_before(now: SimpleNamespace) -> None:
    stream = bound()
    stream.read(1, 9.0)
    stream.read(1)
    assert stream.waits == [9.0, None]


def test_an_inner_deadline_ends_with_its_block_and_is_that_of_its_thread(now: SimpleNamespace) -> None:
    stream = bound()
    with until(110.0):
        with until(101.0):
            stream.read(1)
            thread = threading.Thread(target=stream.read, args=(1,))
            thread.start()
            thread.join()
        stream.read(1)
    assert stream.waits == [1.0, None, 10.0]


@pytest.mark.parametrize(
    "event", ["connection.start_tls.complete", "http11.receive_response_headers.started"]
)
def test_only_new_streams_are_bound(event: str, now: SimpleNamespace) -> None:
    stream = bound(event)
    with until(101.0):
        stream.read(1, 9.0)
    assert stream.waits == ([1.0] if "tls" in event else [9.0])
