"""A Dask cluster of real processes on the loopback interface, whose parts can be killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers.processes import free_port
from tests.waiting import PATIENCE_S

_ROOT = Path(__file__).parents[2]


@dataclass
class DaskCluster:
    """A scheduler and its workers, each a process with one thread."""

    work: Path
    """A directory for the workers' files."""
    port: int = field(default_factory=free_port)
    scheduler: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler(self) -> None:
        """Start the scheduler, at the same address each time."""
        self.scheduler = _process(
            "distributed.cli.dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--no-dashboard",
        )

    def start_worker(self) -> None:
        """Start a worker."""
        self.workers.append(
            _process(
                "distributed.cli.dask_worker", self.address, "--host", "127.0.0.1", "--nthreads", "1",
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


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, and wait for its end."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    process.wait(PATIENCE_S)


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


def _process(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=_ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
