"""What counts as a finding of the programs that look for vulnerabilities."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proofs.packages import audit
from tests.proofs.trials import ROOT


def report(path: str, rule: str) -> dict[str, Any]:
    result = {"filename": path, "line_number": 3, "test_id": rule, "issue_text": "pickle"}
    return {"results": [result], "metrics": {"a.py": {}, "b.py": {}, "_totals": {}}}


def test_only_accepted_reports_of_bandit_are_no_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    path, rule = next(iter(audit.ACCEPTED))
    monkeypatch.setattr(audit, "_json", lambda _: report(path, rule))
    assert audit.trial(0, "code") == 2
    monkeypatch.setattr(audit, "_json", lambda _: report(path, "B999"))
    with pytest.raises(audit.AuditError, match=r"spill\.py:3: B999 pickle"):
        audit.trial(0, "code")


def test_accepted_files_exist() -> None:
    assert all((ROOT / path).exists() for path, _ in audit.ACCEPTED)


def test_a_vulnerable_package_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"name": "a", "version": "1", "vulns": []}
    packages: list[dict[str, Any]] = [known, {"name": "private", "skip_reason": "unknown"}]
    monkeypatch.setattr(audit, "_json", lambda _: {"dependencies": packages})
    assert audit.trial(0, "packages") == 1
    packages.append({"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1"}]})
    with pytest.raises(audit.AuditError, match="b 2: PYSEC-1"):
        audit.trial(0, "packages")
    packages[:] = [{"name": "private", "skip_reason": "unknown"}]
    with pytest.raises(audit.AuditError, match="reachable"):
        audit.trial(0, "packages")
    assert audit.trial(1, "packages") == 0
