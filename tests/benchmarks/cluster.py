"""Copying and checking on a Dask cluster of one, two and four processes of one thread each, on this machine.

The efficiency is the rate of several workers, divided by that of one and by the number of workers that have a core of their own.
The scheduler and the client share the cores with the workers.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tests.benchmarks.fairness import turns
from tests.benchmarks.results import OURS, Result
from tests.servers.dask import dask_cluster
from zarrcore.operations import cluster
from zarrcore.operations.cluster import RunWork, Witness, on_cluster

NAME = "cluster"
KINDS = ("copy", "check", "tasks")
ROUNDS = 3
WORKERS = (1, 2, 4)
SOURCE = "w4"
_COPIED, _CHECKED = 3, 8
"""How many times the array of the workload, along its first dimension."""
_TASKS = 2000


@dataclass(frozen=True)
class Nothing:
    """Work that does nothing."""

    witnesses: tuple[Witness, ...] = ()
    at_once: int = 1

    def __call__(self, item: int) -> int:
        return item


def measure(folder: Path, rounds: int, only: Any) -> Iterator[Result]:
    """The rate of each task for each number of workers; an extra round is not counted."""
    acts: Mapping[str, tuple[str, Callable[[RunWork, Path], int]]] = {
        "copy": ("gzip to zstd in other chunks", _copy),
        "check": ("gzip", _check),
        "tasks": (f"hand out {_TASKS:,} tasks that do nothing", _hand_out),
    }
    for what, (describes, act) in acts.items():
        if what in only:
            yield from _rates(what, describes, act, folder, rounds)


def _rates(
    what: str, describes: str, act: Callable[[RunWork, Path], int], folder: Path, rounds: int
) -> Iterator[Result]:
    seconds: dict[str, list[float]] = {str(workers): [] for workers in WORKERS}
    size = 0
    for turn, workers in turns(rounds, seconds):
        with (
            tempfile.TemporaryDirectory(dir=folder) as place,
            dask_cluster(Path(place), int(workers)) as running,
            on_cluster(running.address) as run_work,
        ):
            nothing = Nothing()
            list(run_work((nothing, number) for number in range(1000)))  # the workers import what they need
            _stretched(folder, 1)
            _check(run_work, folder, 1)
            begun_s = time.perf_counter()
            size = act(run_work, folder)
            if turn:
                seconds[workers].append(time.perf_counter() - begun_s)
    cores = len(os.sched_getaffinity(0))
    for workers, taken in seconds.items():
        shared = min(int(workers), cores)
        yield Result(
            NAME,
            f"{describes}, {workers} worker{'s' * (workers != '1')}",
            what,
            0 if what == "tasks" else size,
            {OURS: taken},
            count=size if what == "tasks" else 0,
            efficiency=[one / (shared * several) for one, several in zip(seconds["1"], taken, strict=True)]
            if what != "tasks"
            else [],
        )


def _stretched(folder: Path, times: int) -> Path:
    """The array of the workload several times after itself, made of links."""
    import json

    source, target = folder / SOURCE / "array.zarr", folder / SOURCE / f"{times}.zarr"
    document = json.loads((source / "zarr.json").read_bytes())
    rows = sorted(int(row.name) for row in (source / "c").iterdir())
    if not target.exists():
        for number in range(times):
            for row in rows:
                shutil.copytree(
                    source / "c" / str(row),
                    target / "c" / str(number * len(rows) + row),
                    copy_function=os.link,
                )
        document["shape"][0] *= times
        (target / "zarr.json").write_text(json.dumps(document))
    return target


def _copy(run_work: RunWork, folder: Path) -> int:
    import zarrcore
    from zarrcore.metadata import NamedConfiguration
    from zarrcore.operations.copy import Layout, execute, plan_copy

    source = zarrcore.open_hierarchy(_stretched(folder, _COPIED))
    zstd = (NamedConfiguration("zstd", {"level": 3}),)
    plan = plan_copy(source, layout=Layout((128, 128, 64), (), zstd))
    target = folder / "copied.zarr"
    try:
        store = zarrcore.open_store(target, create=True)
        return execute(plan, source, store, run_work=run_work).copied_nbytes
    finally:
        shutil.rmtree(target)


def _check(run_work: RunWork, folder: Path, times: int = _CHECKED) -> int:
    import zarrcore
    from zarrcore.operations.check import check

    hierarchy = zarrcore.open_hierarchy(_stretched(folder, times))
    if found := [*check(hierarchy, run_work=run_work)]:
        raise SystemExit(f"unexpected: {found}")
    nbytes: int = hierarchy["/"].nbytes
    return nbytes


def _hand_out(run_work: RunWork, folder: Path) -> int:
    """Each item as a task of its own, and many at the cluster at once, as for many workers."""
    nothing = Nothing()
    with mock.patch.multiple(cluster, _TASK_S=0.0, _TASK_S_PER_THREAD=0.0, _AHEAD=500):
        return sum(1 for _ in run_work((nothing, number) for number in range(_TASKS)))
