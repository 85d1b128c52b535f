"""Worker threads for calls that would block the event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import trio

from zarrcore.threads import check_thread_memory
from zarrfs.fuse.counters import Counters
from zarrfs.fuse.prefetch import FETCHES_MAX

T = TypeVar("T")


class Workers:
    """Worker threads for calls that wait, and background tasks.

    Args:
        count: the number of threads.
        counters: count the calls.
    """

    def __init__(self, count: int, counters: Counters) -> None:
        self._limiter = trio.CapacityLimiter(count)
        self._ahead = trio.CapacityLimiter(FETCHES_MAX)
        self._counters = counters
        self._unfinished = 0
        self.nursery: trio.Nursery | None = None
        """The nursery of the tasks; set while the mount is served."""

    async def run_ahead(self, function: Callable[..., T], *arguments: Any) -> T:
        """Like `run`, in a thread reserved for read-ahead: if it hangs, requests continue."""
        return await self._hop(self._ahead, partial(function, *arguments))

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call the function in a worker thread."""
        return await self._hop(self._limiter, partial(function, *arguments))

    async def _hop(self, limiter: trio.CapacityLimiter, call: Callable[[], T]) -> T:
        self._counters.hops += 1
        check_thread_memory()
        self._unfinished += 1
        try:
            return await trio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=limiter)
        finally:
            self._unfinished -= 1

    @property
    def is_busy(self) -> bool:
        """Whether a call or a task is not finished."""
        return self._unfinished > 0

    def start(self, function: Callable[..., Awaitable[Any]], *arguments: Any) -> None:
        """Run an asynchronous function as a task."""
        if self.nursery is None:
            raise RuntimeError("no nursery is open")
        self._unfinished += 1
        self.nursery.start_soon(self._finish, function, *arguments)

    async def _finish(self, function: Callable[..., Awaitable[Any]], *arguments: Any) -> None:
        try:
            await function(*arguments)
        finally:
            self._unfinished -= 1
