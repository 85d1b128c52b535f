"""A trial of mutation testing: the tests of one mutant. Tests that pass are a finding, unless the mutant is known."""

from __future__ import annotations

import atexit
import compileall
import difflib
import functools
import importlib
import json
import os
import py_compile
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.proofs.mutation.mutants import Mutant, mutants
from tests.proofs.mutation.subjects import SUBJECTS
from tests.proofs.trials import ROOT

SURVIVORS: Final = Path(__file__).with_name("survivors.json")
"""Mutants that no test can or needs to notice, with the reason, by name of the subject."""

_LIBRARIES: Final = (
    "h5py",
    "hypothesis.extra.numpy",
    "moto",
    "numpy",
    "obstore",
    "tensorstore",
    "trio",
    "zarr",
)
"""What tests import, imported once for all mutants."""

_PACKAGES: Final = ("core/zarrcore", "zfs/zarrfs", "browser/zarrbrowser")
_IMPORTED_BEFORE: Final = "ignore::pytest.PytestAssertRewriteWarning"
_PATIENCE: Final = 10
"""A mutant whose tests take this many times longer than those of the unchanged sources never ends."""


class SurvivorError(AssertionError):
    """No test noticed a mutant."""


def trial(seed: int, name: str) -> int:
    """Test the mutant with this number; returns 1, or 0 if there is none.

    Raises:
        SurvivorError: no test noticed it.
        RuntimeError: the tests fail without a mutation.
    """
    found = _all(name)
    if seed >= len(found):
        return 0
    path, mutant = found[seed]
    if not _pass(name, _duration_s(name) * _PATIENCE, path, mutant.source) or _is_known(name, path, mutant):
        return 1
    lines = (ROOT / path).read_text().splitlines()
    change = difflib.unified_diff(lines, mutant.source.splitlines(), path, "mutant", n=1, lineterm="")
    raise SurvivorError("\n".join([*change, f"{path}:{mutant.line}: {mutant.before} → {mutant.after}"]))


@functools.cache
def _all(name: str) -> list[tuple[str, Mutant]]:
    sources = SUBJECTS[name].sources
    return [(path, mutant) for path in sources for mutant in mutants((ROOT / path).read_text())]


@functools.cache
def _duration_s(name: str) -> float:
    """How long the tests take without a mutation."""
    for library in _LIBRARIES:
        importlib.import_module(library)
    started_s = time.monotonic()
    if not _pass(name, 600):
        raise RuntimeError(f"the tests of {name} fail without a mutation")
    return max(5.0, time.monotonic() - started_s)


def _is_known(name: str, path: str, mutant: Mutant) -> bool:
    known = json.loads(SURVIVORS.read_text()).get(name, [])
    return any(
        (path, mutant.before, mutant.after) == (one["path"], one["before"], one["after"]) for one in known
    )


@functools.cache
def _copied() -> Path:
    """A copy of the packages, which the tests and the processes that they start import in place of the original."""
    folder = tempfile.TemporaryDirectory(prefix="mutants-")
    atexit.register(folder.cleanup)
    for package in _PACKAGES:
        shutil.copytree(
            ROOT / package, Path(folder.name) / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    # Python compares the hash of each source: two mutants may have the same size and time of modification.
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(folder.name, quiet=1, invalidation_mode=mode)
    return Path(folder.name)


def _pass(name: str, limit_s: float, path: str | None = None, source: str = "") -> bool:
    """Whether the tests pass with a mutated source, in a copy of this process."""
    if path is not None:
        (_copied() / path).write_text(source)
    try:
        child = os.fork()
        if child == 0:
            status = 99
            try:
                os.setsid()
                status = _run(SUBJECTS[name].tests)
            except BaseException:  # noqa: BLE001 - the parent gets the status
                traceback.print_exc()
            finally:
                os._exit(status)
        status = _wait(child, limit_s)
    finally:
        if path is not None:
            shutil.copyfile(ROOT / path, _copied() / path)
    if status not in {0, 1, 2, None}:
        raise RuntimeError(f"pytest ended with status {status}")
    return status == 0


def _run(tests: Sequence[str]) -> int:
    places = [str(_copied() / package.partition("/")[0]) for package in _PACKAGES]
    sys.path[:0] = places
    os.environ["PYTHONPATH"] = os.pathsep.join([*places, *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    with tempfile.TemporaryDirectory() as temporary, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = temporary
        options = (
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-o",
            "faulthandler_timeout=0",
            f"--basetemp={temporary}/tests",
            "-W",
            _IMPORTED_BEFORE,
        )
        status = int(pytest.main([*options, *tests]))
    assert sys.modules["zarrcore"].__file__ == str(_copied() / "core/zarrcore/__init__.py")
    return status


def _wait(child: int, limit_s: float) -> int | None:
    """The exit status of a process; None if it was killed, or takes too long."""
    give_up_s = time.monotonic() + limit_s
    while time.monotonic() < give_up_s:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
