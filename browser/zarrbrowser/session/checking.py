"""A check of a node for the window: what is found, in batches, and the numbers so far."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.values.quantities import count

if TYPE_CHECKING:  # imported when a check starts: for a fast start
    from zarrcore.operations.check import Finding

EXAMPLES = 500
"""Findings of each kind of an array that are listed one by one; the others are counted."""
MOST = 10_000
"""Findings of each kind that are listed one by one."""
_REPORT_S = 0.1
_OF_STRAY_KEYS = ("stray-key", "temporary-key", "odd-key", "outside-the-grid", "chunks-without-document")
_OF_CHUNKS = ("unreadable", "unsupported")


class Kind(Enum):
    """What a finding is about."""

    BAD = "Bad chunks"
    MISSING = "Missing chunks"
    STRAY = "Stray keys"
    OTHER = "Other"


def kind_of(finding: Finding) -> Kind:
    """What a finding is about."""
    if finding.what in ("missing-chunk", "missing-chunks"):
        return Kind.MISSING
    if finding.what in _OF_STRAY_KEYS:
        return Kind.STRAY
    # Nodes can be unreadable, too; those of an array's chunks have a place, or stand for several.
    is_chunk = finding.what in _OF_CHUNKS and (finding.index is not None or finding.count > 1)
    return Kind.BAD if finding.what == "broken-chunk" or is_chunk else Kind.OTHER


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check has found since its last report, and how far it is."""

    findings: tuple[Finding, ...]
    path: str
    """The array that is being checked; empty before the first."""
    done: int
    """Its chunks that are done."""
    total: int
    """All of its chunks."""
    arrays: int
    """The arrays so far."""
    chunks: int
    """The stored chunks so far, of all arrays."""


@dataclass(slots=True)
class Check:
    """A check of a node and all below it. Runs in a worker.

    Args:
        cancelled: whether to stop.
        report: called with a `Checked` now and then.
    """

    hierarchy: Any
    path: str
    cancelled: Callable[[], bool]
    report: Callable[[Checked], object]
    _found: list[Finding] = field(default_factory=list)
    _array: str = ""
    _done: int = 0
    _total: int = 0
    _arrays: int = 0
    _chunks_before: int = 0
    _reported_s: float = field(default_factory=time.monotonic)

    def run(self) -> Checked:
        """Check everything; returns what is not reported yet.

        Raises:
            Cancelled: it was cancelled.
            NodeNotFoundError: the node was deleted.
            StoreError: the store failed before there was anything to check.
        """
        from zarrcore.operations import check  # late: for a fast start

        for finding in check.check(
            self.hierarchy, self.path, examples=EXAMPLES, name_missing=True, progress=self._progress
        ):
            self._found.append(finding)
            self._report_soon()
        return self._take()

    def _progress(self, path: str, done: int, total: int) -> None:
        if path != self._array:
            self._arrays += 1
            self._chunks_before += self._done
        self._array, self._done, self._total = path, done, total
        self._report_soon()

    def _report_soon(self) -> None:
        if self.cancelled():
            raise Cancelled
        if time.monotonic() - self._reported_s > _REPORT_S:
            self.report(self._take())

    def _take(self) -> Checked:
        found, self._found, self._reported_s = tuple(self._found), [], time.monotonic()
        return Checked(
            found, self._array, self._done, self._total, self._arrays, self._chunks_before + self._done
        )


@dataclass(slots=True)
class Tallies:
    """The numbers of a check so far."""

    severities: Counter[str] = field(default_factory=Counter)
    kinds: Counter[Kind] = field(default_factory=Counter)
    arrays: int = 0
    chunks: int = 0

    def add(self, checked: Checked) -> None:
        """Count what was found."""
        self.arrays, self.chunks = checked.arrays, checked.chunks
        for finding in checked.findings:
            self.kinds[kind_of(finding)] += finding.count
            self.severities[finding.severity] += finding.count

    @property
    def summary(self) -> str:
        """One line of text."""
        found = [
            count(self.severities[name], name)
            for name in ("error", "warning", "note")
            if self.severities[name]
        ]
        looked = f"{count(self.chunks, 'stored chunk')} of {count(self.arrays, 'array')}"
        return f"{', '.join(found) or 'nothing wrong'}  ·  {looked}"
