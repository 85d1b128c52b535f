"""Run the trials of a suite in processes that may hang, crash or grow."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from tests.proofs.suite import Finding, Suite

ROOT = Path(__file__).resolve().parents[2]
_LAST_LINES = 400


class Worker:
    """A process that runs trials. It is replaced when it ends."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed at the end of the block

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._errors.close()

    def run(self, seed: int) -> int | Finding:
        """The units that a trial did, or what it found.

        Raises:
            OSError: the process cannot be started.
            RuntimeError: it cannot import the suite.
        """
        process = self._process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        self._errors.seek(0)
        self._errors.truncate()
        process.stdin.write(f"{seed}\n".encode())
        process.stdin.flush()
        if not select.select([process.stdout], [], [], self._suite.limit_s)[0]:
            process.send_signal(signal.SIGABRT)
            self._stop()
            return Finding(seed, "hang", f"{self._output()}\nno end after {self._suite.limit_s:g} s")
        line = process.stdout.readline()
        if not line:
            status = process.wait()
            self._stop()
            ended = signal.Signals(-status).name if status < 0 else f"status {status}"
            return Finding(seed, "crash", f"{self._output()}\nthe process ended with {ended}")
        answer: dict[str, Any] = json.loads(line)
        if "units" in answer:
            return int(answer["units"])
        if answer["kind"] == "memory":
            self._stop()
        return Finding(seed, answer["kind"], answer["text"])

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._stop()
        process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "tests.proofs.worker"),
                *(self._suite.module, str(self._suite.limit_nbytes), *self._suite.words),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
                "QT_QPA_PLATFORM": "offscreen",
            },
            start_new_session=True,  # Ctrl-C ends the parent, which then ends this
        )
        assert process.stdout is not None
        if not process.stdout.readline():
            raise RuntimeError(f"the trials of {self._suite.name} do not start:\n{self._output()}")
        return process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # also what it started, and could not end
        process.wait()
        process.stdout.close()

    def _output(self) -> str:
        self._errors.seek(0)
        return "\n".join(self._errors.read().decode(errors="replace").splitlines()[-_LAST_LINES:])


def run_trials(
    suite: Suite,
    seeds: Iterator[int],
    until_s: float,
    processes: int,
    tell: Callable[[int, int | Finding], None],
) -> None:
    """Run trials until the seeds end or ``time.monotonic()`` reaches a moment; ``tell`` gets each result, one at a time."""
    lock = threading.Lock()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            with Worker(suite) as worker:
                while time.monotonic() < until_s and not failures:
                    with lock:
                        seed = next(seeds, None)
                    if seed is None:
                        return
                    result = worker.run(seed)
                    if result == 0:
                        return
                    with lock:
                        tell(seed, result)
        except BaseException as error:  # noqa: BLE001  # raised in the caller's thread
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(processes)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        failures.append(KeyboardInterrupt())
        raise
    if failures:
        raise failures[0]


def seeds_from(first: int, count: int | None) -> Iterator[int]:
    """That many seeds, or without an end."""
    return iter(range(first, first + count)) if count is not None else itertools.count(first)
