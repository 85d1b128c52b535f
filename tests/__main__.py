"""Run all tests, in parts: each part is a pytest process of its own, and several run at once.

One process for all tests would hold the modules, servers and windows of all of them, more than 1 GiB.

    python -m tests                       all parts
    python -m tests tests/zfs tests/core  some of them
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

ROOT = Path(__file__).resolve().parents[1]

MOST = 4
"""Processes at once. Each of them also starts servers and mounts."""

PARTS = (
    "tests/zfs",
    "tests/packaging",
    "tests/core/stores",
    "tests/proofs",
    "tests/browser",
    "tests/core",
    "tests/zfs/trees/writing",
    "tests/core/codecs",
    "tests/core/stores/object",
    "tests/zfs/trees",
    "tests/browser/panes",
    "tests/browser/window",
    "tests/core/filetypes",
    "tests/core/array",
    "tests/zfs/mount",
    "tests/core/formats",
    "tests/core/cli",
    "tests core zfs browser",
)
"""The folders of each part. A folder that is a part is not in another one. The slowest part comes first."""

_COUNT = re.compile(r"(\d+) (failed|passed|skipped|xfailed|xpassed|error)")
_COMPLETE = re.compile(r" in [\d.]+s")
_TO_REPEAT = ("FAILED ", "ERROR ", "SKIPPED ")
_NO_TESTS = 5  # pytest's exit status


class Outcome(NamedTuple):
    """What pytest said of a part."""

    part: str
    status: int
    output: str

    @property
    def closing_line(self) -> str:
        """The numbers of tests that passed, failed, …"""
        return self.output.rstrip().rpartition("\n")[2].strip("= ")

    @property
    def has_failed(self) -> bool:
        """Whether a test failed, or pytest did, or a test ended the process."""
        return self.status not in (0, _NO_TESTS) or not _COMPLETE.search(self.closing_line)


def run(part: str, temporary: Path) -> Outcome:
    """Run a part of the tests, with its temporary files in *temporary*, which is left only if a test failed.

    In the folder that pytest shares between its processes, two that remove the same old files fail.
    """
    folders = part.split()
    others = [other for other in PARTS if any(other.startswith(f"{folder}/") for folder in folders)]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--quiet", "--color=no"),
            *(() if os.access(ROOT, os.W_OK) else ("-p", "no:cacheprovider")),
            *(f"--ignore={other}" for other in others),
            f"--basetemp={temporary}",
            *folders,
        ],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    outcome = Outcome(part, done.returncode, done.stdout)
    if not outcome.has_failed:
        shutil.rmtree(temporary, ignore_errors=True)
    return outcome


def main() -> int:
    """Run all tests, or some parts; return 1 if any failed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests", description="Run all tests: half an hour on two cores."
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join(PARTS)}")
    parts = parser.parse_args().parts or PARTS
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"no part is named {unknown[0]!r}")
    started = time.monotonic()
    at_once = min(len(os.sched_getaffinity(0)), MOST)
    print(f"Parts of the tests: {len(parts)}, {at_once} at a time", flush=True)
    counts, lines, has_failed = Counter[str](), [], False
    folder = Path(tempfile.mkdtemp(prefix="tests-"))  # short: a path of a socket has 107 bytes at most
    with ThreadPoolExecutor(at_once) as pool:
        runs = [pool.submit(run, part, folder / str(number)) for number, part in enumerate(parts, 1)]
        try:
            for number, future in enumerate(as_completed(runs), 1):
                outcome = future.result()
                if outcome.has_failed:
                    has_failed = True
                    print(outcome.output)
                print(f"[{number}/{len(parts)}] {outcome.part}: {outcome.closing_line}", flush=True)
                counts.update({kind: int(found) for found, kind in _COUNT.findall(outcome.closing_line)})
                lines += [line for line in outcome.output.splitlines() if line.startswith(_TO_REPEAT)]
        except KeyboardInterrupt:  # the parts that run get it too, and end
            pool.shutdown(cancel_futures=True)
            return 128 + signal.SIGINT
    print(*lines, sep="\n")
    if has_failed:
        print(f"The temporary files of the parts that failed are in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    summary = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"======== {summary} in {time.monotonic() - started:.0f} s ========")
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
