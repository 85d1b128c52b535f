"""Requests in threads: answers arrive on the window's thread, late ones are dropped."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from tests.browser.fakes import Gate
from zarrbrowser.workers import Request, Workers
from zarrbrowser.workers.workers import Stopped


def fail(error: Exception) -> None:
    pytest.fail(f"unexpected {error!r}")


def test_answers_arrive_on_the_windows_thread(workers: Workers, qtbot: QtBot) -> None:
    answers: list[tuple[object, QThread]] = []
    place: list[int] = []

    def work(_request: Request) -> int:
        place.append(threading.get_ident())
        return 7

    workers.submit(work, lambda value: answers.append((value, QThread.currentThread())), fail, "work")
    assert workers.active[0].label == "work"
    qtbot.waitUntil(lambda: bool(answers))
    assert answers == [(7, workers.thread())]
    assert place != [threading.get_ident()]
    assert workers.active == ()


def test_errors_arrive_as_they_are(workers: Workers, qtbot: QtBot) -> None:
    errors: list[Exception] = []
    workers.submit(lambda _request: 1 // 0, fail, errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert isinstance(errors[0], ZeroDivisionError)


def test_the_answer_to_a_cancelled_request_is_dropped(workers: Workers, qtbot: QtBot) -> None:
    gate, answers = Gate(), []
    request = workers.submit(gate.wait, lambda _value: answers.append("late"), fail)
    assert gate.waiting.acquire(timeout=30)
    workers.cancel(request)
    gate.open()
    workers.submit(lambda _request: None, lambda _value: answers.append("other"), fail)
    qtbot.waitUntil(lambda: bool(answers))
    qtbot.wait(50)
    assert answers == ["other"]


def test_a_request_that_hangs_does_not_block_the_others(workers: Workers, qtbot: QtBot) -> None:
    gate, answers = Gate(), []
    workers.submit(gate.wait, answers.append, fail)
    for number in range(20):
        workers.submit(lambda _request, number=number: number, answers.append, fail)
    qtbot.waitUntil(lambda: len(answers) == 20)
    assert sorted(answers) == list(range(20))
    gate.open()


def test_stop_fails_waiting_requests(workers: Workers, qtbot: QtBot) -> None:
    gate, errors = Gate(), []
    workers.submit(gate.wait, fail, errors.append, "reading")
    workers.stop()
    gate.open()
    assert len(errors) == 1
    assert isinstance(errors[0], Stopped)
