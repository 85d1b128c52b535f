"""A trial of the programs that look for vulnerabilities: bandit in the code, pip-audit in the packages that are installed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Final

from tests.proofs.trials import ROOT

SOURCES: Final = ("core/zarrcore", "zfs/zarrfs", "browser/zarrbrowser")

ACCEPTED: Final = {
    (
        "core/zarrcore/array/chunks/spill.py",
        "B108",
    ): "a file in the directory for temporary files that never has a name",
    ("core/zarrcore/cli/completion.py", "B604"): "the argument named shell is the name of a shell",
    ("core/zarrcore/formats/parsed_once.py", "B302"): "reads only what the same process wrote to memory",
    ("core/zarrcore/operations/cluster.py", "B301"): "reads only what the same user's scheduler sends",
    ("core/zarrcore/stores/fsspec/failures.py", "B402"): "only names of errors are imported",
}
"""Rules that bandit reports for a file, with the reason why they are accepted."""


class AuditError(AssertionError):
    """A possible vulnerability."""


def trial(seed: int, name: str) -> int:
    """Audit the code or the packages; returns the number of files or packages.

    Raises:
        AuditError: there is a finding.
    """
    if seed:
        return 0
    return _code() if name == "code" else _packages()


def _code() -> int:
    told = _json(("bandit", "--quiet", "-ll", "--format", "json", "--recursive", *SOURCES))
    found = [
        f"{one['filename']}:{one['line_number']}: {one['test_id']} {one['issue_text']}"
        for one in told["results"]
        if (one["filename"], one["test_id"]) not in ACCEPTED
    ]
    if found:
        raise AuditError("\n".join(found))
    return len(told["metrics"]) - 1


def _packages() -> int:
    told = _json(("pip_audit", "--format", "json", "--progress-spinner", "off"))["dependencies"]
    audited = [one for one in told if "vulns" in one]
    if not audited:
        raise AuditError(
            f"the service of advisories knows none of the {len(told)} packages: is it reachable?"
        )
    found = [f"{one['name']} {one['version']}: {one['vulns'][0]['id']}" for one in audited if one["vulns"]]
    if found:
        raise AuditError("\n".join(found))
    return len(audited)


def _json(words: tuple[str, ...]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        raise AuditError(done.stderr or done.stdout) from None
