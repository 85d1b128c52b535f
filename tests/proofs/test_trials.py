"""The runner finds what trials do wrong, and goes on after it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from tests.proofs import __main__ as command
from tests.proofs.state import State
from tests.proofs.suite import Suite
from tests.proofs.trials_that_fail import KINDS

SUITE = Suite(
    "failing", "trials that fail", "trials_that_fail", "things", 100, limit_s=3, limit_nbytes=300 << 20
)


@pytest.fixture
def prove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the state of a suite of trials that fail, which is the only one."""
    monkeypatch.setattr(command, "SUITES", {SUITE.name: SUITE})
    return tmp_path


def run(place: Path, *words: str) -> tuple[int, State]:
    status = command.main([SUITE.name, *words], place)
    return status, State.load(place / "failing.json")


def test_each_kind_of_failure_is_found_and_the_next_trial_runs(
    prove: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, state = run(prove, "--runs", "7", "--processes", "2")
    assert status == 1
    assert {finding.seed: finding.kind for finding in state.findings} == dict(list(enumerate(KINDS))[1:])
    assert (state.trials, state.units, state.seed) == (7, 20, 7)
    told = capsys.readouterr().err
    assert "packaging/prove failing --seed 3 --runs 1" in told
    texts = {finding.kind: finding.text for finding in state.findings}
    assert "SIGABRT" in texts["crash"]
    assert "trials_that_fail.py" in texts["hang"], "the stack of a trial that hangs"


def test_a_run_is_resumed(prove: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(prove, "--runs", "1")[0] == 0
    status, state = run(prove, "--runs", "1", "--resume", "--json")
    assert status == 1
    assert (state.trials, state.units, [finding.seed for finding in state.findings]) == (2, 10, [1])
    assert json.loads(capsys.readouterr().out)[0]["findings"][0]["kind"] == "ValueError"
    status, state = run(prove, "--runs", "1", "--seed", "6")
    assert (status, state.trials, state.findings) == (0, 1, []), "a run that is not resumed begins anew"


def test_the_time_ends_a_run(prove: Path) -> None:
    _, state = run(prove, "--seed", "0", "--hours", "0.0001", "--runs", "1000")
    assert state.trials < 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["absent"], "no suite named 'absent'; there are failing"),
        ([], "name a suite"),
        (["failing", "--hours", "-1"], "need a number above 0"),
    ],
)
def test_wrong_arguments_get_one_line(
    words: list[str], message: str, prove: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command.main(words, prove)
    assert message in capsys.readouterr().err


def test_a_suite_whose_program_is_absent_is_not_run(
    prove: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = dataclasses.replace(SUITE, needs="no-such-program")
    monkeypatch.setattr(command, "SUITES", {SUITE.name: absent})
    assert command.main([SUITE.name], prove) == 0
    assert capsys.readouterr().err == "failing: not run: no-such-program is not on the PATH\n"
    assert list(prove.iterdir()) == []


def test_a_suite_that_lasts_gets_the_seconds(prove: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lasting = dataclasses.replace(SUITE, lasts=True, limit_s=60)
    monkeypatch.setattr(command, "SUITES", {SUITE.name: lasting})
    status, state = run(prove, "--hours", "0.01")
    assert (status, state.trials, state.units) == (0, 1, 36)


def test_a_broken_state_is_not_lost(prove: Path) -> None:
    (prove / "failing.json").write_text('{"suite": 3}')
    with pytest.raises(SystemExit, match=r"failing\.json is not the state of a suite; remove it"):
        run(prove, "--resume")
    assert (prove / "failing.json").read_text() == '{"suite": 3}'
