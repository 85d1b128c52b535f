"""What a check has to tell, one sentence at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]
"""An error: data that cannot be had. A warning: something that another reader, or a later one, may stumble over.
A note: worth knowing, and perhaps intended."""

_SHOWN = 10

Progress = Callable[[str, int, int], None]
"""Called with an array's path, how many of its chunks are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check has found."""

    severity: Severity
    """How grave it is."""
    what: str
    """Its kind, in words that do not change: ``broken-chunk``, ``stray-key``, …"""
    path: str
    """The node that it concerns."""
    sentence: str
    """What was found, for a person."""
    key: str = ""
    """The key at fault, where it is one."""
    count: int = 1
    """How many there are of it, where the finding stands for several."""

    def document(self) -> dict[str, Any]:
        """As it stands in a report for programs."""
        return {
            "severity": self.severity,
            "what": self.what,
            "path": self.path,
            "key": self.key or None,
            "count": self.count,
            "sentence": self.sentence,
        }


class Tally:
    """Lets the first findings of each kind pass and counts the others: a million stray keys make no million lines.

    >>> tally = Tally("/")
    >>> kept = [tally.passes(Finding("note", "stray-key", "/", "it is no chunk", str(n))) for n in range(12)]
    >>> kept.count(True), [finding.count for finding in tally.rest()]
    (10, [2])
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._counts: Counter[tuple[Severity, str]] = Counter()

    def passes(self, finding: Finding) -> bool:
        """Whether to tell ``finding``; if not it is counted."""
        kind = (finding.severity, finding.what)
        self._counts[kind] += 1
        return self._counts[kind] <= _SHOWN

    def rest(self) -> Iterator[Finding]:
        """A finding for each kind of which not all were told."""
        for (severity, what), count in self._counts.items():
            if more := max(0, count - _SHOWN):
                yield Finding(severity, what, self._path, f"and {more:,} more like these", count=more)
