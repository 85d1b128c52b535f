"""Findings, and how many of them are reported."""

from __future__ import annotations

from pathlib import Path

from tests.core.operations.check.findings import findings


def test_many_stray_keys_make_few_findings(root: Path) -> None:
    for number in range(50):
        (root / f"a/stray{number}").write_bytes(b"")
    found = findings(root, decode=False)
    assert len(found) == 11
    assert found[-1].count == 40
    assert sum(finding.count for finding in found) == 50
