"""A million of everything in a mount: the rate and the daemon's peak memory for a size and a tenth of it.

The stores answer by arithmetic, as in `tests.benchmarks.scale`.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zarrcore
from tests.benchmarks.own_process import OwnProcess
from tests.benchmarks.scale_stores import LargeArray, ManyKeys, ManyNodes, OneDirectory
from zarrcore.stores import ReadableStore

KIND = "mount"
_READY_MAX_S = 60
_READS = 1000
_READ_NBYTES = 4096


@dataclass(frozen=True)
class Task:
    """One task, at a size."""

    describes: str
    store: Callable[[int], ReadableStore]
    act: Callable[[Path, int], int]
    """Does it in a mount of the store, and returns the number of things that it counted."""
    size: int


def tasks() -> list[Task]:
    """The tasks."""
    return [
        Task("mount: ls -f of {:,} keys in one directory", OneDirectory, _list, 1_000_000),
        Task("mount: find -size over {:,} keys in directories of 500", ManyKeys, _find, 1_000_000),
        Task("mount: find in arrays/ over {:,} arrays", ManyNodes, _walk, 100_000),
        Task("mount: names of {:,} arrays in one HDF5 file", ManyNodes, _hdf5, 100_000),
        Task("mount: {:,} open files, each read once", OneDirectory, _hold, 10_000),
        Task(f"mount: {_READS:,} pieces of 4 KiB of {{:,}} bytes", LargeArray, _pieces, 10**13),
    ]


def timed(task: Task, size: int) -> tuple[int, float, int]:
    """The number that the task's act returns, its seconds, and the peak memory of the daemon in bytes."""
    with tempfile.TemporaryDirectory() as path, OwnProcess() as daemon, OwnProcess() as user:
        daemon.begin(_serve, path, task.store, size)
        with _mounted(Path(path), daemon):
            count, seconds = user.run(_timed, task.act, Path(path), size)
        return count, seconds, daemon.result()


def _timed(act: Callable[[Path, int], int], path: Path, size: int) -> tuple[int, float]:
    begun_s = time.perf_counter()
    return act(path, size), time.perf_counter() - begun_s


def _serve(mountpoint: str, store: Callable[[int], ReadableStore], size: int) -> int:
    from zarrfs.mount.mount import Mount
    from zarrfs.mount.options import MountOptions
    from zarrfs.mount.outcome import Outcome

    def opener(found: ReadableStore, cache: Any) -> zarrcore.Hierarchy:
        return zarrcore.open_hierarchy(found, chunk_cache=cache)

    with Outcome() as outcome:
        Mount(store(size), opener, MountOptions(mountpoint=mountpoint), outcome).run(lambda: None)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@contextmanager
def _mounted(path: Path, daemon: OwnProcess) -> Iterator[None]:
    begun_s = time.monotonic()
    while not os.path.ismount(path):
        if not daemon.is_alive or time.monotonic() - begun_s > _READY_MAX_S:
            raise SystemExit(f"nothing was mounted at {path}")
        time.sleep(0.01)
    try:
        yield
    finally:
        subprocess.run(["umount", path] if os.geteuid() == 0 else ["fusermount3", "-u", path], check=True)


def _lines(*command: str | Path) -> int:
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        count = sum(1 for _ in process.stdout or ())
    if process.returncode:
        raise SystemExit(f"{command} failed with status {process.returncode}")
    return count


def _list(path: Path, size: int) -> int:
    return _lines("ls", "-f", path / "keys" / "many") - 2


def _find(path: Path, size: int) -> int:
    return 2 * _lines("find", path / "keys" / "c", "-size", "1c")


def _walk(path: Path, size: int) -> int:
    return _lines("find", path / "arrays", "-name", "data.raw")


def _hdf5(path: Path, size: int) -> int:
    import h5py

    with h5py.File(path / "hdf5" / "__all__.h5") as file:
        return sum(len(group) for group in file.values())


def _hold(path: Path, size: int) -> int:
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (size + 100, max(size + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    )
    files = [os.open(path / "keys" / "many" / f"{number:07}", os.O_RDONLY) for number in range(size)]
    try:
        return sum(len(os.pread(file, 1, 0)) for file in files)
    finally:
        for file in files:
            os.close(file)


def _pieces(path: Path, size: int) -> int:
    with open(path / "arrays" / "data.raw", "rb", buffering=0) as file:
        nbytes = file.seek(0, os.SEEK_END)
        choice = random.Random(0)
        return (
            sum(
                len(os.pread(file.fileno(), _READ_NBYTES, choice.randrange(nbytes - _READ_NBYTES)))
                for _ in range(_READS)
            )
            // _READ_NBYTES
        )
