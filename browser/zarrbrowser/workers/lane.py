"""A lane of requests where only the newest matters, such as those of a slider.

Showing only the last answer would show nothing while the user drags. So every answer that is newer than the one shown
is shown, few requests run at once, and only the newest waiting request is kept.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QTimer

from zarrbrowser.workers.workers import Request, Stopped, Workers

IN_FLIGHT = 2
PATIENCE_S = 1.0
"""A request that runs longer is cancelled in favour of a newer one."""


@dataclass(slots=True)
class _Question:
    number: int
    work: Callable[[Request], Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]
    label: str


class Lane:
    """A sequence of requests of one kind."""

    def __init__(self, workers: Workers, in_flight: int = IN_FLIGHT) -> None:
        self._workers = workers
        self._in_flight = in_flight
        self._asked = 0
        self._answered = 0
        self._running: dict[int, Request] = {}
        self._next: _Question | None = None
        self._is_patient = False
        """Whether a check of the oldest request's time is to come."""

    @property
    def busy(self) -> bool:
        """Whether an answer is awaited."""
        return bool(self._running) or self._next is not None

    def ask(
        self,
        work: Callable[[Request], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        label: str = "",
    ) -> None:
        """Add a request; one that is still waiting is dropped."""
        self._asked += 1
        self._next = _Question(self._asked, work, done, failed, label)
        self._start()

    def forget(self) -> None:
        """Cancel all requests, because the subject changed."""
        self._next = None
        for request in self._running.values():
            self._workers.cancel(request)
        self._running.clear()
        self._answered = self._asked

    def _make_room(self) -> None:
        """Cancel the oldest request if its time is over; otherwise check again at that time."""
        oldest = min(self._running)
        left_s = PATIENCE_S - (time.monotonic() - self._running[oldest].started_s)
        if left_s <= 0:
            self._workers.cancel(self._running.pop(oldest))
        elif not self._is_patient:
            self._is_patient = True
            # The workers are its context, so that it does not fire after they are deleted. The lambda keeps this lane alive:
            # Qt would hold a bare method without it, and call it on freed memory.
            QTimer.singleShot(math.ceil(left_s * 1000), self._workers, lambda: self._look_again())

    def _look_again(self) -> None:
        self._is_patient = False
        self._start()

    def _start(self) -> None:
        question = self._next
        if question is None:
            return
        if len(self._running) >= self._in_flight:
            self._make_room()
        if len(self._running) >= self._in_flight:
            return
        self._next = None
        self._running[question.number] = self._workers.submit(
            question.work,
            lambda result: self._end(question, question.done, result),
            lambda error: self._end(question, question.failed, error, only_newest=True),
            question.label,
        )

    def _end(
        self, question: _Question, callback: Callable[[Any], None], value: Any, *, only_newest: bool = False
    ) -> None:
        self._running.pop(question.number, None)
        if isinstance(value, Stopped):
            self._next = None  # a waiting request can start now
        # The error of a skipped request does not matter.
        wanted = question.number == self._asked if only_newest else question.number > self._answered
        if wanted:
            self._answered = question.number
            callback(value)
        self._start()
