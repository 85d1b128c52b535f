"""A Dask cluster of real processes on the loopback interface, whose parts can be killed.

They are forks of a process that has imported Dask, which takes most of the time of their starts.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.servers.processes import free_port
from tests.waiting import PATIENCE_S

_SCHEDULER, _WORKER = "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__, _SCHEDULER, _WORKER, "zarrcore.operations.cluster"])


@dataclass
class DaskCluster:
    """A scheduler and its workers, each a process with one thread."""

    work: Path
    """A directory for the workers' files."""
    port: int = field(default_factory=free_port)
    scheduler: BaseProcess | None = None
    workers: list[BaseProcess] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler(self) -> None:
        """Start the scheduler, at the same address each time."""
        self.scheduler = _process(
            _SCHEDULER, "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"
        )

    def start_worker(self) -> None:
        """Start a worker."""
        self.workers.append(
            _process(
                _WORKER, self.address, "--host", "127.0.0.1", "--nthreads", "1",
                "--no-nanny", "--no-dashboard", "--local-directory", str(self.work),
            )
        )  # fmt: skip

    def wait_for_workers(self, count: int) -> None:
        """Wait until so many workers have joined.

        Raises:
            TimeoutError: they do not.
        """
        from distributed import Client

        deadline = time.monotonic() + 60
        with Client(self.address, timeout="30s", set_as_default=False) as client:
            while len(client.nthreads()) != count:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"there are not {count} workers")
                time.sleep(0.05)

    def end(self) -> None:
        """Kill all processes of the cluster."""
        for process in (*self.workers, self.scheduler):
            if process is not None:
                kill(process)


def kill(process: BaseProcess) -> None:
    """Kill a process, and wait for its end."""
    process.kill()
    process.join(PATIENCE_S)


@contextlib.contextmanager
def dask_cluster(work: Path, workers: int) -> Iterator[DaskCluster]:
    """A running cluster."""
    cluster = DaskCluster(work)
    try:
        cluster.start_scheduler()
        for _ in range(workers):
            cluster.start_worker()
        cluster.wait_for_workers(workers)
        yield cluster
    finally:
        cluster.end()


def _process(module: str, *arguments: str) -> BaseProcess:
    process = _FORKS.Process(target=_run, args=(module, arguments), daemon=True)
    process.start()
    return process


def _run(module: str, arguments: tuple[str, ...]) -> None:
    for descriptor in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    import_module(module).main(arguments)
