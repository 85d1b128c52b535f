"""A million of everything: rates and peak memory for a size and a tenth of it, with stores that answer by arithmetic.

Where the time grows in proportion to the size, both rates are alike. Each figure comes from a process of its own, whose peak
memory includes Python and its modules.
"""

from __future__ import annotations

import math
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.benchmarks import scale_mount
from tests.benchmarks.own_process import in_new_process
from tests.benchmarks.results import OURS, Result
from tests.benchmarks.scale_stores import ManyKeys, ManyNodes

NAME = "scale"
KINDS = ("nodes", "keys", "chunks", "shard", scale_mount.KIND)
ROUNDS = 2
_ROW = 1000
_TENTH = 10


@dataclass(frozen=True)
class Task:
    """One task, at a size."""

    what: str
    describes: str
    act: Callable[[int], int]
    """Does it at a size, and returns the number of things that it counted."""
    size: int


def tasks() -> list[Task]:
    """The tasks."""
    return [
        Task("nodes", "walk {:,} nodes", _walk, 1_000_000),
        Task("nodes", "check the documents of {:,} nodes", _check, 1_000_000),
        Task("nodes", "search {:,} nodes as the window does", _search, 1_000_000),
        Task("keys", "list {:,} keys of one prefix in memory", _list, 1_000_000),
        Task("chunks", "count the missing chunks of {:,}", _missing, 10_000_000),
        Task("chunks", "read a column that crosses a thousandth of {:,} chunks", _column, 10_000_000),
        Task("shard", "write a shard of {:,} inner chunks", partial(_shard, whole=True), 1_000_000),
        Task("shard", "write and read 1,000 of {:,} inner chunks of a shard", _shard, 1_000_000),
    ]


def _walk(size: int) -> int:
    import zarrcore

    return sum(1 for _ in zarrcore.open_hierarchy(ManyNodes(size)).walk())


def _check(size: int) -> int:
    import zarrcore
    from zarrcore.operations.check import check

    for finding in check(zarrcore.open_hierarchy(ManyNodes(size)), decode=False):
        if finding.severity != "note":  # that chunks are missing
            raise SystemExit(f"unexpected finding: {finding}")
    return size


def _search(size: int) -> int:
    from types import SimpleNamespace

    import zarrcore
    from zarrbrowser.session.inventory import Inventory

    source: Any = SimpleNamespace(hierarchy=zarrcore.open_hierarchy(ManyNodes(size)))
    inventory = Inventory(source)
    found = inventory.search("0007", lambda: False, lambda findings: None)
    return len(inventory.entries) if found.arrays else 0


def _list(size: int) -> int:
    from zarrcore.stores import MemoryStore

    store = MemoryStore()
    for number in range(size):
        store.set(f"a/{number:07}", b"")
    return sum(1 for _ in store.list_dir("a/"))


def _missing(size: int) -> int:
    import zarrcore

    array: Any = zarrcore.open_hierarchy(ManyKeys(size))["/"]
    info = array.storage_info()
    if info.missing != size // 2:
        raise SystemExit(f"expected {size // 2} missing chunks, found {info.missing}")
    return size


def _column(size: int) -> int:
    import zarrcore

    array: Any = zarrcore.open_hierarchy(ManyKeys(size))["/"]
    values = array[:, 2]
    return len(values) if values.all() else 0


def _shard(size: int, whole: bool = False) -> int:
    import numpy as np

    import zarrcore
    from zarrcore.stores import MemoryStore

    edge = math.isqrt(size)
    array = zarrcore.create(MemoryStore()).create_array(
        "a",
        shape=(edge * 4,) * 2,
        dtype="uint8",
        chunks=(4, 4),
        shards=(edge * 4,) * 2,
        codecs=[],
    )
    if whole:
        array[...] = np.ones(array.shape, "u1")
        return edge * edge
    array[4] = 1
    return edge if array[4].all() else 0


def measure(rounds: int, only: Any) -> Iterator[Result]:
    """The rate and the peak memory of each task, at a tenth of its size and at its size."""
    for task in (task for task in tasks() if task.what in only):
        for size in (task.size // _TENTH, task.size):
            found = [in_new_process(_timed, task.act, size) for _ in range(rounds)]
            yield _result(task.what, task.describes.format(size), found)
    for mounted in scale_mount.tasks() if scale_mount.KIND in only else ():
        for size in (mounted.size // _TENTH, mounted.size):
            yield _result(
                scale_mount.KIND, mounted.describes.format(size), [scale_mount.timed(mounted, size)]
            )


def _result(what: str, describes: str, found: list[tuple[int, float, int]]) -> Result:
    """The counts, seconds and peak memory of some rounds as a result."""
    return Result(
        NAME,
        describes,
        what,
        0,
        {OURS: [seconds for _, seconds, _ in found]},
        count=found[0][0],
        resident_bytes={OURS: max(peak for _, _, peak in found)},
    )


def _timed(act: Callable[[int], int], size: int) -> tuple[int, float, int]:
    """The number that ``act`` returns, its seconds, and the peak memory of this process in bytes."""
    act(_ROW)  # import everything that it needs
    begun_s = time.perf_counter()
    count = act(size)
    seconds = time.perf_counter() - begun_s
    return count, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
