"""Threads that start or fail at once, and requests that wait together.

Without enough memory, a new thread may die before it runs, and Python then waits forever for it to start.
"""

from __future__ import annotations

import concurrent.futures.thread
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from mmap import mmap
from threading import Event, Lock
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

_AT_ONCE = 64
"""Threads of one call of `at_once`: a path may have any number of groups above it."""
_THREAD_NBYTES = 24 << 20
"""Address space for a thread: its stack, and the memory that Python and the C library need for it."""
LOOK_S: Final = 1.0
"""How often a thread that waits looks for signals. One that arrives just before the wait begins does not end the wait, so Ctrl-C
would be seen only after it."""


class ThreadPool(ThreadPoolExecutor):
    """An executor that raises MemoryError if there is too little memory for a thread."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        check_thread_memory()
        return super().submit(fn, *args, **kwargs)


def after_fork(call: Callable[[], object]) -> None:
    """Make a call in each child process that is forked; Windows forks none."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


def is_exiting() -> bool:
    """Whether the program has ended, and Python only waits for the threads of pools, whose results are not used any more."""
    return bool(getattr(concurrent.futures.thread, "_shutdown", False))


def check_thread_memory() -> None:
    """Check that there is memory for a thread.

    Raises:
        MemoryError: the process is too close to its limit (``RLIMIT_AS``).
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    try:
        mmap(-1, _THREAD_NBYTES).close()
    except OSError as error:
        raise MemoryError("there is not enough memory for a thread") from error


def result_of(future: Future[T]) -> T:
    """The result of a future, or its error. A signal is handled within `LOOK_S`."""
    while True:
        try:
            return future.result(LOOK_S)
        except TimeoutError:
            if future.done():  # it may also be the error
                return future.result()


def wait_for(event: Event) -> None:
    """Wait for an event. A signal is handled within `LOOK_S`."""
    while not event.wait(LOOK_S):
        pass


def at_once(get: Callable[[str], T], keys: Sequence[str], least: int = 2) -> Callable[[str], T]:
    """``get`` with values that are requested now, all at once: over a network, this takes as long as one request.

    Fewer than ``least`` are not worth a thread: they are requested when needed.
    """
    if len(keys) < least or not keys:
        return get
    threads = ThreadPool(min(len(keys), _AT_ONCE), "zarrcore-at-once")
    asked: dict[str, Future[T]] = {}
    # At interpreter exit no thread can be started: then the rest is requested when needed.
    with suppress(RuntimeError):
        asked.update((key, threads.submit(get, key)) for key in dict.fromkeys(keys))
    threads.shutdown(wait=False)  # do not wait for values that turn out not to matter
    return lambda key: result_of(asked[key]) if key in asked else get(key)


class _Asked(Generic[T]):
    """A value that is requested once, by the thread that comes first."""

    def __init__(self, get: Callable[[str], T], key: str) -> None:
        self._get = get
        self._key = key
        self._begun = Lock()
        self._found: Future[T] = Future()

    def request(self) -> None:
        if not self._begun.acquire(blocking=False):
            return
        try:
            self._found.set_result(self._get(self._key))
        except BaseException as error:  # noqa: BLE001 - it is raised where the value is needed
            self._found.set_exception(error)

    def value(self) -> T:
        self.request()
        return result_of(self._found)


def meanwhile(get: Callable[[str], T], keys: Sequence[str], threads: ThreadPool) -> Callable[[str], T]:
    """``get`` with values that idle threads request meanwhile.

    A value that no thread has begun to request is requested by the caller when it is needed. So the caller may be a thread of the
    same pool: it never waits for one that waits for it.
    """
    asked = {key: _Asked(get, key) for key in keys}
    # At interpreter exit, or without memory, no thread can be started.
    with suppress(RuntimeError, MemoryError):
        for each in asked.values():
            threads.submit(each.request)
    return lambda key: asked[key].value() if key in asked else get(key)
