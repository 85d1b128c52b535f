"""One event loop in a thread of its own: icechunk's stores have only an asynchronous interface.

All threads share it. Each hands over whole batches, since a handover costs more than a request to a fast disk.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from zarrcore.threads import after_fork, result_of

T = TypeVar("T")

_JOIN_S = 5.0
_SETTLE_S = 0.1


class _EventLoop:
    """The loop and its thread, which starts with the first call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine; this thread waits for it."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return result_of(future)
        except BaseException:
            future.cancel()  # after Ctrl-C, no caller waits for it
            raise

    def stop(self) -> None:
        """Stop the loop, so that the interpreter does not end while it runs."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(_JOIN_S)
            # icechunk's threads drop the objects of their last answers a moment later. If the interpreter has ended by
            # then, the process crashes.
            time.sleep(_SETTLE_S)

    def forget(self) -> None:
        """Forget the thread, which does not run in a child process."""
        self._lock = threading.Lock()
        self._loop = self._thread = None

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(loop,), name="zarrcore-icechunk", daemon=True
                )
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


_EVENT_LOOP = _EventLoop()
atexit.register(_EVENT_LOOP.stop)
after_fork(_EVENT_LOOP.forget)

run = _EVENT_LOOP.run
