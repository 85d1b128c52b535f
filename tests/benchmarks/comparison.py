"""Whether zarrscope became slower: two checkouts, measured alternately with the benchmarks of this one.

Instead of a checkout, the base may be the times that an earlier run recorded (``--json``): as good as the machine is steady.

Each round is a process for each checkout, one right after the other, in turns which one is first. Its ratio is the base's time
divided by this checkout's. A row became slower if the median ratio is below `LIMIT`, and the machine's noise does not explain it:
then the whole confidence interval of the median is below 1.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.results import OURS, machine

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 0.9
FEWEST, ROUNDS = 7, 21
CONFIDENCE = 0.98
_INNER_ROUNDS = 3

Row = tuple[str, str, str]
"""Workload, kind and description."""


def interval(ratios: Sequence[float]) -> tuple[float, float]:
    """The confidence interval of the median of independent figures, whatever their distribution (that of the sign test).

    >>> interval([1.0, 0.9, 1.1, 0.8, 1.2, 1.3, 0.7])  # seven figures are on one side of the median in 2 of 128 cases
    (0.7, 1.3)
    >>> interval([float(number) for number in range(15)])
    (2.0, 12.0)
    >>> interval([1.0, 2.0])
    (0.0, inf)
    """
    outside, left_out = 0.0, 0
    while left_out <= len(ratios):
        outside += 2 * math.comb(len(ratios), left_out) / 2 ** len(ratios)
        if outside > 1 - CONFIDENCE:
            break
        left_out += 1
    if not left_out:
        return 0.0, math.inf
    ordered = sorted(ratios)
    return ordered[left_out - 1], ordered[-left_out]


@dataclass
class Comparison:
    """A row, and the ratio of each round."""

    row: Row
    ratios: list[float] = field(default_factory=list)

    @property
    def is_decided(self) -> bool:
        """Whether more rounds would hardly change whether it became slower."""
        low, high = interval(self.ratios)
        return len(self.ratios) >= FEWEST and (low >= LIMIT or high < LIMIT)

    @property
    def is_slower(self) -> bool:
        """Whether it became slower, and not by chance."""
        return statistics.median(self.ratios) < LIMIT and interval(self.ratios)[1] < 1

    def text(self) -> str:
        """A line of text."""
        workload, kind, describes = self.row
        low, high = interval(self.ratios)
        told = f"{statistics.median(self.ratios):.2f} ({low:.2f}–{high:.2f}, {len(self.ratios)} rounds)"
        return f"{workload} {kind:8}{told}  {describes}{'  SLOWER' if self.is_slower else ''}"

    def document(self) -> dict[str, Any]:
        """The comparison for JSON."""
        workload, kind, describes = self.row
        return {
            "workload": workload,
            "what": kind,
            "describes": describes,
            "ratios": self.ratios,
            "median": statistics.median(self.ratios),
            "interval": interval(self.ratios),
            "is_slower": self.is_slower,
        }


def main(
    base: str, parts: Iterable[tuple[str, str | None]], folder: Path, rounds: int | None, report: Path | None
) -> int:
    """Compare the parts; return 1 if something became slower."""
    found: list[Comparison] = []
    with base_of(base) as before:
        for workload, kind in parts:
            for comparison in compare(before, workload, kind, folder, rounds or ROUNDS):
                found.append(comparison)
                print(comparison.text(), flush=True)
    if report:
        rows = [comparison.document() for comparison in found]
        report.write_text(json.dumps({"machine": machine(), "base": base, "results": rows}, indent=2) + "\n")
    if not found:
        raise SystemExit("--compare: nothing of what is chosen was measured in both checkouts")
    slower = sum(comparison.is_slower for comparison in found)
    print(
        f"{slower} of {len(found)} rows became slower than {base}"
        if slower
        else f"no row became slower than {base}"
    )
    return int(bool(slower))


@contextmanager
def base_of(base: str) -> Iterator[Path | Mapping[Row, float]]:
    """A checkout, or the times that an earlier run recorded."""
    if base.endswith(".json"):
        try:
            times = recorded(Path(base))
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise SystemExit(f"--compare {base}: not measurements that --json wrote: {error!r}") from error
        yield times
        return
    with checkout(base) as where:
        yield where


@contextmanager
def checkout(base: str) -> Iterator[Path]:
    """The folder of a checkout: an existing one, or a temporary one of a commit, with its engine."""
    if (Path(base) / "core" / "zarrcore").is_dir():
        yield Path(base).resolve()
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", base], cwd=ROOT, capture_output=True, check=False)
        if archive.returncode:
            raise SystemExit(f"--compare {base}: neither a checkout of zarrscope nor a commit of this one")
        subprocess.run(["tar", "--extract", "--directory", folder], input=archive.stdout, check=True)
        build_engine(Path(folder))
        yield Path(folder)


def build_engine(where: Path) -> None:
    """Compile the engine of a checkout, if it has one: without it, the checkout would seem slower than it is."""
    build = where / "packaging" / "build_engine.py"
    if build.exists():
        subprocess.run([sys.executable, build], check=True)


def compare(
    before: Path | Mapping[Row, float], workload: str, kind: str | None, folder: Path, rounds: int
) -> list[Comparison]:
    """The rows of a part, measured until all are decided or ``rounds`` is reached."""
    found: dict[Row, Comparison] = {}
    for number in range(rounds):
        pair: list[Mapping[Row, float]] = [{}, {}]
        for which in (0, 1) if number % 2 else (1, 0):
            where = (before, ROOT)[which]
            pair[which] = seconds(where, workload, kind, folder) if isinstance(where, Path) else where
        base, now = pair
        for row, now_s in now.items():
            if row in base:
                found.setdefault(row, Comparison(row)).ratios.append(base[row] / now_s)
        if all(comparison.is_decided for comparison in found.values()):
            break
    return list(found.values())


def seconds(where: Path, workload: str, kind: str | None, folder: Path) -> Mapping[Row, float]:
    """zarrscope's time for each row with the code of a checkout, by the benchmarks of this one."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.json"
        code = os.pathsep.join(str(where / part) for part in ("core", "zfs", "browser"))
        done = subprocess.run(
            [
                *(sys.executable, "-m", "tests.benchmarks", workload, "--no-peers"),
                *(("--only", kind) if kind else ()),
                *("--rounds", str(_INNER_ROUNDS), "--folder", folder, "--json", report),
            ],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": code},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{workload} {kind or ''} does not run in {where}:\n{done.stderr}")
        return recorded(report)


def recorded(report: Path) -> dict[Row, float]:
    """zarrscope's time for each row of a report that ``--json`` wrote."""
    results = json.loads(report.read_text())["results"]
    return {
        (result["workload"], result["what"], result["describes"]): statistics.median(result["seconds"][OURS])
        for result in results
    }
