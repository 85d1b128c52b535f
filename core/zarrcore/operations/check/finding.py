"""Findings of a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "advice", "note"]
"""An error: data that cannot be read. A warning: something that other readers, now or later, may misread.
Advice: what would make the data cheaper to read. A note: worth knowing, and possibly intended."""

EXAMPLES = 10
"""How many findings of each kind of an array are reported one by one."""

UNLISTED = (
    "the store cannot be listed: only documents and the keys of chunks were checked; other keys are unknown"
)
"""The sentence of a note."""

Progress = Callable[[str, int, int], None]
"""Called with an array's path, the number of its chunks that are done, and the number of all its chunks."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a check."""

    severity: Severity
    """Its severity."""
    what: str
    """Its kind, a stable identifier: ``broken-chunk``, ``stray-key``, …"""
    path: str
    """The node that it concerns."""
    sentence: str
    """What was found, for a person."""
    key: str = ""
    """The key at fault, if there is one."""
    count: int = 1
    """The number of occurrences, if the finding stands for several."""
    index: tuple[int, ...] | None = None
    """The place in the grid of the chunk at fault, if there is one."""

    def document(self) -> dict[str, Any]:
        """Its form in a report for programs."""
        return {
            "severity": self.severity,
            "what": self.what,
            "path": self.path,
            "key": self.key or None,
            "count": self.count,
            "sentence": self.sentence,
        }


class Tally:
    """Passes the first findings of each kind and counts the others, so that a million stray keys do not make a million lines.

    >>> tally = Tally("/")
    >>> kept = [tally.passes(Finding("note", "stray-key", "/", "it is not a chunk", str(n))) for n in range(12)]
    >>> kept.count(True), [finding.count for finding in tally.rest()]
    (10, [2])
    """

    def __init__(self, path: str, examples: int = EXAMPLES) -> None:
        self._path, self._examples = path, examples
        self._counts: Counter[tuple[Severity, str]] = Counter()

    def passes(self, finding: Finding) -> bool:
        """Whether to report ``finding``; otherwise it is counted."""
        kind = (finding.severity, finding.what)
        self._counts[kind] += 1
        return self._counts[kind] <= self._examples

    def rest(self) -> Iterator[Finding]:
        """A finding for each kind that was not reported in full."""
        for (severity, what), count in self._counts.items():
            if more := max(0, count - self._examples):
                yield Finding(severity, what, self._path, f"and {more:,} more like these", count=more)
