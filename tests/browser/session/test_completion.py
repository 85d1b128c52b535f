"""Completion of typed paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from zarrbrowser.session.completion import folders_like


def test_paths_are_completed_by_folders_and_zip_files(tmp_path: Path) -> None:
    for name in ("scan_1.zarr", "scan_2.zarr", ".hidden", "other"):
        (tmp_path / name).mkdir()
    for name in ("scan.ozx", "scan.zip", "scan.txt"):
        (tmp_path / name).touch()
    expected = [f"{tmp_path}/{name}" for name in ("scan.ozx", "scan.zip", "scan_1.zarr", "scan_2.zarr")]
    assert folders_like(f"{tmp_path}/sc") == expected
    assert folders_like(f"{tmp_path}/") == [f"{tmp_path}/other", *expected]
    assert folders_like(f"{tmp_path}/.h") == [f"{tmp_path}/.hidden"]
    for nothing in (f"{tmp_path}/none/x", "s3://bucket/x", "", "x\0", "/\0/x"):
        assert folders_like(nothing) == []


def test_completions_begin_with_what_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (".hidden", "scan.zarr", "Ähre.zarr"):
        (tmp_path / name).mkdir()
    assert folders_like("./sc") == ["./scan.zarr"]
    assert folders_like("~/Ä") == ["~/Ähre.zarr"]
    for text in (".", "..", "~", "/", "/t", "./", "sc"):
        assert all(found.startswith(text) for found in folders_like(text))


def test_a_folder_with_very_many_entries_gives_only_some(tmp_path: Path) -> None:
    for number in range(150):
        (tmp_path / f"{number:03}.zip").touch()
    found = folders_like(f"{tmp_path}/")
    assert len(found) == 100
    assert found == sorted(found)


def test_links_that_lead_nowhere_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "nothing")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    assert folders_like(f"{tmp_path}/") == []
