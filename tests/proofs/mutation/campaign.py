"""A trial of mutation testing: the tests of one mutant. Tests that pass are a finding, unless the mutant is known."""

from __future__ import annotations

import atexit
import compileall
import contextlib
import difflib
import faulthandler
import functools
import gc
import importlib
import importlib.metadata
import json
import os
import py_compile
import resource
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
from hypothesis import Phase, settings

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
_PATIENCE: Final = 10
"""A mutant whose tests take this many times longer than those of the unchanged sources never ends."""
_PROCESSOR_PATIENCE: Final = 3
"""The same for seconds of the processor, which do not grow when the machine is busy."""
_LIMIT_NBYTES: Final = 4 << 30
"""Memory of a mutant, which may allocate for ever."""


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
    if _is_known(name, path, mutant) or not _pass(name, *_limits_s(name), path, mutant.source):
        return 1
    lines = (ROOT / path).read_text().splitlines()
    change = difflib.unified_diff(lines, mutant.source.splitlines(), path, "mutant", n=1, lineterm="")
    raise SurvivorError("\n".join([*change, f"{path}:{mutant.line}: {mutant.before} → {mutant.after}"]))


@functools.cache
def _all(name: str) -> list[tuple[str, Mutant]]:
    sources = SUBJECTS[name].sources
    return [(path, mutant) for path in sources for mutant in mutants((ROOT / path).read_text())]


@functools.cache
def _limits_s(name: str) -> tuple[float, float]:
    """How long the tests of a mutant may take, and how much time of the processor."""
    _import_once()
    started_s, used_s = time.monotonic(), _used_s()
    if not _pass(name, 600, 600):
        raise RuntimeError(f"the tests of {name} fail without a mutation")
    took_s, used_s = time.monotonic() - started_s, _used_s() - used_s
    return _PATIENCE * max(10.0, took_s), _PROCESSOR_PATIENCE * max(3.0, used_s)


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _import_once() -> None:
    """Import for all mutants what the tests need, but nothing of what is mutated."""
    for library in _LIBRARIES:
        importlib.import_module(library)
    for plugin in importlib.metadata.entry_points(group="pytest11"):
        plugin.load()
    gc.collect()
    gc.freeze()


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


def _pass(name: str, limit_s: float, processor_s: float, path: str | None = None, source: str = "") -> bool:
    """Whether the tests pass with a mutated source, in a copy of this process."""
    copied = _copied()
    if path is not None:
        (copied / path).write_text(source)
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
            child = os.fork()
            if child == 0:
                status = 99
                try:
                    os.setsid()
                    resource.setrlimit(resource.RLIMIT_CPU, (round(processor_s), resource.RLIM_INFINITY))
                    resource.setrlimit(resource.RLIMIT_DATA, (_LIMIT_NBYTES, resource.RLIM_INFINITY))
                    status = _run(SUBJECTS[name].tests, temporary)
                except BaseException:  # noqa: BLE001 - the parent gets the status
                    traceback.print_exc()
                finally:
                    os._exit(status)
            status = _wait(child, limit_s)
    finally:
        if path is not None:
            shutil.copyfile(ROOT / path, copied / path)
    if status not in {0, 1, 2, None}:
        raise RuntimeError(f"pytest ended with status {status}")
    return status == 0


class _OneFailureIsEnough:
    """Hypothesis draws the same examples for each mutant, and does not look for the simplest one that fails."""

    def pytest_runtest_logstart(self) -> None:
        faulthandler.cancel_dump_traceback_later()  # no stacks of mutants that never end

    def pytest_sessionstart(self) -> None:
        settings.register_profile(
            "mutants",
            settings(),
            derandomize=True,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            report_multiple_bugs=False,
        )
        settings.load_profile("mutants")


def _run(tests: Sequence[str], temporary: str) -> int:
    places = [str(_copied() / package.partition("/")[0]) for package in _PACKAGES]
    sys.path[:0] = places
    os.environ["PYTHONPATH"] = os.pathsep.join([*places, *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # Hypothesis looks for constants in all sources, and remembers those of a source.
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(_copied() / "hypothesis")
    options = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider"]
    # From Python 3.14 on, it does not find what refers to its random numbers: that is among the frozen objects.
    options += ["-W", "ignore::hypothesis.errors.HypothesisWarning"]
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        status = int(
            pytest.main([*options, f"--basetemp={temporary}/tests", *tests], [_OneFailureIsEnough()])
        )
    assert sys.modules["zarrcore"].__file__ == str(_copied() / "core/zarrcore/__init__.py")
    return status


def _wait(child: int, limit_s: float) -> int | None:
    """The exit status of a process; None if it was killed, or takes too long."""
    give_up_s = time.monotonic() + limit_s
    ended = 0
    while not ended and time.monotonic() < give_up_s:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # with the processes that it has started
    if ended:
        return os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    os.waitpid(child, 0)
    return None
