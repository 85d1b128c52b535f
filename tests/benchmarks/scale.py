"""A million of everything: rates and peak memory for a size and a tenth of it, with stores that answer by arithmetic.

Where the time grows in proportion to the size, both rates are alike. Each figure comes from a process of its own, whose peak
memory includes Python and its modules.
"""

from __future__ import annotations

import json
import math
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from tests.benchmarks.own_process import in_new_process
from tests.benchmarks.results import OURS, Result
from zarrcore.stores.interface import ByteRange, BytesLike, ListableStore, ReadableStore, StoreEntry

NAME = "scale"
KINDS = ("nodes", "keys", "chunks", "shard")
ROUNDS = 2
_ROW = 1000
_TENTH = 10

_GROUP = json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {}}).encode()


def _array(shape: tuple[int, ...], chunk_shape: tuple[int, ...], codecs: list[Any] | None = None) -> bytes:
    return json.dumps(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": shape,
            "data_type": "uint8",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk_shape}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": codecs or [{"name": "bytes"}],
        }
    ).encode()


class ManyNodes(ReadableStore, ListableStore):
    """Groups of a thousand arrays each, so that there are about as many nodes as asked for."""

    url = "memory://nodes"
    _document = _array((4, 4), (4, 4))

    def __init__(self, nodes: int) -> None:
        self._groups = nodes // _ROW

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        *names, last = key.split("/")
        if last != "zarr.json" or len(names) > 2 or (names and int(names[0]) >= self._groups):
            return None
        return self._document if len(names) == 2 else _GROUP

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        depth = prefix.count("/")
        yield StoreEntry(f"{prefix}zarr.json", len(self._document if depth == 2 else _GROUP))
        for number in range((self._groups, _ROW, 0)[depth]):
            yield StoreEntry(f"{prefix}{number:06}/")

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in self.list_dir(prefix):
            if entry.is_prefix:
                yield from self.list_prefix(entry.key)
            else:
                yield entry


class ManyKeys(ReadableStore, ListableStore):
    """An array of single-byte chunks in rows of a thousand; every second one is stored."""

    url = "memory://chunks"

    def __init__(self, chunks: int) -> None:
        self._rows = chunks // _ROW
        self._document = _array((self._rows, _ROW), (1, 1))

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if key == "zarr.json":
            return self._document
        return b"\1" if key.startswith("c/") and int(key[-1]) % 2 == 0 else None

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        if not prefix:
            yield StoreEntry("zarr.json", len(self._document))
            yield StoreEntry("c/")
        elif prefix == "c/":
            yield from (StoreEntry(f"c/{row}/") for row in range(self._rows))
        else:
            yield from (StoreEntry(f"{prefix}{chunk}", 1) for chunk in range(0, _ROW, 2))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        if not prefix:
            yield StoreEntry("zarr.json", len(self._document))
        for row, chunk in product(range(self._rows), range(0, _ROW, 2)):
            yield StoreEntry(f"c/{row}/{chunk}", 1)


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
        Task("keys", "list {:,} keys of one prefix in memory", _list, 1_000_000),
        Task("chunks", "count the missing chunks of {:,}", _missing, 10_000_000),
        Task("chunks", "read a column that crosses a thousandth of {:,} chunks", _column, 10_000_000),
        Task("shard", "write a shard of {:,} inner chunks", partial(_shard, whole=True), 1_000_000),
        Task("shard", "write and read 1,000 of {:,} inner chunks of a shard", _shard, 1_000_000),
    ]


def _walk(size: int) -> int:
    import zarrcore

    return sum(1 for _ in zarrcore.open(ManyNodes(size)).walk())


def _check(size: int) -> int:
    import zarrcore
    from zarrcore.operations.check import check

    for finding in check(zarrcore.open(ManyNodes(size)), decode=False):
        if finding.severity != "note":  # that chunks are missing
            raise SystemExit(f"unexpected finding: {finding}")
    return size


def _list(size: int) -> int:
    from zarrcore.stores import MemoryStore

    store = MemoryStore()
    for number in range(size):
        store.set(f"a/{number:07}", b"")
    return sum(1 for _ in store.list_dir("a/"))


def _missing(size: int) -> int:
    import zarrcore

    array: Any = zarrcore.open(ManyKeys(size))["/"]
    info = array.storage_info()
    if info.missing != size // 2:
        raise SystemExit(f"expected {size // 2} missing chunks, found {info.missing}")
    return size


def _column(size: int) -> int:
    import zarrcore

    array: Any = zarrcore.open(ManyKeys(size))["/"]
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
        data_type="uint8",
        chunk_shape=(4, 4),
        shard_shape=(edge * 4,) * 2,
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
            yield Result(
                NAME,
                task.describes.format(size),
                task.what,
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
