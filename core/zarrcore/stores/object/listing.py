"""Listing the objects of a bucket, with protection from endless listings."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context
from functools import lru_cache
from os import getpid
from typing import Any, Final, TypeVarTuple

from zarrcore.errors import BrokenBodyError, StoreTimeoutError
from zarrcore.stores.connection.clients import WHOLE_TRANSFER
from zarrcore.stores.interface import StoreEntry
from zarrcore.threads import result_of

PAGE: Final = 1000
"""Objects in a page of S3 and GCS."""

OBJECTS_AT_ONCE: Final = 100
"""Objects that obstore returns at a time; pages of the services are larger, and fetched when needed."""

_END_S: Final = 5.0
"""How long the end of Python waits for a thread of obstore to leave it."""

_Arguments = TypeVarTuple("_Arguments")


def listed(
    client: Any,
    path: str,
    url: str,
    timeout_s: float,
    at_once: int = OBJECTS_AT_ONCE,
    after: str | None = None,
) -> Iterator[Any]:
    """obstore's facts of each object whose path begins with ``path``.

    Args:
        client: obstore's client.
        path: the beginning of the paths.
        url: the store's URL, for errors.
        timeout_s: how long the service may be silent.
        at_once: the number of objects to get from obstore at a time.
        after: only objects whose path comes after this one.

    Raises:
        BrokenBodyError: the service repeats itself, so the listing would never end.
        StoreTimeoutError: the service keeps answering without naming an object.
    """
    repeats = Repeats(url)
    stream = client.list(path or None, offset=after, chunk_size=at_once)
    for facts_of_some in _parts(stream, url, timeout_s * WHOLE_TRANSFER):
        for facts in facts_of_some:
            repeats.check(facts["path"])
            yield facts


class Repeats:
    """Finds out that a listing repeats itself. No name is listed twice; remembering one, at growing intervals, finds every
    cycle (Brent's algorithm).
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._seen = ""
        self._count = 0

    def check(self, name: str) -> None:
        """Note a name.

        Raises:
            BrokenBodyError: it was listed before.
        """
        if name == self._seen:
            raise BrokenBodyError(
                f"{self._url}: the listing repeats itself, from {name} on", key=name, url=self._url
            )
        self._count += 1
        if self._count & (self._count - 1) == 0:
            self._seen = name


def _parts(stream: Any, url: str, patience_s: float) -> Iterator[Any]:
    """The parts of obstore's listing. obstore skips empty pages itself, however many there are."""

    async def part() -> Any:
        return await asyncio.wait_for(anext(stream, None), patience_s)

    while True:
        try:
            found = result_of(asyncio.run_coroutine_threadsafe(part(), _event_loop(getpid())))
        except TimeoutError:
            raise StoreTimeoutError(
                f"{url}: the listing goes on for {patience_s:.0f} s without naming a key", url=url
            ) from None
        if found is None:
            return
        yield found


class _EventLoop(asyncio.SelectorEventLoop):
    """An event loop that obstore's threads do not enter when Python ends.

    Before Python 3.14, a thread that waits for Python's lock when Python ends is unwound. obstore is written in Rust, which
    aborts the process then.
    """

    def __init__(self) -> None:
        super().__init__()
        self._entered = threading.RLock()
        atexit.register(self._entered.acquire, timeout=_END_S)

    def call_soon_threadsafe(
        self, callback: Callable[[*_Arguments], object], *args: *_Arguments, context: Context | None = None
    ) -> asyncio.Handle:
        with self._entered:
            return super().call_soon_threadsafe(callback, *args, context=context)


@lru_cache(maxsize=1)
def _event_loop(_process: int) -> asyncio.AbstractEventLoop:
    """An event loop in its own thread: the caller may already run one, and obstore can be stopped only in a loop."""
    loop = _EventLoop()
    threading.Thread(target=loop.run_forever, name="zarrcore-listing", daemon=True).start()
    return loop


def mixed_prefixes(prefix: str, last: str) -> Iterator[str]:
    """``prefix`` and the prefixes under it that also contain prefixes, judging by the last key of a page.

    >>> list(mixed_prefixes("a/", "a/b/c/0/7"))
    ['a/', 'a/b/', 'a/b/c/']
    """
    yield prefix
    for name in last[len(prefix) :].split("/")[:-2]:
        prefix += name + "/"
        yield prefix


def is_streamable(head: Sequence[StoreEntry], prefix: str) -> bool:
    """Whether to list key by key, judging by the first page: it has only direct children, or is the last page."""
    direct = [entry for entry in head if "/" not in entry.key[len(prefix) :]]
    # An empty object may be a folder marker, which only the other kind of request shows.
    return all(entry.size for entry in direct) and (len(direct) == len(head) or len(head) < PAGE)
