"""Sharing of concurrent requests: one thread fetches, the others wait for its result."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

from zarrcore.threads import result_of

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """The requests in flight, by name. Results are not kept.

    >>> SingleFlight().run("key", lambda: 3)
    3
    """

    def __init__(self) -> None:
        self._running: dict[Hashable, Future[T]] = {}

    def run(self, name: Hashable, fetch: Callable[[], T]) -> T:
        """The result or error of ``fetch``, called here or already in progress in another thread."""
        # A forked child must not wait for threads of its parent.
        name = (os.getpid(), name)
        mine: Future[T] = Future()
        future = self._running.setdefault(name, mine)  # atomic, so exactly one thread finds its own future
        if future is not mine:
            return result_of(future)
        try:
            mine.set_result(fetch())
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            del self._running[name]
        return mine.result()
