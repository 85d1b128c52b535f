"""Reading and writing local arrays: zarrscope and the peers that are installed."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks import readers, writers
from tests.benchmarks.fairness import back_memory, chosen, turns
from tests.benchmarks.results import OURS, Result
from tests.benchmarks.workloads import SELECTIONS, WRITE, Workload

KINDS = (*SELECTIONS, WRITE)


def measure(
    workload: Workload, folder: Path, rounds: int, only: Container[str], peers: bool
) -> Iterator[Result]:
    """Time all libraries for each of the chosen kinds of a workload."""
    for what in (kind for kind in workload.kinds if kind in only):
        times = alternate_writing if what == WRITE else alternate_reading
        nbytes, seconds = times(workload, what, folder, rounds, peers)
        yield Result(workload.name, workload.describes, what, nbytes, seconds)


def alternate_reading(
    workload: Workload, what: str, folder: Path, rounds: int, peers: bool
) -> tuple[int, dict[str, list[float]]]:
    """Bytes read, and seconds of each round by reader.

    An extra round, not counted, brings the files into the page cache.
    """
    path, selection = folder / workload.name / "array.zarr", SELECTIONS[what](workload.edge)
    openers = chosen(readers.installed(), peers)
    seconds: dict[str, list[float]] = {name: [] for name in openers}
    expected: np.ndarray | None = None
    for turn, name in turns(rounds, openers):
        opener = openers[name]
        read = opener(path, workload.zarr_format)  # open it each time: some peers cache what they have read
        found, taken_s = timed(read, selection)
        if turn:
            seconds[name].append(taken_s)
        elif expected is None:
            expected = np.asarray(found)
        elif not np.array_equal(found, expected):
            raise SystemExit(f"{name} reads different values than {OURS}")
        del found
    return 0 if expected is None else expected.nbytes, seconds


def alternate_writing(
    workload: Workload, _: str, folder: Path, rounds: int, peers: bool
) -> tuple[int, dict[str, list[float]]]:
    """Bytes written, and seconds of each round by writer, each into a new array with the same metadata.

    The first round is checked and not counted.
    """
    source = folder / workload.name / "array.zarr"
    values = readers.open_zarrscope(source, workload.zarr_format)(...)
    openers = chosen(writers.installed(), peers)
    seconds: dict[str, list[float]] = {name: [] for name in openers}
    with tempfile.TemporaryDirectory(dir=folder) as written:
        for turn, name in turns(rounds, openers):
            path = Path(written) / f"{turn} {name}"
            path.mkdir()
            for document in ("zarr.json", ".zarray", ".zattrs"):
                if (source / document).exists():
                    shutil.copy(source / document, path)
            _, taken_s = timed(openers[name](path, workload.zarr_format), values)
            if turn:
                seconds[name].append(taken_s)
            elif not np.array_equal(readers.open_zarr_python(path, workload.zarr_format)(...), values):
                raise SystemExit(f"{name} wrote different values than it was given")
            _empty(path)
    return values.nbytes, seconds


def _empty(folder: Path) -> None:
    """Free the space of an array, but keep its files.

    For some minutes after files were deleted, ext4 passes over their inodes again and again when it creates a file.
    """
    for file in folder.rglob("*"):
        if file.is_file():
            os.truncate(file, 0)


def timed(act: Callable[[Any], Any], argument: Any) -> tuple[Any, float]:
    """The result of ``act``, and its seconds."""
    back_memory()
    begun_s = time.perf_counter()
    found = act(argument)
    return found, time.perf_counter() - begun_s
