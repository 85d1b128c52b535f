"""What a bucket says it holds, object by object, and whether it can be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from zarrcore.errors import BrokenBodyError
from zarrcore.stores.interface import StoreEntry

PAGE: Final = 1000
"""Objects in a page of S3 and GCS."""

_CHUNK: Final = 100
"""Objects that obstore hands over at a time; pages of the services are larger, and fetched when they are needed."""


def listed(client: Any, path: str, url: str, chunk: int = _CHUNK) -> Iterator[Any]:
    """obstore's facts of each object whose path begins with ``path``.

    Raises:
        BrokenBodyError: the service repeats itself, and the listing would never end.
    """
    seen, count = "", 0
    for facts_of_some in client.list(path or None, chunk_size=chunk):
        for facts in facts_of_some:
            # No object comes twice. To remember one, ever later ones, finds every cycle (Brent's way).
            if facts["path"] == seen:
                raise BrokenBodyError(f"{url}: the listing repeats itself, from {seen} on", key=seen, url=url)
            count += 1
            if count & (count - 1) == 0:
                seen = facts["path"]
            yield facts


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
