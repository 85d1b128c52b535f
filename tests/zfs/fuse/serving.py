"""Operations without a kernel: requests are calls, on an event loop that ends with the test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pyfuse3
import pytest
import trio

from zarrcore.stores import ReadableStore
from zarrfs.fuse.attributes import CommonAttributes
from zarrfs.fuse.counters import Counters
from zarrfs.fuse.inodes.inode_table import ROOT
from zarrfs.fuse.operations import Operations
from zarrfs.fuse.prefetch import Budget
from zarrfs.fuse.workers import Workers
from zarrfs.fuse.writing import WritingOperations
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.keys.watched_store import WatchedStore
from zarrfs.trees.keys.writer import KeyWriter
from zarrfs.trees.writing.spool import SpoolMemory

NO_CONTEXT: Any = None
"""The context of a request, which no operation uses."""


def attributes_of(**fields: Any) -> CommonAttributes:
    known: dict[str, Any] = {"uid": 12, "gid": 34, "umask": 0o022, "mtime_s": 7.0}
    return CommonAttributes(**known | fields)


def serve(
    store: ReadableStore,
    test: Callable[[Any], Awaitable[None]],
    *,
    writable: bool = False,
    ttl_s: float = 60.0,
) -> None:
    """Run a test with the operations of a store's keys."""
    freshness, counters = Freshness(ttl_s), Counters()
    workers = Workers(2, counters)
    writer = KeyWriter(WatchedStore(store, lambda _: None), SpoolMemory(1 << 20)) if writable else None
    operations = (WritingOperations if writable else Operations)(
        KeysTree(store, freshness, writer=writer).root(),
        freshness,
        attributes_of(),
        workers,
        counters,
        Budget(0, freshness),
    )

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            workers.nursery = nursery
            await test(operations)
            nursery.cancel_scope.cancel()

    trio.run(main)


async def number_of(operations: Operations, *names: str) -> int:
    """Look a path up."""
    number = ROOT
    for name in names:
        number = (await operations.lookup(number, name.encode(), NO_CONTEXT)).st_ino
    return number


async def refused(request: Awaitable[object]) -> int:
    """The errno of a request that must fail."""
    with pytest.raises(pyfuse3.FUSEError) as caught:
        await request
    return int(caught.value.errno)
