"""What a bucket says it holds, object by object, and whether it can be believed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from os import getpid
from typing import Any, Final

from zarrcore.errors import BrokenBodyError, StoreTimeoutError
from zarrcore.stores.interface import StoreEntry
from zarrcore.stores.object.clients import WHOLE_TRANSFER

PAGE: Final = 1000
"""Objects in a page of S3 and GCS."""

_CHUNK: Final = 100
"""Objects that obstore hands over at a time; pages of the services are larger, and fetched when they are needed."""


def listed(client: Any, path: str, url: str, timeout_s: float, chunk: int = _CHUNK) -> Iterator[Any]:
    """obstore's facts of each object whose path begins with ``path``.

    Args:
        client: obstore's.
        path: what they begin with.
        url: the store's, for errors.
        timeout_s: how long the service may be silent.
        chunk: objects to ask obstore for at a time.

    Raises:
        BrokenBodyError: the service repeats itself, and the listing would never end.
        StoreTimeoutError: it goes on and on and names nothing.
    """
    seen, count = "", 0
    for facts_of_some in _parts(client.list(path or None, chunk_size=chunk), url, timeout_s * WHOLE_TRANSFER):
        for facts in facts_of_some:
            # No object comes twice. To remember one, ever later ones, finds every cycle (Brent's way).
            if facts["path"] == seen:
                raise BrokenBodyError(f"{url}: the listing repeats itself, from {seen} on", key=seen, url=url)
            count += 1
            if count & (count - 1) == 0:
                seen = facts["path"]
            yield facts


def _parts(stream: Any, url: str, patience_s: float) -> Iterator[Any]:
    """The parts of obstore's listing. Pages with nothing on them it passes over by itself, however many come."""

    async def part() -> Any:
        return await asyncio.wait_for(anext(stream, None), patience_s)

    while True:
        try:
            found = asyncio.run_coroutine_threadsafe(part(), _event_loop(getpid())).result()
        except TimeoutError:
            raise StoreTimeoutError(
                f"{url}: the listing goes on for {patience_s:.0f} s without naming a key", url=url
            ) from None
        if found is None:
            return
        yield found


@lru_cache(maxsize=1)
def _event_loop(_process: int) -> asyncio.AbstractEventLoop:
    """A loop in a thread of its own: who lists may run one already, and only there can obstore be told to stop."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="zarrcore-listing", daemon=True).start()
    return loop


def mixed_prefixes(prefix: str, last: str) -> Iterator[str]:
    """``prefix``, and those under it that hold prefixes too, as far as the last key of a page tells.

    >>> list(mixed_prefixes("a/", "a/b/c/0/7"))
    ['a/', 'a/b/', 'a/b/c/']
    """
    yield prefix
    for name in last[len(prefix) :].split("/")[:-2]:
        prefix += name + "/"
        yield prefix


def is_streamable(head: Sequence[StoreEntry], prefix: str) -> bool:
    """Whether listing goes on without prefixes, as far as the first page tells, or has ended already."""
    direct = [entry for entry in head if "/" not in entry.key[len(prefix) :]]
    # An empty object may be the mark of a folder, which only the other way of asking tells.
    return all(entry.size for entry in direct) and (len(direct) == len(head) or len(head) < PAGE)
