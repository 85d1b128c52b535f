"""Work on many items at once, as many at a time as memory allows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from zarrcore.threads import ThreadPool, result_of

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """``function`` of each item, in order, at most ``threads`` at once; items are taken as threads become idle.

    The threads are this call's own: ``function`` may read and write arrays, which wait for the threads of their store.
    When the iterator is closed or fails, calls that have started are awaited, and the others never start. Ctrl-C awaits none.
    """
    remaining = iter(items)
    ahead: deque[Future[Result]] = deque()
    executor = ThreadPool(threads, "zarrcore-operation")  # it starts a thread only when there is work for it
    awaits = True
    try:
        for item in remaining:
            ahead.append(executor.submit(function, item))
            if len(ahead) > threads:
                yield result_of(ahead.popleft())
        while ahead:
            yield result_of(ahead.popleft())
    except KeyboardInterrupt:
        awaits = False  # a server may not answer
        raise
    finally:
        executor.shutdown(wait=awaits, cancel_futures=True)
