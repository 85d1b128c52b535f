"""Work on many items at once: order, bounds, and failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator

import pytest

from tests.waiting import PATIENCE_S
from zarrcore.operations.parallel import in_parallel


def test_results_are_in_the_order_of_the_items() -> None:
    assert [*in_parallel(lambda number: number * 2, range(100), 4)] == [2 * number for number in range(100)]
    assert [*in_parallel(str, [], 4)] == []


def test_items_work_at_once_but_no_more_than_there_are_threads() -> None:
    together, lock, running, most = threading.Barrier(3, timeout=PATIENCE_S), threading.Lock(), 0, 0

    def work(_: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait()
        with lock:
            running -= 1

    assert len([*in_parallel(work, range(9), 3)]) == 9
    assert most == 3


def test_items_are_taken_as_results_are() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = in_parallel(str, items(), 2)
    assert taken == []
    assert next(results) == "0"
    assert len(taken) == 3
    assert isinstance(results, Generator)
    results.close()
    assert len(taken) == 3


def test_a_failure_ends_it_when_the_calls_that_started_have_ended() -> None:
    started, ended = [], []
    release = threading.Event()

    def work(number: int) -> int:
        started.append(number)
        if number == 0:
            release.wait(PATIENCE_S)
            raise ValueError("no good")
        release.set()
        time.sleep(0.02)
        ended.append(number)
        return number

    with pytest.raises(ValueError, match="no good"):
        [*in_parallel(work, range(1000), 2)]
    assert sorted(started) == [0, *sorted(ended)]
    assert len(started) < 10


def test_a_failure_of_the_items_is_raised() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        [*in_parallel(str, items(), 4)]
