"""The threads that read and decode, and their two limits.

The number of requests in flight is limited per store, decoding by the number of cores. Reading from a local store is nearly
free, so it uses one thread per core. A remote store has threads of its own, which take a decoding permit when
the bytes have arrived. A task of a pool never waits on a pool.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TypeVar

from zarrcore.arguments import check_types
from zarrcore.errors import ReadCancelledError
from zarrcore.stores.interface import Store
from zarrcore.stores.wrapper.prefix import PrefixStore
from zarrcore.threads import ThreadPool, after_fork, wait_for

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

T = TypeVar("T")
R = TypeVar("R")

Task = Callable[[], "Iterable[Task] | None"]
"""A piece of work; it may return further pieces."""

# After this time a job goes to the end of the queue, so that a small read does not wait for a large one.
_TURN_S = 0.01
_BATCH_NBYTES = 1 << 20
_AT_ONCE = 16 * CORES
"""The number of results that are computed before the first of them is used."""

_lock = threading.Lock()
_local_executor: ThreadPool | None = None
_remote_executors: weakref.WeakKeyDictionary[Store, ThreadPool] = weakref.WeakKeyDictionary()
_width = CORES
_decoding = threading.BoundedSemaphore(CORES)


def _forget_after_fork() -> None:
    """Forget all threads in a forked child: they do not survive a fork."""
    global _lock, _local_executor, _remote_executors, _decoding
    _lock = threading.Lock()
    _local_executor = None
    _remote_executors = weakref.WeakKeyDictionary()
    _decoding = threading.BoundedSemaphore(_width)


after_fork(_forget_after_fork)


def limit_threads(count: int) -> None:
    """Decode and encode with at most ``count`` threads, for all reads and writes of this process that begin from now on.

    Without it there is one for each processor that the process may use. Requests to remote stores have threads of their own.

    Raises:
        TypeError, ValueError: it is not a number of threads.

    >>> limit_threads(CORES)
    """
    check_types("int", count=count)
    if count < 1:
        raise ValueError(f"count: expected at least 1, found {count}")
    global _local_executor, _decoding, _width
    with _lock:
        if count != _width:
            _width = count
            _decoding = threading.BoundedSemaphore(count)
            _local_executor = None


def batch_size(chunk_nbytes: int, count: int) -> int:
    """How many of ``count`` local chunks a thread should read at a time."""
    return max(1, min(_BATCH_NBYTES // max(1, chunk_nbytes), count // (4 * CORES), 128))


def decoding_permit() -> threading.BoundedSemaphore:
    """The permit to decode on a thread of a remote store."""
    return _decoding


def executor_for(store: Store) -> tuple[ThreadPool, int]:
    """The threads that serve a store, and their number. Prefixes of the store share them."""
    while isinstance(store, PrefixStore):
        store = store.store
    if not store.is_remote:
        return _local_threads()
    with _lock:
        executor = _remote_executors.get(store)
        if executor is None:
            executor = ThreadPool(store.requests_in_flight, "zarrcore-remote")
            _remote_executors[store] = executor
        return executor, store.requests_in_flight


def _local_threads() -> tuple[ThreadPool, int]:
    global _local_executor
    with _lock:
        if _local_executor is None:
            _local_executor = ThreadPool(_width, "zarrcore")
        return _local_executor, _width


def run_tasks(
    tasks: Iterator[Task], store: Store, batch: int = 1, cancelled: Callable[[], bool] | None = None
) -> None:
    """Run all tasks, and those that they return, on the threads of ``store``; return when all are done.

    Args:
        tasks: consumed as threads become idle, never all at once.
        batch: how many tasks a thread takes at a time.
        cancelled: called before each batch; when it returns True, no further task starts.

    Raises:
        ReadCancelledError: ``cancelled`` returned True.
        ZarrError: the error of the first task that failed. Further errors and tasks not yet started are dropped.
    """
    first = list(islice(tasks, 2))
    if not first:
        return
    if len(first) == 1 and not (further := list(first[0]() or ())):
        return  # a single task does not need a second thread
    if len(first) == 1:
        first = further
    executor, width = executor_for(store)
    _Job(first, tasks, executor, width, batch, cancelled).run()


def in_order(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """The results of a function for some items, computed by this thread and idle threads of local stores.

    This thread takes part in the work. So it may hold a lock that all other threads wait for; the function must not
    wait for one.

    Raises:
        ZarrError: the error of the first item that failed.
    """
    rest = iter(items)
    while some := list(islice(rest, _AT_ONCE)):
        results: dict[int, R] = {}
        tasks = (
            partial(_keep_result, results, position, function, item) for position, item in enumerate(some)
        )
        executor, width = _local_threads()
        _Job([], tasks, executor, width, 1, None).run(taking_part=True)
        yield from (results[position] for position in range(len(some)))


def _keep_result(results: dict[int, R], position: int, function: Callable[[T], R], item: T) -> None:
    results[position] = function(item)


class _Job:
    """One read: its tasks and the threads that work on it.

    A turn is the work of one thread before it goes to the end of the queue. A turn that starts when no task is left does
    nothing, so the job is done when the last working turn finds no more tasks.

    A turn that took tasks queues the next turn. So the threads of a remote store start one after the other, as fast as
    Python lets them: if all waited for the GIL at once, a thread that draws a window would wait for all of them.
    """

    def __init__(
        self,
        ready: list[Task],
        tasks: Iterator[Task],
        executor: ThreadPool,
        width: int,
        batch: int,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._ready = deque(ready)
        self._tasks = tasks
        self._executor = executor
        self._width = width
        self._batch = batch
        self._cancelled = cancelled
        self._lock = threading.Lock()
        self._queued = 0
        self._active = 0
        self._exhausted = False
        self._error: BaseException | None = None
        self._done = threading.Event()

    def run(self, *, taking_part: bool = False) -> None:
        """Do everything, on this thread too if it is taking part."""
        try:
            # Helpless: the interpreter is shutting down, or the system has reached its limit.
            helpless = self._width > taking_part and not self._queue()
            if helpless or taking_part:
                self._take_part()
            wait_for(self._done)
        except BaseException as error:
            # Ctrl-C: the threads write into the caller's buffer, so they must stop before it is released.
            self._error = self._error or error
            wait_for(self._done)
            raise
        if self._error is not None:
            raise self._error

    def _queue(self) -> bool:
        """Queue a turn if one more thread may work. False if the executor accepts none."""
        with self._lock:
            if self._active + self._queued >= self._width:
                return True
            self._queued += 1
        try:
            self._executor.submit(self._turn)  # not under the lock, which the new thread takes first
        except (RuntimeError, MemoryError):
            with self._lock:
                self._queued -= 1
            return False
        return True

    def _turn(self) -> None:
        with self._lock:
            self._queued -= 1
            self._active += 1
        ends_s = time.monotonic() + _TURN_S
        while self._do_batch():
            if time.monotonic() > ends_s:
                with self._lock:
                    self._active -= 1
                if self._queue():
                    return
                with self._lock:
                    self._active += 1
        with self._lock:
            self._active -= 1
            if self._active == 0:
                self._done.set()

    def _take_part(self) -> None:
        with self._lock:
            self._active += 1
        while self._do_batch():
            pass
        with self._lock:
            self._active -= 1
            if self._active == 0:
                self._done.set()

    def _do_batch(self) -> bool:
        """Take tasks and run them. False if no task is left."""
        try:
            if self._cancelled is not None and self._cancelled():
                raise ReadCancelledError("the read was cancelled")
            with self._lock:
                batch = self._take()
                more = bool(self._ready) or not self._exhausted
            if batch and more:
                self._queue()
            for task in batch:
                if further := task():
                    with self._lock:
                        self._ready.extend(further)
                    self._queue()
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that requested the read
            with self._lock:
                self._error = self._error or error
            return False
        return bool(batch)

    def _take(self) -> list[Task]:
        """The next batch; empty if no task is left, or after an error."""
        if self._error is not None:
            return []
        taken = [self._ready.popleft() for _ in range(min(self._batch, len(self._ready)))]
        if len(taken) < self._batch and not self._exhausted:
            missing = self._batch - len(taken)
            more = list(islice(self._tasks, missing))
            self._exhausted = len(more) < missing
            taken += more
        return taken
