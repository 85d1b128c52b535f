"""Run all checks and tests, in parts: each part is a process of its own, and several run at once.

One pytest process for all tests would hold the modules, servers and windows of all of them, more than 1 GiB.

    python -m tests                       all parts
    python -m tests mypy tests/proofs     some of them

A part may begin with a variable of its environment: ``ZARRSCOPE_ENGINE=python`` runs it without the engine, which is what
zarrscope does on other machines, and ``ZARRSCOPE_SLOW_ANSWERS=1`` lets the answers of the window's workers come late.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from tests.campaigns import ALL

ROOT = Path(__file__).resolve().parents[1]

MOST = 5
"""Parts at once, with two more than there are processors: each also waits, for servers, mounts and time limits."""

WITHOUT_ENGINE = "ZARRSCOPE_ENGINE=python "
SLOWLY = "ZARRSCOPE_SLOW_ANSWERS=1 "

_ALL_TESTS = (
    "tests core",
    "tests/browser/panes",
    "tests/core/stores",
    "tests/zfs zfs",
    "tests/browser/window",
    "tests/browser browser",
    "tests/zfs/trees",
    "tests/core/codecs tests/core/array",
    "tests/packaging",
    "tests/proofs",
)

_PYTHON_ONLY = ("tests/core/array/chunks tests/core/array/selection",)
"""What runs a second time without the engine, unless all does.

Nearly all other lines for elements run with the engine, too: it does not know each codec, type and store.
"""

PARTS = (
    *_ALL_TESTS,
    *(WITHOUT_ENGINE + part for part in (_ALL_TESTS if ALL else _PYTHON_ONLY)),
    *(SLOWLY + part for part in _ALL_TESTS if ALL and part.startswith("tests/browser")),
)
"""The folders of each part. A folder that is a part is not in another one. What costs most comes first.

Each part imports what its tests need, so few parts are faster than many.
"""

_TYPED = (
    *("core/zarrcore", "core/zarrscope", "zfs/zarrfs", "browser/zarrbrowser", "packaging"),
    "tests/core/everyday.py",
)
"""What mypy reads unless all is checked: a name or an argument that does not exist makes a test itself fail."""

CHECKS = {
    "mypy": ("mypy", *(() if ALL else _TYPED)),
    "layers": ("lint-imports", "--no-logo"),
    "ruff": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "commits": ("python", "packaging/commit_subjects.py"),
}
"""Checks that run beside the tests, and their commands. mypy starts second."""

_COUNT = re.compile(r"(\d+) (failed|passed|skipped|deselected|xfailed|xpassed|error)")
_COMPLETE = re.compile(r" in [\d.]+s")
_TO_REPEAT = ("FAILED ", "ERROR ", "SKIPPED ")
_NO_TESTS = 5  # pytest's exit status


class Outcome(NamedTuple):
    """What became of a part."""

    part: str
    status: int
    output: str
    wall_s: float
    processor_s: float
    """Of its processes, without those that still run."""
    nbytes: int
    """The memory of its largest process."""

    @property
    def closing_line(self) -> str:
        """The numbers of tests that passed, failed, …"""
        return self.output.rstrip().rpartition("\n")[2].strip("= ")

    @property
    def has_failed(self) -> bool:
        """Whether a check or a test failed, or pytest did, or a test ended the process."""
        if self.part in CHECKS:
            return self.status != 0
        return self.status not in (0, _NO_TESTS) or not _COMPLETE.search(self.closing_line)


def run(part: str, temporary: Path) -> Outcome:
    """Run a part, with its temporary files in *temporary*, which is left only if a test failed.

    In the folder that pytest shares between its processes, two that remove the same old files fail.
    """
    started = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(
            command(part, temporary),
            cwd=ROOT,
            env={**os.environ, **dict(variable.split("=") for variable in _variable(part).split())},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        outcome = Outcome(
            part,
            process.returncode,
            output.read(),
            time.monotonic() - started,
            used.ru_utime + used.ru_stime,
            used.ru_maxrss << 10,
        )
    if not outcome.has_failed:
        shutil.rmtree(temporary, ignore_errors=True)
    return outcome


def folders_of(part: str) -> list[str]:
    """The folders of a part."""
    return part.removeprefix(_variable(part)).split()


def _variable(part: str) -> str:
    """The variable at the beginning of a part, with a space; empty if it has none."""
    first, space, _ = part.partition(" ")
    return first + space if "=" in first else ""


def command(part: str, temporary: Path) -> list[str]:
    """What runs a part."""
    if part in CHECKS:
        program, *options = CHECKS[part]
        return [str(Path(sys.executable).with_name(program)), *options]
    folders = folders_of(part)
    others = {
        other: None
        for one in PARTS
        if _variable(one) == _variable(part)
        for other in folders_of(one)
        if other not in folders and any(other.startswith(f"{folder}/") for folder in folders)
    }
    return [
        *(sys.executable, "-m", "pytest", "--quiet", "--color=no"),
        *(() if os.access(ROOT, os.W_OK) else ("-p", "no:cacheprovider")),
        *(f"--ignore={other}" for other in others),
        f"--basetemp={temporary}",
        *folders,
    ]


def main() -> int:
    """Run all tests, or some parts; return 1 if any failed."""
    every = [*PARTS[:1], *CHECKS, *PARTS[1:]]
    parser = argparse.ArgumentParser(prog="python -m tests", description="Run all checks and tests.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join(every)}")
    parts = parser.parse_args().parts or every
    if unknown := [part for part in parts if part not in every]:
        parser.error(f"no part is named {unknown[0]!r}")
    started = time.monotonic()
    at_once = min(len(os.sched_getaffinity(0)) + 2, MOST)
    print(f"Parts: {len(parts)}, {at_once} at a time", flush=True)
    counts, lines, done = Counter[str](), [], list[Outcome]()
    folder = Path(tempfile.mkdtemp(prefix="tests-"))  # short: a path of a socket has 107 bytes at most
    with ThreadPoolExecutor(at_once) as pool:
        runs = [pool.submit(run, part, folder / str(number)) for number, part in enumerate(parts, 1)]
        try:
            for number, future in enumerate(as_completed(runs), 1):
                done.append(outcome := future.result())
                if outcome.has_failed:
                    print(outcome.output)
                said = f"[{number}/{len(parts)}] {outcome.part}: {outcome.closing_line}"
                print(f"{said}; {outcome.wall_s:.0f} s, {outcome.processor_s:.0f} s of processor", flush=True)
                counts.update({kind: int(found) for found, kind in _COUNT.findall(outcome.closing_line)})
                lines += [line for line in outcome.output.splitlines() if line.startswith(_TO_REPEAT)]
        except KeyboardInterrupt:  # the parts that run get it too, and end
            pool.shutdown(cancel_futures=True)
            return 128 + signal.SIGINT
    print(*lines, "    wall  processor     memory", sep="\n")
    for outcome in sorted(done, key=lambda outcome: -outcome.wall_s):
        print(
            f"{outcome.wall_s:6.0f} s {outcome.processor_s:8.0f} s {outcome.nbytes >> 20:6} MiB  {outcome.part}"
        )
    if failed := [outcome.part for outcome in done if outcome.has_failed]:
        print(f"failed: {', '.join(failed)}")
        print(f"The temporary files of the parts that failed are in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    summary = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "no tests"
    print(f"======== {summary} in {time.monotonic() - started:.0f} s ========")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
