"""Diagnosis of disk space."""

from __future__ import annotations

from pathlib import Path

import pytest

from zarrcore.diagnosis import State, disk


def test_a_directory_with_space_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_LEAST", 0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (finding,) = disk.findings(None)
    assert (finding.state, finding.text.endswith(f"are free in {tmp_path}")) == (State.OK, True)


def test_too_little_space_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_LEAST", 1 << 80)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert [finding.state for finding in disk.findings(None)] == [State.FAULT]


def test_a_cache_that_does_not_exist_yet_is_checked_where_it_will_be(tmp_path: Path) -> None:
    finding = list(disk.findings(str(tmp_path / "a" / "b")))[1]
    assert (finding.area, finding.text.endswith(f"are free in {tmp_path}")) == ("cache", True)


def test_a_place_that_cannot_be_written_is_a_fault() -> None:
    finding = list(disk.findings("/proc/self/cache"))[1]
    assert finding.state is State.FAULT
    assert finding.remedy == "name another directory with --cache-dir"
