"""The one place where an exception becomes an errno.

pyfuse3 ends the daemon on any exception except `FUSEError`. All other exceptions are caught here, so that no store, document or
bug can end the mount.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeVar

import pyfuse3
import trio

from zarrcore.errors import StoreError
from zarrfs.fuse.counters import Counters
from zarrfs.fuse.errnos import ORDINARY, UNFORESEEN, errno_of
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.freshness import Remembered

_log = logging.getLogger(__name__)

T = TypeVar("T")

_ALIKE_MAX: Final = 10
"""Keys that fail in the same way and are named in the log, as often as it repeats a message."""


class Completing:
    """Requests that are not cancelled before the daemon ends."""

    def __init__(self) -> None:
        self._scopes: set[trio.CancelScope] = set()

    @contextmanager
    def request(self) -> Iterator[None]:
        """Run the block without cancelling it."""
        with trio.CancelScope(shield=True) as scope:
            self._scopes.add(scope)
            try:
                yield
            finally:
                self._scopes.discard(scope)

    async def until_cancelled(self) -> None:
        """Wait until this task is cancelled, and then allow the requests to be cancelled with it."""
        try:
            await trio.sleep_forever()
        finally:
            for scope in self._scopes:
                scope.shield = False


class Counting(Protocol):
    """Operations that count their requests."""

    counters: Counters
    completing: Completing
    warned: Remembered[str, int]
    """Messages that are already in the log, and how many keys have failed in the same way."""


C = TypeVar("C", bound=type[Any])


def guarded(operations: C) -> C:
    """Wrap each handler that a class of operations defines."""
    for name, handler in list(vars(operations).items()):
        if name in _HANDLERS:
            setattr(operations, name, _guarded(name, handler))
    return operations


_COMPLETED = frozenset(
    {
        "create",
        "flush",
        "fsync",
        "link",
        "mkdir",
        "mknod",
        "open",
        "release",
        "rename",
        "rmdir",
        "setattr",
        "unlink",
    }
)
"""Requests that are completed even if the session restarts: one that stopped halfway would leave something open."""

H = TypeVar("H", bound=Callable[..., Any])


def completes_itself(handler: H) -> H:
    """Mark a handler of `_COMPLETED` that enters `Completing.request` itself, and only if it has to wait."""
    handler.completes_itself = True  # type: ignore[attr-defined]
    return handler


_HANDLERS = frozenset(
    name
    for name in vars(pyfuse3.Operations)
    if not name.startswith("_") and name not in {"init", "stacktrace"}
) - {"supports_dot_lookup", "enable_writeback_cache", "enable_acl"}


def _guarded(name: str, handler: Callable[..., Awaitable[T]]) -> Callable[..., Awaitable[T]]:
    is_completed = name in _COMPLETED and not hasattr(handler, "completes_itself")

    @functools.wraps(handler)
    async def answer(operations: Counting, *arguments: Any) -> T:
        operations.counters.requests[name] += 1
        operations.counters.in_progress += 1
        try:
            if not is_completed:
                return await handler(operations, *arguments)
            with operations.completing.request():
                return await handler(operations, *arguments)
        except pyfuse3.FUSEError as error:
            operations.counters.failed(error.errno)
            raise
        except Exception as error:
            number = _number(name, error, operations.warned)
            operations.counters.failed(number)
            if name == "forget":
                # The kernel expects no reply to this request, and pyfuse3 no error.
                return None  # type: ignore[return-value]
            raise pyfuse3.FUSEError(number) from error
        except trio.Cancelled as error:
            # Without a reply, the program would wait forever if the mount continues. The next checkpoint cancels again.
            raise pyfuse3.FUSEError(UNFORESEEN) from error
        finally:
            operations.counters.in_progress -= 1

    return answer


def _number(name: str, error: Exception, warned: Remembered[str, int]) -> int:
    number = errno_of(error)
    if number is None:
        _log.error("%s failed with an unexpected error", name, exc_info=error)
        return UNFORESEEN
    is_logged = error.is_logged if isinstance(error, RefusedError) else number not in ORDINARY
    if is_logged and _is_news(error, warned):
        _log.warning("%s: %s", name, error)
    return number


def _is_news(error: Exception, warned: Remembered[str, int]) -> bool:
    """Whether an error is not in the log yet: the kernel and some programs try again.

    While a store is out of order, each key fails. The first `_ALIKE_MAX` keys show that.
    """
    text = str(error)
    if warned.get(text) is not None:
        return False
    now_s = warned.freshness.now()
    warned.put(text, 1, now_s)
    if not isinstance(error, StoreError) or not error.key:
        return True
    alike = text.replace(error.key, "*", 1)
    count, first_s = warned.get(alike) or (0, now_s)
    warned.put(alike, count + 1, first_s)
    return count < _ALIKE_MAX
