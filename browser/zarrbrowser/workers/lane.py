"""A lane of requests where only the newest counts, as a slider makes them.

While a person drags, showing only the very last answer would show nothing until they stop. So an answer is shown
when it is newer than what is shown, few run at once, and of those that wait only the newest is kept.
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
"""A request older than this gives its place to a newer one."""


@dataclass(slots=True)
class _Question:
    number: int
    work: Callable[[Request], Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]
    label: str


class Lane:
    """Asks one kind of question, again and again."""

    def __init__(self, workers: Workers, in_flight: int = IN_FLIGHT) -> None:
        self._workers = workers
        self._in_flight = in_flight
        self._asked = 0
        self._answered = 0
        self._running: dict[int, Request] = {}
        self._next: _Question | None = None
        # Theirs, so that no question is asked when they are gone.
        self._patience = QTimer(workers, singleShot=True)
        self._patience.timeout.connect(self._start)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._running) or self._next is not None

    def ask(
        self,
        work: Callable[[Request], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        label: str = "",
    ) -> None:
        """Ask; a question that still waits for a place is dropped in favour of this one."""
        self._asked += 1
        self._next = _Question(self._asked, work, done, failed, label)
        self._start()

    def forget(self) -> None:
        """No answer is wanted any more: the subject changed."""
        self._next = None
        for request in self._running.values():
            self._workers.cancel(request)
        self._running.clear()
        self._answered = self._asked

    def _make_room(self) -> None:
        """End the oldest request when its time is over; look again when it will be."""
        oldest = min(self._running)
        left_s = PATIENCE_S - (time.monotonic() - self._running[oldest].started_s)
        if left_s <= 0:
            self._workers.cancel(self._running.pop(oldest))
        else:
            self._patience.start(math.ceil(left_s * 1000))

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
            self._next = None  # it was waiting for this one's place
        # An error of a plane that was skipped does not matter.
        wanted = question.number == self._asked if only_newest else question.number > self._answered
        if wanted:
            self._answered = question.number
            callback(value)
        self._start()
