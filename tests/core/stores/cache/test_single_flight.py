"""Threads that request the same thing at the same time."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.waiting import PATIENCE_S
from zarrcore.stores.cache import single_flight
from zarrcore.stores.cache.single_flight import SingleFlight


def test_a_thread_waits_for_the_result_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    waits, calls = threading.Event(), []

    class Watched(Future[int]):
        def result(self, timeout: float | None = None) -> int:
            waits.set()
            return super().result(timeout)

    def fetch() -> int:
        calls.append(1)
        assert waits.wait(PATIENCE_S)
        return 3

    monkeypatch.setattr(single_flight, "Future", Watched)
    flights: SingleFlight[int] = SingleFlight()
    with ThreadPoolExecutor(2) as threads:
        results = [threads.submit(flights.run, "key", fetch) for _ in range(2)]
        assert [result.result() for result in results] == [3, 3]
    assert len(calls) == 1
    assert flights.run("key", lambda: 4) == 4


def test_an_error_is_raised_and_not_kept() -> None:
    flights: SingleFlight[int] = SingleFlight()

    def fail() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        flights.run("key", fail)
    assert flights.run("key", lambda: 5) == 5
