"""What processes take, sampled at intervals, and whether it grows."""

from __future__ import annotations

import os
import statistics
from dataclasses import dataclass
from pathlib import Path

Sample = dict[str, float]
WARM_S = 300.0
"""A shorter run says nothing about growth: programs load modules and fill caches at first."""


def process_figures(process: int) -> Sample:
    """Resident MiB, open handles and threads of a process.

    Raises:
        OSError: it is gone.
    """
    place = Path(f"/proc/{process}")
    status = dict(line.split(":", 1) for line in (place / "status").read_text().splitlines())
    return {
        "MiB": int(status["VmRSS"].split()[0]) / 1024,
        "handles": len(os.listdir(place / "fd")),
        "threads": int(status["Threads"]),
    }


@dataclass(frozen=True)
class Allowance:
    """How much a figure may grow between the third and the last quarter: a share of it, and a number for its noise."""

    share: float
    more: float


ALLOWANCES = {
    "MiB": Allowance(0.05, 16),
    "handles": Allowance(0.1, 16),
    "threads": Allowance(0.1, 8),
    "inodes": Allowance(0.1, 500),
}
"""By the last word of a figure's name."""


def growing(samples: list[Sample]) -> list[str]:
    """The figures that are not flat over the second half."""
    found: list[str] = []
    half, quarter = len(samples) // 2, len(samples) // 4
    if quarter < 2:
        return found
    for name in samples[0]:
        allowance = ALLOWANCES.get(name.rpartition(" ")[2])
        if allowance is None:
            continue
        before = statistics.median(sample[name] for sample in samples[half : half + quarter])
        after = statistics.median(sample[name] for sample in samples[-quarter:])
        if after > before * (1 + allowance.share) + allowance.more:
            found.append(f"{name} grows from {before:,.0f} to {after:,.0f}")
    return found
