"""Reading and writing local arrays: zarrscope and the peers that are installed."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import xxhash

from tests.benchmarks import readers, writers
from tests.benchmarks.fairness import back_memory, chosen, turns
from tests.benchmarks.own_process import OwnProcess, in_new_process
from tests.benchmarks.results import OURS, Result
from tests.benchmarks.workloads import SELECTIONS, WORKLOADS, WRITE, Workload

KINDS = (*SELECTIONS, WRITE)


def measure(
    workload: Workload, folder: Path, rounds: int, only: Container[str], peers: bool
) -> Iterator[Result]:
    """Time all libraries, each in a process of its own, for each of the chosen kinds of a workload."""
    with ExitStack() as stack:
        processes = {name: stack.enter_context(OwnProcess()) for name in chosen(readers.installed(), peers)}
        for what in (kind for kind in workload.kinds if kind in only):
            times = alternate_writing if what == WRITE else alternate_reading
            nbytes, seconds = times(workload, what, folder, rounds, processes)
            yield Result(workload.name, workload.describes, what, nbytes, seconds)


def alternate_reading(
    workload: Workload, what: str, folder: Path, rounds: int, processes: Mapping[str, OwnProcess]
) -> tuple[int, dict[str, list[float]]]:
    """Bytes read, and seconds of each round by reader.

    An extra round, not counted, brings the files into the page cache.
    """
    seconds: dict[str, list[float]] = {name: [] for name in processes}
    expected: Summary | None = None
    for turn, name in turns(rounds, processes):
        found, taken_s = processes[name].run(_read, name, workload.name, what, folder)
        expected = expected or found
        if found != expected:
            raise SystemExit(f"{name} reads different values than {OURS}")
        if turn:
            seconds[name].append(taken_s)
    return 0 if expected is None else expected.nbytes, seconds


def _read(name: str, of: str, what: str, folder: Path) -> tuple[Summary, float]:
    workload = next(workload for workload in WORKLOADS if workload.name == of)
    selection = SELECTIONS[what](workload.edge)
    # Open it each time: some peers cache what they have read.
    read = readers.opener(name)(folder / workload.name / "array.zarr", workload.zarr_format)
    found, taken_s = timed(read, selection)
    return Summary.of(found), taken_s


@dataclass(frozen=True)
class Summary:
    """Enough of an array to notice that it differs from another one."""

    nbytes: int
    shape: tuple[int, ...]
    digest: str

    @classmethod
    def of(cls, values: np.ndarray) -> Self:
        """The summary of an array."""
        values = np.ascontiguousarray(values)
        return cls(values.nbytes, values.shape, xxhash.xxh3_128_hexdigest(values))


def alternate_writing(
    workload: Workload, _: str, folder: Path, rounds: int, processes: Mapping[str, OwnProcess]
) -> tuple[int, dict[str, list[float]]]:
    """Bytes written, and seconds of each round by writer, each into a new array with the same metadata.

    The first round is checked and not counted.
    """
    source = folder / workload.name / "array.zarr"
    seconds: dict[str, list[float]] = {name: [] for name in processes}
    nbytes = 0
    with tempfile.TemporaryDirectory(dir=folder) as written:
        for turn, name in turns(rounds, processes):
            path = Path(written) / f"{turn} {name}"
            path.mkdir()
            for document in ("zarr.json", ".zarray", ".zattrs"):
                if (source / document).exists():
                    shutil.copy(source / document, path)
            nbytes, taken_s = processes[name].run(_write, name, workload.zarr_format, source, path)
            if turn:
                seconds[name].append(taken_s)
            elif not in_new_process(_are_equal, path, source, workload.zarr_format):
                raise SystemExit(f"{name} wrote different values than it was given")
            _empty(path)
    return nbytes, seconds


def _write(name: str, zarr_format: int, source: Path, path: Path) -> tuple[int, float]:
    values = readers.open_zarrscope(source, zarr_format)(...)
    _, taken_s = timed(writers.opener(name)(path, zarr_format), values)
    return values.nbytes, taken_s


def _are_equal(path: Path, other: Path, zarr_format: int) -> bool:
    return np.array_equal(*(readers.open_zarr_python(each, zarr_format)(...) for each in (path, other)))


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
