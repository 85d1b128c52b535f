"""A finding about the installation, and the interface of the parts that report findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class State(StrEnum):
    """How serious a finding is."""

    OK = "ok"
    NOTE = "note"
    """Something optional is missing."""
    FAULT = "fault"
    """Something does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a diagnosis."""

    area: str
    """The part that it is about, such as ``mount``."""
    state: State
    text: str
    """What was found. It never contains a secret."""
    remedy: str = ""
    """What to do; empty if nothing needs to be done."""


class Reporter(Protocol):
    """A part that reports on itself."""

    def versions(self) -> dict[str, str]:
        """Versions of what the part is built on, by name, without starting anything."""

    def findings(self) -> Iterable[Finding]:
        """What works and what does not. May start processes, but never waits longer than some seconds."""
