"""The work of zarrcore's threads, done in the thread that waits for it.

Reading an array, or several documents at once, hands work to threads and waits for them, which takes longer than most
inputs take to parse. While fuzzing, the same code runs without the handover. The tests replay the kept inputs with threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, TypeVar
from unittest import mock

from zarrcore.array import pools
from zarrcore.threads import ThreadPool

T = TypeVar("T")


@contextmanager
def in_one_thread() -> Iterator[None]:
    """Start no thread of zarrcore."""
    with (
        # A read whose threads cannot start does its tasks itself.
        mock.patch.object(pools._Job, "_queue", return_value=False),
        mock.patch.object(ThreadPool, "submit", _submit),
    ):
        yield


def _submit(pool: ThreadPool, call: Callable[..., T], /, *arguments: Any, **options: Any) -> Future[T]:
    return _WhenAsked(partial(call, *arguments, **options))


class _WhenAsked(Future, Generic[T]):  # type: ignore[type-arg]
    """A call that is made when its result is wanted."""

    def __init__(self, call: Callable[[], T]) -> None:
        super().__init__()
        self._call = call

    def result(self, timeout: float | None = None) -> T:
        if not self.done() and self.set_running_or_notify_cancel():
            try:
                self.set_result(self._call())
            except BaseException as error:  # noqa: BLE001  # raised in the next line
                self.set_exception(error)
        found: T = super().result(timeout)
        return found
