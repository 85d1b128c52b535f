"""Completion of typed paths."""

from __future__ import annotations

from pathlib import Path

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
