"""What the runs of a suite did so far, kept in a file."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.proofs.suite import Finding

_FINDINGS_MAX = 200


@dataclass
class State:
    """Figures of one suite, over all runs that were resumed.

    Args:
        suite: its name.
        seed: the first seed that was not tried yet.
        trials: how many were run.
        units: what they did, in the suite's unit.
        seconds: how long they took.
        findings: the trials that failed; the first 200.
    """

    suite: str
    seed: int = 0
    trials: int = 0
    units: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    def add(self, seed: int, result: int | Finding) -> None:
        """Count a trial. Several processes may end theirs out of order."""
        self.seed = max(self.seed, seed + 1)
        self.trials += 1
        if isinstance(result, Finding):
            if len(self.findings) < _FINDINGS_MAX:
                self.findings.append(result)
        else:
            self.units += result

    def save(self, path: Path) -> None:
        """Write the file as a whole, so that a run that is killed leaves a state to resume."""
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps(asdict(self), indent=2) + "\n")
        os.replace(new, path)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the file.

        Raises:
            OSError: it does not exist or cannot be read.
            ValueError: it is something else.
        """
        document: dict[str, Any] = json.loads(path.read_text())
        try:
            findings = [Finding(**finding) for finding in document.pop("findings")]
            return cls(**document, findings=findings)
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is not the state of a suite") from error
