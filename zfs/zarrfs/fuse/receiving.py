"""How pyfuse3 waits for the next request: without the event loop, as long as requests are answered at once.

For each request, pyfuse3 passes a lock from task to task and waits for the kernel's descriptor in the event loop. That takes
longer than most answers. Here, a task that has answered without waiting keeps the lock, and receives the next request at once
if it is there. Other tasks run at intervals; they run at once while a request, a call or a task is unfinished.

For this, pyfuse3 gets another object in place of the module ``trio``, which is how it supports asyncio, too.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pyfuse3
import trio

_YIELD_S: Final = 0.005
"""The interval at which other tasks run while requests follow each other."""


class Turn:
    """A lock that its last owner can acquire again at once, although other tasks wait for it.

    One of the others acquires it as soon as the last owner waits for something else.
    """

    def __init__(self) -> None:
        self._is_taken = False
        self._parked = 0
        self._others = trio.lowlevel.ParkingLot()

    async def __aenter__(self) -> None:
        while self._is_taken:
            self._parked += 1
            try:
                await self._others.park()
            finally:
                self._parked -= 1
        self._is_taken = True

    async def __aexit__(self, *_: object) -> None:
        self._is_taken = False
        if self._parked:
            self._others.unpark()


class LowLevel:
    """``trio.lowlevel``, with another way to wait for a descriptor.

    Args:
        is_busy: whether requests, calls or tasks are unfinished, so that other tasks must run soon.
        clock: the time in seconds.
    """

    def __init__(self, is_busy: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._is_busy = is_busy
        self._clock = clock
        self._yielded_s = clock()
        self._polls: dict[int, select.poll] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(trio.lowlevel, name)

    async def wait_readable(self, descriptor: int) -> None:
        """Wait until the descriptor is readable; raises as ``trio.lowlevel.wait_readable`` does."""
        is_due = self._is_busy() or self._clock() - self._yielded_s >= _YIELD_S
        if is_due or not self._poll(descriptor).poll(0):
            await trio.lowlevel.wait_readable(descriptor)
            self._yielded_s = self._clock()

    def _poll(self, descriptor: int) -> select.poll:
        poll = self._polls.get(descriptor)
        if poll is None:
            poll = self._polls[descriptor] = select.poll()
            poll.register(descriptor, select.POLLIN)
        return poll


class _Trio:
    """The module ``trio``, as pyfuse3 uses it."""

    Lock = Turn

    def __init__(self, is_busy: Callable[[], bool]) -> None:
        self.lowlevel = LowLevel(is_busy)

    def __getattr__(self, name: str) -> Any:
        return getattr(trio, name)


@contextmanager
def received_at_once(is_busy: Callable[[], bool]) -> Iterator[None]:
    """While the block runs, have pyfuse3 wait for requests in this way.

    Args:
        is_busy: whether requests, calls or tasks are unfinished, so that other tasks must run soon.
    """
    pyfuse3.trio = _Trio(is_busy)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        pyfuse3.trio = trio  # type: ignore[attr-defined]
