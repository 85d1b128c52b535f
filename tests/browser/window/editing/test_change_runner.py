"""Changes run one after the other, and always say what came of them, also when they are stopped."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from tests.browser.fakes import Gate
from zarrbrowser.editing.changes import Change, Outcome
from zarrbrowser.editing.progress import Progress
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.window.editing.change_runner import ChangeRunner
from zarrbrowser.workers import Workers
from zarrbrowser.workers.workers import Stopped

SOURCE = Source(SourceRequest("x"), None, None)  # type: ignore[arg-type]


@pytest.fixture
def heard() -> list[Any]:
    return []


@pytest.fixture
def runner(workers: Workers, heard: list[Any]) -> ChangeRunner:
    made = ChangeRunner(workers, workers)
    made.ended.connect(lambda _source, _change, outcome: heard.append(outcome))
    return made


def test_changes_run_in_their_order(runner: ChangeRunner, heard: list[Any], qtbot: QtBot) -> None:
    gate, order = Gate(), []

    def first(_progress: Progress) -> Outcome:
        gate.wait()
        order.append("first")
        return Outcome("first")

    def second(_progress: Progress) -> Outcome:
        order.append("second")
        raise ZeroDivisionError

    runner.run(SOURCE, Change("one", first))
    runner.run(SOURCE, Change("two", second))
    assert runner.is_busy
    qtbot.wait(50)
    assert order == []
    with qtbot.waitSignal(runner.idle):
        gate.open()
    assert order == ["first", "second"]
    assert heard[0] == Outcome("first")
    assert isinstance(heard[1], ZeroDivisionError)
    assert not runner.is_busy


def test_a_stopped_change_still_says_what_it_did(
    runner: ChangeRunner, workers: Workers, heard: list[Any], qtbot: QtBot
) -> None:
    gate, ran_on = Gate(), threading.Event()

    def work(progress: Progress) -> Outcome:
        gate.wait()
        assert progress.is_stopped()
        ran_on.set()
        return Outcome("half", is_complete=False)

    runner.run(SOURCE, Change("one", work))
    runner.run(SOURCE, Change("two", work))
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    with qtbot.waitSignal(runner.stopping):
        workers.stop()
    assert runner.is_busy
    with qtbot.waitSignal(runner.idle):
        gate.open()
    assert ran_on.is_set()
    assert heard == [Outcome("half", is_complete=False)], "the second one never began"


def test_a_change_that_did_not_begin_changes_nothing(
    application: object, heard: list[Any], qtbot: QtBot
) -> None:
    workers, gate = Workers(threads=1), Gate()
    runner = ChangeRunner(workers, workers)
    runner.ended.connect(lambda _source, _change, outcome: heard.append(outcome))
    workers.submit(lambda _asked: gate.wait(), lambda _nothing: None, lambda _error: None)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    runner.run(SOURCE, Change("one", lambda _progress: Outcome("done")))
    workers.stop()
    assert len(heard) == 1
    assert isinstance(heard[0], Stopped)
    assert not runner.is_busy
    gate.open()
    assert workers.shut_down(10)
    qtbot.wait(20)
    assert len(heard) == 1
