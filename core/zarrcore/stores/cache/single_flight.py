"""Several threads that want the same thing at once: one fetches it, the others wait for what it gets."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """What is being fetched at this moment, by name. Nothing is kept once it is there.

    >>> SingleFlight().run("key", lambda: 3)
    3
    """

    def __init__(self) -> None:
        self._running: dict[Hashable, Future[T]] = {}

    def run(self, name: Hashable, fetch: Callable[[], T]) -> T:
        """What ``fetch`` gives here, or gave to another thread that has been at it; an error likewise."""
        # A forked child must not wait for threads that are its parent's.
        name = (os.getpid(), name)
        mine: Future[T] = Future()
        future = self._running.setdefault(name, mine)  # atomic, so one of all threads finds its own
        if future is not mine:
            return future.result()
        try:
            mine.set_result(fetch())
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            del self._running[name]
        return mine.result()
