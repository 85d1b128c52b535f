"""Runs changes one after the other, and always reports what came of each.

The pool of workers drops the answer of a request that the user stops. What a stopped change has done must be known all the
same, so changes report by a signal of their own.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, Signal

from zarrbrowser.editing.changes import Change, Outcome
from zarrbrowser.editing.progress import Progress
from zarrbrowser.session.sources import Source
from zarrbrowser.workers import Request, Workers
from zarrbrowser.workers.workers import Stopped


@dataclass(eq=False, slots=True)
class _Job:
    source: Source
    change: Change
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_claimed: bool = False
    """Whether a worker has begun, or the job was dropped before one could."""

    def claim(self) -> bool:
        """Claim the job; False if it was claimed before."""
        with self.lock:
            taken, self.is_claimed = self.is_claimed, True
        return not taken


class ChangeRunner(QObject):
    """Runs changes in workers, one at a time.

    Signals:
        ended: the source, the change, and its `Outcome` or an error.
        stopping: the change that the user wants to stop.
        idle: no change is running or waiting any more.
    """

    ended = Signal(object, object, object)
    stopping = Signal(object)
    idle = Signal()
    _answered = Signal(object, object)

    def __init__(self, workers: Workers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workers = workers
        self._waiting: deque[_Job] = deque()
        self._running: _Job | None = None
        self._answered.connect(self._end, Qt.ConnectionType.QueuedConnection)

    @property
    def is_busy(self) -> bool:
        """Whether a change is running or waiting."""
        return self._running is not None

    def run(self, source: Source, change: Change) -> None:
        """Run a change after those asked for before."""
        self._waiting.append(_Job(source, change))
        self._next()

    def _next(self) -> None:
        if self._running is not None or not self._waiting:
            return
        job = self._running = self._waiting.popleft()

        def work(asked: Request) -> None:
            if not job.claim():
                return
            outcome: Outcome | Exception
            try:
                outcome = job.change.run(Progress(asked.progress, asked.is_cancelled))
            except Exception as error:  # noqa: BLE001 - the window shows any error of a thread
                outcome = error
            with suppress(RuntimeError):  # the window is gone
                self._answered.emit(job, outcome)

        self._workers.submit(
            work, lambda _nothing: None, lambda error: self._stop(job, error), job.change.what
        )

    def _stop(self, job: _Job, error: Exception) -> None:
        """The user stops a change: if it runs, it will answer."""
        self._waiting.clear()
        if job.claim():
            self._end(job, error)
        elif isinstance(error, Stopped):
            self.stopping.emit(job.change)

    def _end(self, job: _Job, outcome: Outcome | Exception) -> None:
        self._running = None
        self.ended.emit(job.source, job.change, outcome)
        self._next()
        if self._running is None:
            self.idle.emit()
