"""The command ``zarrscope`` for tests: run inside this process, which is fast, or in its own process, which is real."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.json_output import check_json

INTERRUPTIBLE = ["env", "--default-signal=INT"]
"""The prefix of commands that a test interrupts: shells let background processes ignore interrupts."""


@dataclass(frozen=True)
class Outcome:
    """The result of a command."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout.decode()


Run = Callable[..., Outcome]
"""The type of `run_inside` and `run_process`."""


def run_inside(*arguments: str | os.PathLike[str]) -> Outcome:
    """Run ``zarrscope ARGUMENTS`` in this process (not for commands that fork or start Qt)."""
    from zarrcore.cli.main import main

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([os.fspath(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
    outcome = Outcome(int(status or 0), out.buffer.getvalue(), err.buffer.getvalue().decode())
    if "--json" in arguments:
        check_json(os.fspath(arguments[0]), outcome.text)
    return outcome


def run_process(*arguments: str | os.PathLike[str], timeout_s: float = 60.0, **options: object) -> Outcome:
    """Run ``zarrscope ARGUMENTS`` like a shell; options are those of ``subprocess.run``."""
    command = [Path(sys.executable).with_name("zarrscope"), *arguments]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, **options
    )
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def installing_environment() -> dict[str, str]:
    """The environment for programs that install packages, with the settings that ``packaging/test`` keeps from the tests."""
    return {**json.loads(os.environ.get("ZARRSCOPE_SETUP_ENVIRONMENT", "{}")), **os.environ}


def run_at_root(
    *command: str | Path, timeout_s: float = 110, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run any program in the repository's root, where its scripts are called."""
    return subprocess.run(
        command,
        cwd=Path(__file__).parents[1],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
