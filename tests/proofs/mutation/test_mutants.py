"""The short form of ``packaging/prove mutation-…``, and the mutants themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.proofs.mutation import campaign
from tests.proofs.mutation.mutants import Mutant, mutants
from tests.proofs.mutation.subjects import SUBJECTS
from tests.proofs.suite import Finding
from tests.proofs.suites import SUITES
from tests.proofs.trials import ROOT, Worker

SOURCE = """
from __future__ import annotations
def last(values: list[int] | None) -> int | None:
    for value, _ in zip(values, values, strict=True):
        if value < 3 and not value:
            break
    return value - 1
"""
CHANGES = {
    "if value <= 3 and not value:",
    "if not value < 3 and not value:",
    "if value < 4 and not value:",
    "if value < 2 and not value:",
    "if value < 3 or not value:",
    "continue",
    "for value, _ in []:",
    "return value + 1",
    "return value - 2",
    "return value - 0",
}


def test_every_change_of_what_a_source_means() -> None:
    found = list(mutants(SOURCE))
    assert {mutant.after for mutant in found} >= CHANGES
    assert not any("def" in mutant.after or "strict=False" in mutant.after for mutant in found)
    for mutant in found:
        changed = mutant.source.splitlines()
        assert changed[mutant.line - 1].strip() == mutant.after != mutant.before
        assert SOURCE.splitlines()[mutant.line - 1].strip() == mutant.before


@pytest.mark.campaign
def test_the_tests_notice_a_mutant() -> None:
    """In a process of its own, which has not imported the packages yet."""
    with Worker(SUITES["mutation-chunk-keys"]) as worker:
        assert worker.run(0) == 1
        assert worker.run(1000) == 0


def test_a_mutant_that_no_test_notices_is_a_finding_unless_it_is_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    survivors = tmp_path / "survivors.json"
    survivors.write_text("{}")
    monkeypatch.setattr(campaign, "SURVIVORS", survivors)
    monkeypatch.setattr(campaign, "_limits_s", lambda _: (1.0, 1.0))
    monkeypatch.setattr(campaign, "_pass", lambda *_: True)
    with pytest.raises(campaign.SurvivorError, match=r"keys\.py:\d+: .* → ") as caught:
        campaign.trial(0, "chunk-keys")
    path, mutant = campaign._all("chunk-keys")[0]
    assert Finding(0, "", str(caught.value)).line().endswith(f"{mutant.before} → {mutant.after}")
    known = {"path": path, "before": mutant.before, "after": mutant.after, "why": "…"}
    survivors.write_text(json.dumps({"chunk-keys": [known]}))
    assert campaign.trial(0, "chunk-keys") == 1


@pytest.mark.parametrize("name", SUBJECTS)
def test_known_survivors_are_still_in_the_sources(name: str) -> None:
    lines = {
        (path, line.strip())
        for path in SUBJECTS[name].sources
        for line in (ROOT / path).read_text().splitlines()
    }
    for known in json.loads(campaign.SURVIVORS.read_text()).get(name, []):
        assert (known["path"], known["before"]) in lines
        assert known["why"]


def test_subjects_exist() -> None:
    for subject in SUBJECTS.values():
        assert all((ROOT / path).exists() for path in (*subject.sources, *subject.tests))
        assert isinstance(next(mutants((ROOT / subject.sources[0]).read_text())), Mutant)
