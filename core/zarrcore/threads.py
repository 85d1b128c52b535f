"""Threads that start, or fail at once.

Where there is no memory left, a new thread may die before it runs, and Python then waits for ever for it to begin.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from mmap import mmap
from typing import Any, TypeVar

T = TypeVar("T")

_THREAD_NBYTES = 24 << 20
"""Address space for a thread: its stack, and what Python and the C library take for it."""


class ThreadPool(ThreadPoolExecutor):
    """An executor that raises MemoryError where there is no memory for a thread."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        check_thread_memory()
        return super().submit(fn, *args, **kwargs)


def check_thread_memory() -> None:
    """Check that there is memory for a thread.

    Raises:
        MemoryError: there is too little left of what the process may have (``RLIMIT_AS``).
    """
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    try:
        mmap(-1, _THREAD_NBYTES).close()
    except OSError as error:
        raise MemoryError("there is no memory for a thread") from error
