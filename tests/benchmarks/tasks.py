"""Tasks with files, done by zarrscope and other libraries alternately.

Each figure comes from a process of its own, which has done the same with a small file before the clock starts, so that modules
are loaded. The distant server delays each answer, and serves byte ranges.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from tests.benchmarks.fairness import back_memory, chosen, turns
from tests.benchmarks.own_process import in_new_process
from tests.benchmarks.results import Result
from tests.servers.distant import Distance, asked, distant_process

DELAY_S = 0.05
TINY = "tiny-"
"""The beginning of the name of the small file like another one."""

Act = Callable[[str, str], Any]
"""Does a task with the file at a place, and writes to another place. Results that are not None are compared."""


@dataclass(frozen=True)
class Task:
    """One task with one file of the folder."""

    what: str
    describes: str
    file: str
    acts: dict[str, Act]
    nbytes: int = 0
    count: int = 0
    target: str = ""
    is_distant: bool = False


def prepared(files: Path, done: str, write: Callable[[Path], None]) -> Path:
    """A folder with its files: written if they are not there, or are other ones.

    Args:
        files: the folder.
        done: the name of a file that says so, which changes with the files.
        write: writes them into the empty folder.
    """
    if not (files / done).exists():
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir(parents=True)
        write(files)
        (files / done).touch()
    return files


def measured(
    name: str, tasks: Iterable[Task], files: Path, rounds: int, only: Container[str], peers: bool
) -> Iterator[Result]:
    """Time all libraries for each task; an extra round, not counted, compares their results.

    Args:
        name: of the group of results.
        tasks: which.
        files: the folder of their files.
        rounds: how often.
        only: the kinds of tasks to do.
        peers: whether other libraries do them, too.
    """
    for task in tasks:
        if task.what in only:
            with _place(task, files) as place, tempfile.TemporaryDirectory(dir=files.parent) as outputs:
                yield _alternate(name, task, place, Path(outputs), rounds, peers)


def _alternate(name_of_group: str, task: Task, place: str, outputs: Path, rounds: int, peers: bool) -> Result:
    acts = chosen(task.acts, peers)
    seconds: dict[str, list[float]] = {name: [] for name in acts}
    requests: dict[str, int] = {}
    found: dict[str, Any] = {}
    for turn, name in turns(rounds, acts):
        output = outputs / f"{turn}"
        output.mkdir(parents=True)
        taken_s, result, requests_by_act = in_new_process(
            timed, acts[name], place, task.file, str(output), task.is_distant
        )
        if turn:
            seconds[name].append(taken_s)
        elif result is not None:
            found[name] = result
        if task.is_distant:
            requests[name] = requests_by_act
        shutil.rmtree(output)
    if len({repr(result) for result in found.values()}) > 1:
        raise SystemExit(f"{task.describes}: the results differ: {found}")
    return Result(
        name_of_group,
        task.describes,
        task.what,
        task.nbytes,
        seconds,
        requests,
        target=task.target,
        count=task.count,
    )


def timed(act: Act, place: str, file: str, output: str, is_distant: bool) -> tuple[float, Any, int]:
    """The seconds of ``act``, what tells its result from others, and its requests."""
    act(f"{place}/{TINY}{file}", f"{output}/{TINY}{file}")
    if is_distant:
        asked(place)
    back_memory()
    begun_s = time.perf_counter()
    found = act(f"{place}/{file}", f"{output}/{file}")
    seconds = time.perf_counter() - begun_s
    if isinstance(found, np.ndarray):
        found = found.shape, found.dtype.str, float(found.sum(dtype="f8"))
    elif (references := Path(f"{output}/{file}.json")).exists():
        chunks = json.loads(references.read_text())["refs"]
        found = sorted(
            (key, place[1:]) for key, place in chunks.items() if not key.rpartition("/")[2].startswith(".")
        )
        found = len(found), xxhash.xxh3_64_hexdigest(repr(found).encode())
    return seconds, found, asked(place).requests if is_distant else 0


@contextmanager
def _place(task: Task, files: Path) -> Iterator[str]:
    """The address of the files."""
    if not task.is_distant:
        yield str(files)
        return
    with distant_process(files, Distance(DELAY_S)) as url:
        yield url
