"""Comparisons of two checkouts (python -m tests.benchmarks --compare BASE), processes of libraries, published tables."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks import comparison, mount
from tests.benchmarks.own_process import OwnProcess
from tests.benchmarks.publication import PAGES, incomplete, publish, ratios, tables
from tests.benchmarks.results import Result
from tests.benchmarks.workloads import WORKLOADS

ROW = ("w1", "whole", "an array")


class Machine:
    """A machine on which the times of one program differ by chance, often by a quarter and seldom by far more."""

    def __init__(self, seed: int, speeds: Mapping[Path, float]) -> None:
        self._choice = np.random.default_rng(seed)
        self._speeds = speeds
        self.rounds = 0

    def seconds(self, where: Path, *_: object) -> dict[comparison.Row, float]:
        self.rounds += 1
        noise = self._choice.lognormal(0, 0.2) * (5 if self._choice.random() < 0.05 else 1)
        return {ROW: float(noise / self._speeds[where])}


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """Something that looks like another checkout."""
    (tmp_path / "core" / "zarrcore").mkdir(parents=True)
    return tmp_path


def said(
    before: Path, monkeypatch: pytest.MonkeyPatch, speed: float, report: Path | None = None, seed: int = 0
) -> tuple[int, Machine]:
    """The exit status for a zarrscope that is as fast as before, or slower."""
    machine = Machine(seed, {before: 1.0, comparison.ROOT: speed})
    monkeypatch.setattr(comparison, "seconds", machine.seconds)
    return comparison.main(str(before), [("w1", "whole")], before, None, report), machine


def test_noise_is_no_regression(before: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = [said(before, monkeypatch, 1.0, seed=seed)[0] for seed in range(300)]
    assert sum(statuses) <= 3, "a confidence of 98 % leaves 1 % on this side"


def test_a_slower_program_is_found_in_noise(
    before: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    statuses = [said(before, monkeypatch, 0.6, seed=seed)[0] for seed in range(100)]
    assert sum(statuses) >= 95
    assert "SLOWER" in capsys.readouterr().out


def test_a_clear_result_needs_few_rounds(
    before: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    status, machine = said(before, monkeypatch, 4.0, report)
    assert (status, machine.rounds) == (0, 2 * comparison.FEWEST)
    (row,) = json.loads(report.read_text())["results"]
    assert row["median"] == pytest.approx(4, rel=0.5)
    assert len(row["ratios"]) == comparison.FEWEST
    assert row["is_slower"] is False


@pytest.mark.parametrize(("speed", "status"), [(0.6, 1), (4.0, 0)])
def test_an_earlier_run_is_a_base(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    speed: float,
    status: int,
) -> None:
    earlier = tmp_path / "earlier.json"
    workload, what, describes = ROW
    result = Result(workload, describes, what, 1 << 20, {"zarrscope": [1.0, 0.5, 2.0]})
    earlier.write_text(json.dumps({"machine": {}, "results": [result.document()]}))
    machine = Machine(0, {comparison.ROOT: speed})
    monkeypatch.setattr(comparison, "seconds", machine.seconds)
    parts = [("w1", "whole")]
    assert comparison.main(str(earlier), parts, tmp_path, None, None) == status
    assert ("SLOWER" in capsys.readouterr().out) == bool(status)
    for wrong in ("[]", "{", '{"results": [{}]}'):
        earlier.write_text(wrong)
        with pytest.raises(SystemExit, match="not measurements that --json wrote"):
            comparison.main(str(earlier), parts, tmp_path, None, None)


def test_a_commit_is_checked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "repository"
    (repository / "core").mkdir(parents=True)
    (repository / "core" / "file").write_text("before")
    (repository / "packaging").mkdir()
    (repository / "packaging" / "build_engine.py").write_text(
        "import pathlib; pathlib.Path(__file__).parents[1].joinpath('engine').touch()"
    )
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "--message", "one"]):
        subprocess.run(["git", *command], cwd=repository, check=True)
    (repository / "core" / "file").write_text("now")
    monkeypatch.setattr(comparison, "ROOT", repository)
    with comparison.checkout("HEAD") as folder:
        assert (folder / "core" / "file").read_text() == "before"
        assert (folder / "engine").exists(), "a base without its engine would seem too slow"
    assert not folder.exists()
    with (
        pytest.raises(SystemExit, match="neither a checkout of zarrscope nor a commit"),
        comparison.checkout("none"),
    ):
        pass


def measured(workload: str, what: str) -> Result:
    return Result(
        workload, "an array", what, 1 << 20, {"zarrscope": [0.5, 0.5, 1.0], "peer": [1.0, 1.0, 1.0]}
    )


def test_a_table_is_published_in_its_place(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "before\n<!-- figures: arrays -->\nold\n<!-- end of figures -->\nbetween\n"
        "<!-- figures: arrays_ratios -->\n<!-- end of figures -->\n"
        "<!-- figures: mount -->\nstays\n<!-- end of figures -->\n"
    )
    texts = tables([measured("w1", "whole"), measured("w1", "plane")])
    assert publish(texts, tmp_path) == [page]
    written = page.read_text()
    assert "| w1 an array | whole | 2 MiB/s | 1 MiB/s | 2.00 (1.00–2.00) |" in written
    assert "| w1 an array | plane | 500.0 ms | 1,000.0 ms | 2.00 (1.00–2.00) |" in written
    assert "medians of 3 rounds" in written
    assert "old" not in written
    assert written.startswith("before\n<!-- figures: arrays -->\n")
    assert "<!-- end of figures -->\nbetween\n<!-- figures: arrays_ratios -->\n" in written
    assert "|  | whole | plane |\n| --- | --- | --- |\n| w1 an array | 2.00 | 2.00 |" in written
    assert "<!-- figures: mount -->\nstays\n" in written
    publish(tables([measured("w2", "whole")]), tmp_path)
    assert "w1" not in page.read_text()
    with pytest.raises(LookupError, match="figures of window, window_ratios"):
        publish(tables([measured("window", "whole")]), tmp_path)


def test_ratios_of_arrays_leave_out_what_only_some_have() -> None:
    assert ratios([measured("w1", "whole"), measured("w1", "points"), measured("w2", "whole")]) == (
        "|  | whole |\n| --- | --- |\n| w1 an array | 2.00 |\n| w2 an array | 2.00 |"
    )
    named = dataclasses.replace(measured("mount", "read"), against="peer", describes="keys/")
    assert ratios([named]) == "|  | × |\n| --- | --- |\n| keys/ (peer) | 2.00 |"


def test_a_result_is_compared_with_the_peer_that_it_names() -> None:
    result = Result(
        "mount", "many", "readers", 1 << 20, {"zarrscope": [1.0], "one reader": [0.5], "fast": [0.1]}
    )
    assert (result.best_peer(), result.ratio()) == ("fast", "0.10 (0.10–0.10)")
    result = dataclasses.replace(result, against="one reader")
    assert (result.best_peer(), result.ratio()) == ("one reader", "0.50 (0.50–0.50) × one reader")
    result = dataclasses.replace(result, seconds={"zarrscope": [1.0]})
    assert (result.best_peer(), result.ratio()) == (None, "–")


def test_a_part_of_the_mounts_is_not_published() -> None:
    kinds = (*mount.KINDS, *mount.LONG_KINDS)
    assert incomplete([measured("mount", kind) for kind in kinds]) == ""
    assert incomplete([measured("mount", kind) for kind in kinds[1:]]) == f"mount {kinds[0]}"


def test_every_kind_of_the_mount_has_a_task() -> None:
    assert {task.what for task in mount.tasks()} | {"idle"} == {*mount.KINDS, *mount.LONG_KINDS}


def test_a_part_of_the_arrays_is_not_published() -> None:
    rows = [(workload.name, kind) for workload in WORKLOADS for kind in workload.kinds]
    assert incomplete([measured(*row) for row in rows]) == ""
    assert incomplete([measured(*row) for row in rows[1:]]) == " ".join(rows[0])
    assert incomplete([measured("mount", "whole")]) == ""


def test_a_library_has_one_process_for_all_its_rounds() -> None:
    with OwnProcess() as process, OwnProcess() as other:
        process.begin(os.getpid)
        mine, others = process.result(), other.run(os.getpid)
        assert len({os.getpid(), mine, others}) == 3
        assert process.run(os.getpid) == mine
        with pytest.raises(SystemExit, match="a process ended with status 7"):
            process.run(os._exit, 7)
        assert not process.is_alive
        assert other.is_alive


@pytest.mark.parametrize("group", ["arrays", "mount"])
def test_the_documentation_has_a_place_for_the_figures(group: str) -> None:
    assert f"<!-- figures: {group} -->" in (PAGES / "records" / "benchmarks.md").read_text()
    assert f"<!-- figures: {group}_ratios -->" in (PAGES / "performance.md").read_text()
