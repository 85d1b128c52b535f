"""Measure reading whole arrays and planes of them: ours and every peer that is installed, alternately.

    python -m tests.benchmarks [WORKLOAD …] [--folder FOLDER] [--rounds N] [--json FILE]

A ratio is the best peer's time by ours, round by round: above 1 we are faster. The spread is that of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.readers import Read, installed
from tests.benchmarks.workloads import WORKLOADS, Workload, write_missing

OURS = "zarrscope"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.split("\n")[0])
    names = [workload.name for workload in WORKLOADS]
    parser.add_argument(
        "workloads", nargs="*", metavar="WORKLOAD", help=f"out of {', '.join(names)} (default: all)"
    )
    parser.add_argument(
        "--folder", type=Path, help="where the arrays are kept (default: in the temporary folder)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="how often each reads each (default: 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    arguments = parser.parse_args()
    for name in arguments.workloads:
        if name not in names:
            parser.error(f"no workload {name!r}; there are {', '.join(names)}")
    chosen = tuple(workload for workload in WORKLOADS if workload.name in (arguments.workloads or names))
    folder = arguments.folder or Path(tempfile.gettempdir()) / f"zarrscope-benchmarks-{os.getuid()}"
    write_missing(folder, chosen)
    results = [measure(workload, folder, arguments.rounds) for workload in chosen]
    if arguments.json:
        machine = {
            "cores": os.cpu_count(),
            "machine": platform.machine(),
            "python": platform.python_version(),
        }
        arguments.json.write_text(json.dumps({"machine": machine, "results": results}, indent=2) + "\n")
    return 0


def measure(workload: Workload, folder: Path, rounds: int) -> dict[str, Any]:
    """Time all readers on one workload, and print a line each for the whole array and a plane."""
    path = folder / workload.name / "array.zarr"
    readers: dict[str, Callable[[], Read]] = {
        name: lambda opener=opener: opener(path, workload.zarr_format) for name, opener in installed().items()
    }
    result: dict[str, Any] = {"workload": workload.name, "describes": workload.describes}
    nbytes = workload.edge**3 * np.dtype(workload.dtype).itemsize
    print(f"\n{workload.name}  {workload.describes}")
    for what, selection, size in (
        ("whole", ..., nbytes),
        ("plane", workload.edge // 2, nbytes // workload.edge),
    ):
        times_s = alternate(readers, selection, rounds)
        ratios = ratios_to_best_peer(times_s)
        result[what] = {"seconds": times_s, "ratios": ratios, "nbytes": size}
        report(what, times_s, ratios, size)
    return result


def alternate(readers: dict[str, Callable[[], Read]], selection: Any, rounds: int) -> dict[str, list[float]]:
    """Seconds of each round by reader; one round more, not counted, brings the files into the page cache."""
    times_s: dict[str, list[float]] = {name: [] for name in readers}
    expected: np.ndarray | None = None
    for turn in range(rounds + 1):
        for name, opener in readers.items():
            read = opener()  # anew each time: some peers keep what they have read
            begun_s = time.perf_counter()
            found = read(selection)
            taken_s = time.perf_counter() - begun_s
            if turn:
                times_s[name].append(taken_s)
            elif expected is None:
                expected = np.asarray(found)
            elif not np.array_equal(found, expected):
                raise SystemExit(f"{name} reads other values than {OURS}")
            del found
    return times_s


def ratios_to_best_peer(times_s: dict[str, list[float]]) -> list[float]:
    """The best peer's seconds by ours, round by round; empty without peers."""
    peers = [times for name, times in times_s.items() if name != OURS]
    if not peers:
        return []
    best = min(peers, key=statistics.median)
    return [peer_s / our_s for peer_s, our_s in zip(best, times_s[OURS], strict=True)]


def report(what: str, times_s: dict[str, list[float]], ratios: list[float], nbytes: int) -> None:
    parts = []
    for name, times in times_s.items():
        median_s = statistics.median(times)
        figure = f"{nbytes / median_s / 2**20:7.0f} MiB/s" if what == "whole" else f"{median_s * 1e3:7.1f} ms"
        parts.append(f"{name} {figure}")
    spread = (
        f"{statistics.median(ratios):.2f} × the best peer ({min(ratios):.2f}–{max(ratios):.2f})"
        if ratios
        else ""
    )
    print(f"  {what}  {'  '.join(parts)}  →  {spread}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
