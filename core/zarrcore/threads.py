"""Threads that start or fail at once.

Without enough memory, a new thread may die before it runs, and Python then waits forever for it to start.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from mmap import mmap
from typing import Any, TypeVar

T = TypeVar("T")

_THREAD_NBYTES = 24 << 20
"""Address space for a thread: its stack, and the memory that Python and the C library need for it."""


class ThreadPool(ThreadPoolExecutor):
    """An executor that raises MemoryError if there is too little memory for a thread."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        check_thread_memory()
        return super().submit(fn, *args, **kwargs)


def check_thread_memory() -> None:
    """Check that there is memory for a thread.

    Raises:
        MemoryError: the process is too close to its limit (``RLIMIT_AS``).
    """
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    try:
        mmap(-1, _THREAD_NBYTES).close()
    except OSError as error:
        raise MemoryError("there is not enough memory for a thread") from error
