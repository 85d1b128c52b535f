"""``zarrscope doctor``: what works on this machine, what does not, and what to do about it."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final

from zarrcore.cli.text import console, printable

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.diagnosis import Finding

_MARKS: Final = {"ok": ("✓", "green"), "note": ("–", "yellow"), "fault": ("✗", "red bold")}
_AREA_WIDTH: Final = 16


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "doctor",
        help="check this installation: mount, window, optional dependencies, credentials, disk",
        description="Check this installation, and say what to do about each problem. Contacts no server. "
        "The exit status is 1 if something does not work; a missing optional dependency does not count.",
        examples=(
            "doctor",
            "doctor --json",
            "doctor --cache-dir cache",
        ),
    )
    parser.add_argument("--cache-dir", metavar="DIR", help="also check this directory for a cache")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def _json(finding: Finding) -> dict[str, str | None]:
    return {
        "area": finding.area,
        "state": finding.state,
        "sentence": finding.text,
        "remedy": finding.remedy or None,
    }


def run(namespace: argparse.Namespace) -> int:
    """Print versions and findings."""
    from zarrcore.diagnosis import State, all_findings, all_versions

    versions, findings = all_versions(), all_findings(namespace.cache_dir)
    if namespace.json:
        found = list(findings)
        print(json.dumps({"versions": versions, "findings": [_json(finding) for finding in found]}, indent=2))
        return int(any(finding.state is State.FAULT for finding in found))
    screen = console()
    print(", ".join(f"{name} {number}" for name, number in versions.items()))
    has_fault = False
    for finding in findings:
        mark, style = _MARKS[finding.state]
        has_fault |= finding.state is State.FAULT
        screen.print(mark, style=style, end=" ")
        screen.print(f"{finding.area:<{_AREA_WIDTH}} {printable(finding.text)}", markup=False)
        if finding.remedy:
            screen.print(f"{'':<{_AREA_WIDTH + 2}} → {printable(finding.remedy)}", markup=False)
    return int(has_fault)
