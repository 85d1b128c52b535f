"""A pool of threads that runs the window's requests.

Answers are queued signals, so callbacks run on the window's thread. The answer to a cancelled request is dropped.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal

from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.workers.proj_contexts import keep_proj_context

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

THREADS = 32
"""Most of them wait for storage; if a store hangs and blocks a few, the others still work."""


class Stopped(Exception):  # noqa: N818 - not an error: the user stopped it
    """The user stopped the reading."""


@dataclass(eq=False, slots=True)
class Request:
    """A request. The worker checks whether it is cancelled, and reports its progress."""

    number: int
    label: str
    started_s: float
    _report: Callable[[Request, float], None]
    _report_part: Callable[[Request, Any], None]
    _cancelled: threading.Event = field(default_factory=threading.Event)

    def cancel(self) -> None:
        """Cancel the request."""
        self._cancelled.set()

    def is_cancelled(self) -> bool:
        """Whether the request is cancelled."""
        return self._cancelled.is_set()

    def progress(self, fraction: float) -> None:
        """Report the progress, 0 to 1; called by the worker."""
        self._report(self, fraction)

    def report_part(self, part: Any) -> None:
        """Report a part of the answer early; called by the worker."""
        self._report_part(self, part)


@dataclass(slots=True)
class _Answer:
    request: Request
    result: Any
    error: Exception | None


class Workers(QObject):
    """Runs work in threads.

    Signals:
        activity_changed: a request started or ended.
        progressed: a request, and how much of it is done, 0 to 1.
    """

    activity_changed = Signal()
    progressed = Signal(object, float)
    _answered = Signal(object)
    _part_reported = Signal(object, object)

    def __init__(self, parent: QObject | None = None, threads: int = THREADS) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(threads)
        self._count = 0
        self._waiting: dict[Request, tuple[Callable[[Any], None], Callable[[Exception], None]]] = {}
        self._hearers: dict[Request, Callable[[Any], None]] = {}
        self._closed = False
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._part_reported.connect(self._deliver_part, Qt.ConnectionType.QueuedConnection)

    @property
    def active(self) -> tuple[Request, ...]:
        """Running and waiting requests, the oldest first."""
        return tuple(self._waiting)

    def submit(
        self,
        work: Callable[[Request], _T],
        done: Callable[[_T], None],
        failed: Callable[[Exception], None],
        label: str = "",
        heard: Callable[[Any], None] | None = None,
    ) -> Request:
        """Run ``work`` in a thread, then ``done`` or ``failed`` on this thread, unless the request was cancelled.

        Args:
            label: the text for the status bar; empty to show nothing.
            heard: called on this thread, before the answer, with the parts that the work reports.
        """
        self._count += 1
        request = Request(self._count, label, time.monotonic(), self._report, self._report_part)
        self._waiting[request] = (done, failed)
        if heard is not None:
            self._hearers[request] = heard
        self.activity_changed.emit()  # before the thread sends requests to a store, so that counts of these start from here
        self._pool.start(lambda: self._run(request, work))
        return request

    def cancel(self, request: Request) -> None:
        """Cancel a request; its thread stops at the next block, or its answer is dropped."""
        request.cancel()
        self._hearers.pop(request, None)
        if self._waiting.pop(request, None) is not None:
            self.activity_changed.emit()

    def stop(self) -> None:
        """Stop everything for the user: each request fails with `Stopped`."""
        for request in self.active:
            callbacks = self._waiting.get(request)
            self.cancel(request)
            if callbacks is not None:
                callbacks[1](Stopped("this was cancelled"))

    def shut_down(self, wait_s: float) -> bool:
        """Cancel everything and wait for the threads; False if some are stuck in a store that hangs."""
        self._closed = True
        for request in self.active:
            self.cancel(request)
        self._pool.clear()
        return self.wait(wait_s)

    def wait(self, wait_s: float) -> bool:
        """Wait until all threads are idle; False if some are still working after the timeout."""
        return self._pool.waitForDone(int(wait_s * 1000))

    def _run(self, request: Request, work: Callable[[Request], Any]) -> None:
        result, error = None, None
        if request.is_cancelled():
            return
        try:
            result = work(request)
        except Cancelled:
            return
        except Exception as problem:  # noqa: BLE001 - the window shows any error of a thread
            error = problem
        finally:
            keep_proj_context()
        if not self._closed and not request.is_cancelled():
            self._answered.emit(_Answer(request, result, error))

    def _report(self, request: Request, fraction: float) -> None:
        if not self._closed and not request.is_cancelled():
            self.progressed.emit(request, fraction)

    def _report_part(self, request: Request, part: Any) -> None:
        if not self._closed and not request.is_cancelled():
            self._part_reported.emit(request, part)

    def _deliver_part(self, request: Request, part: Any) -> None:
        hearer = self._hearers.get(request)
        if hearer is not None:
            hearer(part)

    def _deliver(self, answer: _Answer) -> None:
        callbacks = self._waiting.pop(answer.request, None)
        self._hearers.pop(answer.request, None)
        if callbacks is None:
            return
        self.activity_changed.emit()
        done, failed = callbacks
        if answer.error is None:
            done(answer.result)
        else:
            _log.debug("%s failed", answer.request.label or "work", exc_info=answer.error)
            failed(answer.error)
