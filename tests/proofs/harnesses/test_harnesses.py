"""How the output of other projects' programs is read, and short runs of those that are on the PATH."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.proofs.harnesses import fsstress, fsx, pjdfstest, xfstests
from tests.proofs.harnesses.pjdfstest import (
    BY_THE_CLOCK,
    LIST,
    REASONS,
    Failure,
    expected_failures,
    failures_in,
    listed,
)

SEMANTICS = Path(__file__).parents[3] / "zfs" / "SEMANTICS.md"
OUTPUT = """\
1..6
ok 1
not ok 2 - tried 'symlink a b', expected 0, got EPERM
not ok 3 - tried 'lstat b type', expected symlink, got ENOENT
not ok 4 - tried '-u 65534 -g 65534 unlink a', expected 0, got EACCES
not ok 5 - tried 'stat a mode', expected 0600, got 0644
not ok 6
"""


def test_failures_have_a_reason() -> None:
    reasons = ["kinds", "follows", "access", "owners", "times"]
    results = ["EPERM", "ENOENT", "EACCES", "-", "-"]
    assert failures_in("x/00.t", OUTPUT) == (
        6,
        [
            Failure("x/00.t", number, *pair)
            for number, pair in enumerate(zip(results, reasons, strict=True), 2)
        ],
    )


@pytest.mark.parametrize("output", ["1..6\nok 1\n", "ok 1\nBail out!\n"])
def test_a_test_that_ends_early_fails(output: str) -> None:
    assert failures_in("x/00.t", output) == (1, [Failure("x/00.t", 2, "-", "ended")])


def test_the_list_is_written_as_it_is_read() -> None:
    found = {kind: expected_failures(kind) for kind in fsx.KEYS_KINDS}
    assert all(len(failures) > 1000 for failures in found.values())
    assert listed(found) == LIST.read_text()
    assert {failure.reason for failure in set().union(*found.values())} <= REASONS.keys()


def test_results_of_xfstests_are_those_of_the_kind_of_store() -> None:
    plain, other = xfstests.expected_results("local"), xfstests.expected_results("sqlite")
    assert plain.keys() == other.keys()
    assert {name for name in plain if plain[name] != other[name]} == {"generic/080", "generic/215"}
    assert {result.split()[0] for result in other.values()} == {"passes", "not", "S32"}


def test_reasons_quote_the_paragraph() -> None:
    paragraphs = dict(
        re.findall(r"^\*\*(S\d+)\.\*\* (.*?)(?=^\*\*S|\Z)", SEMANTICS.read_text(), re.MULTILINE | re.DOTALL)
    )
    for reason in (*REASONS.values(), *BY_THE_CLOCK.values()):
        for number, quotation in re.findall(r'(S\d+): "([^"]*)"', reason):
            assert quotation in " ".join(paragraphs[number].split()), reason


@pytest.mark.skipif(not shutil.which("fsx"), reason="fsx is not on the PATH")
@pytest.mark.parametrize("seed", [0, 4], ids=["a key", "arrays"])
def test_fsx(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fsx, "OPERATIONS", 100)
    monkeypatch.setattr(fsx, "RUNS", 1)
    assert fsx.trial(seed) > 0


@pytest.mark.skipif(not shutil.which("fsstress"), reason="fsstress is not on the PATH")
def test_fsstress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fsstress, "OPERATIONS", 100)
    assert fsstress.trial(0) > 0


@pytest.mark.skipif(not shutil.which("pjdfstest"), reason="pjdfstest is not on the PATH")
def test_pjdfstest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pjdfstest, "all_names", lambda: ["mkdir/00.t", "mkdir/01.t"])
    assert pjdfstest.trial(0) > 0
