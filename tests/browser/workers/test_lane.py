"""A lane: of several requests the newest answer counts."""

from __future__ import annotations

import gc
import threading

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from tests.browser.fakes import Gate
from zarrbrowser.workers import Lane, Request, Workers
from zarrbrowser.workers import lane as lane_module


class Asker:
    """Requests numbers from a lane; each is answered when its gate opens."""

    def __init__(self, workers: Workers) -> None:
        self.lane = Lane(workers)
        self.gates: dict[int, Gate] = {}
        self.began: list[int] = []
        self.answers: list[int] = []
        self.errors: list[Exception] = []

    def ask(self, number: int, error: Exception | None = None) -> None:
        gate = self.gates[number] = Gate()

        def work(_request: Request) -> int:
            self.began.append(number)
            gate.wait()
            if error is not None:
                raise error
            return number

        self.lane.ask(work, self.answers.append, self.errors.append)


def test_a_lane_drops_answers_older_than_the_one_shown(workers: Workers, qtbot: QtBot) -> None:
    asker = Asker(workers)
    asker.ask(1)
    asker.ask(2)
    asker.gates[2].open()
    qtbot.waitUntil(lambda: asker.answers == [2])
    asker.gates[1].open()
    qtbot.waitUntil(lambda: not asker.lane.busy)
    assert asker.answers == [2]


def test_a_lane_skips_outdated_requests(workers: Workers, qtbot: QtBot) -> None:
    asker = Asker(workers)
    for number in range(1, 9):
        asker.ask(number)
    for gate in asker.gates.values():
        gate.open()
    qtbot.waitUntil(lambda: not asker.lane.busy)
    assert sorted(asker.began) == [1, 2, 8]
    assert asker.answers[-1] == 8


def test_a_lane_cancels_a_request_that_hangs(
    workers: Workers, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_module, "PATIENCE_S", 0.05)
    asker = Asker(workers)
    for number in (1, 2, 3):
        asker.ask(number)
    asker.gates[3].open()
    qtbot.waitUntil(lambda: asker.answers == [3])
    for gate in asker.gates.values():
        gate.open()


def test_a_lane_that_was_reset_drops_later_answers(workers: Workers, qtbot: QtBot) -> None:
    asker = Asker(workers)
    asker.ask(1)
    asker.lane.forget()
    asker.gates[1].open()
    asker.ask(2)
    asker.gates[2].open()
    qtbot.waitUntil(lambda: not asker.lane.busy)
    assert asker.answers == [2]


def test_only_the_newest_error_counts(workers: Workers, qtbot: QtBot) -> None:
    asker = Asker(workers)
    asker.ask(1, ValueError("old"))
    asker.ask(2)
    for gate in asker.gates.values():
        gate.open()
    qtbot.waitUntil(lambda: not asker.lane.busy)
    assert asker.errors == []
    asker.ask(3, ValueError("new"))
    asker.gates[3].open()
    qtbot.waitUntil(lambda: len(asker.errors) == 1)


def test_a_waiting_request_is_not_sent_to_deleted_workers(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_module, "PATIENCE_S", 0.05)
    workers, hold = Workers(), threading.Event()
    lane = Lane(workers, in_flight=1)
    for _ in range(2):
        lane.ask(lambda _request: hold.wait(), lambda _answer: None, lambda _error: None)
    hold.set()
    workers.shut_down(5.0)
    shiboken6.delete(workers)
    qtbot.wait(100)  # an exception in the event loop fails the test
    assert lane.busy


def test_lanes_leave_nothing_with_the_workers(workers: Workers, qtbot: QtBot) -> None:
    before = len(workers.children())
    for _ in range(3):
        asker = Asker(workers)
        for number in range(5):  # the last ones wait
            asker.ask(number)
        for gate in asker.gates.values():
            gate.open()
        qtbot.waitUntil(lambda lane=asker.lane: not lane.busy)
    assert len(workers.children()) == before


def test_a_lane_that_is_dropped_may_still_look_again(
    workers: Workers, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_module, "PATIENCE_S", 0.05)
    looked = []
    look = Lane._look_again

    def watched(lane: Lane) -> None:
        if lane._workers is workers:  # and not those of a test before
            looked.append(lane._in_flight)
        look(lane)

    monkeypatch.setattr(Lane, "_look_again", watched)
    for _ in range(20):
        lane = Lane(workers, in_flight=1)
        for _ in range(2):
            lane.ask(lambda _request: None, lambda _answer: None, lambda _error: None)
        lane.forget()
        del lane
    gc.collect()
    kept = [{"number": number} for number in range(10_000)]  # takes the memory of what was freed
    qtbot.wait(100)  # an exception in the event loop fails the test
    assert set(looked) == {1}, len(kept)
