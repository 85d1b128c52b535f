"""A trial: one scenario, killed at one call."""

from __future__ import annotations

import atexit
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.proofs.trials import ROOT

VARIANTS = 4
"""Different sequences of operations in each scenario and kind."""
DAY_S = 86_400


@dataclass(frozen=True)
class Outcome:
    """How the work ended."""

    told: list[str]
    """What was reported done."""
    killed: bool
    errors: str


def trial(seed: int, scenario: str, kind: str) -> int:
    """Kill at one call. Consecutive seeds take all calls of all variants in turn, before the call and in the middle of it."""
    variant = f"{kind} {seed % VARIANTS}"
    calls = _calls(scenario, variant)
    place = seed // VARIANTS
    _run(scenario, variant, 1 + place // 2 % calls, middle=bool(place % 2))
    return 1


@cache
def _calls(scenario: str, variant: str) -> int:
    """The number of calls that change a file, if nothing is killed."""
    told = _run(scenario, variant, 0, middle=False)
    return int(told[-1].removeprefix("calls "))


def _run(scenario: str, variant: str, at: int, *, middle: bool) -> list[str]:
    module: Any = importlib.import_module(f"tests.proofs.kills.{scenario}")
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "work"
        root.mkdir()
        module.prepare(root, variant)
        order = {"scenario": scenario, "root": str(root), "variant": variant, "at": at, "middle": middle}
        outcome = module.driven(root, variant, order) if hasattr(module, "driven") else run(order)
        assert outcome.killed or not outcome.errors, outcome.errors
        assert at or not outcome.killed
        told = [line for line in outcome.told if not line.startswith("calls ")]
        module.check(root, variant, told, outcome.killed)
        return outcome.told


def run(order: dict[str, Any]) -> Outcome:
    """Carry out an order in a process that is killed."""
    answer = ask({**order, "waits": True})
    if answer["status"] not in (0, -signal.SIGKILL):
        raise AssertionError(answer["errors"])
    return Outcome(answer["told"], answer["status"] != 0, "")


def ask(order: dict[str, Any]) -> dict[str, Any]:
    """The answer to an order."""
    stage = _stage()
    assert stage.stdin is not None
    assert stage.stdout is not None
    stage.stdin.write(json.dumps(order).encode() + b"\n")
    stage.stdin.flush()
    answer: dict[str, Any] = json.loads(stage.stdout.readline())
    return answer


@cache
def _stage() -> subprocess.Popen[bytes]:
    folder = tempfile.mkdtemp()
    library = Path(folder) / "killer.so"
    source = Path(__file__).with_name("killer.c")
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    stage = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.proofs.kills.stage"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={
            **os.environ,
            "LD_PRELOAD": str(library),
            "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
            "OPENBLAS_NUM_THREADS": "1",  # a process with threads cannot be forked
        },
    )

    def end() -> None:
        assert stage.stdin is not None
        stage.stdin.close()
        stage.wait(10)
        shutil.rmtree(folder)

    atexit.register(end)
    return stage


def make_old(root: Path) -> None:
    """Date all files two days back."""
    then_s = time.time() - 2 * DAY_S
    for path in root.rglob("*"):
        if path.is_file():
            # The cache may erase the file meanwhile, to make room.
            with suppress(FileNotFoundError):
                os.utime(path, (then_s, then_s))


def litter(root: Path, *kept: str) -> list[str]:
    """The files that are neither values nor named here."""
    names = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    return [name for name in names if "/.zarrscope-" in f"/{name}" or (kept and name not in kept)]


def choice_of(variant: str) -> random.Random:
    """Random numbers of a variant."""
    return random.Random(variant)
