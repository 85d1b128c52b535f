"""Checks of the keys below an array."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.io import netcdf_file

import zarrcore as zc
from tests.core.operations.check.findings import findings, kinds
from zarrcore.stores import StatisticsStore
from zarrcore.stores.local.atomic_files import temporary_name


def test_missing_chunks_give_a_note(root: Path) -> None:
    (root / "a/c/0/0").unlink()
    (root / "a/c/3/2").unlink()
    (found,) = findings(root)
    assert (found.severity, found.what, found.count) == ("note", "missing-chunks", 2)
    assert "2 of 12" in found.sentence


def test_keys_that_are_not_chunks_are_reported(root: Path) -> None:
    for key in ("a/c/4/0", "a/c/00/1", "a/notes.txt", "a/c/0/1.4f3a.partial", "b.txt", "more/x"):
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        (root / key).write_bytes(b"x")
    found = {(finding.what, finding.key) for finding in findings(root, decode=False)}
    assert ("outside-the-grid", "a/c/4/0") in found
    assert ("stray-key", "a/notes.txt") in found
    assert ("stray-key", "a/c/00/1") in found
    assert ("temporary-key", "a/c/0/1.4f3a.partial") in found
    assert ("stray-key", "b.txt") in found


def test_chunks_left_by_shrinking(root: Path) -> None:
    document = json.loads((root / "a/zarr.json").read_text())
    (root / "a/zarr.json").write_text(json.dumps({**document, "shape": [3, 10]}))
    assert kinds(root) == {("warning", "outside-the-grid", "/a")}


def test_files_of_our_own_interrupted_writers_are_reported(root: Path) -> None:
    name = temporary_name()
    (root / "a/c" / name).write_bytes(b"half")
    (found,) = findings(root)
    assert (found.what, found.key) == ("temporary-key", f"a/c/{name}")


def test_missing_chunks_are_named_up_to_a_number(root: Path) -> None:
    for key in ("a/c/0/0", "a/c/1/2", "a/c/3/2"):
        (root / key).unlink()
    found = findings(root, name_missing=True, examples=2)
    assert [(one.what, one.index, one.key) for one in found] == [
        ("missing-chunk", (0, 0), "a/c/0/0"),
        ("missing-chunk", (1, 2), "a/c/1/2"),
        ("missing-chunks", None, ""),
    ]
    assert found[-1].count == 1
    assert "3 of 12 chunks are missing" in found[-1].sentence
    assert [one.what for one in findings(root, name_missing=True)] == ["missing-chunk"] * 3


def test_a_store_that_counts_its_requests_hides_no_leftovers(root: Path) -> None:
    name = temporary_name()
    (root / "a/c" / name).write_bytes(b"half")
    (found,) = findings(StatisticsStore(zc.open_store(root)))
    assert (found.what, found.key) == ("temporary-key", f"a/c/{name}")


def test_chunks_beyond_the_end_of_a_file_are_not_missing(tmp_path: Path) -> None:
    with netcdf_file(tmp_path / "cut.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 100)
        file.createVariable("v", "i", ("time", "x"))[:] = np.ones((50, 100))
    whole = (tmp_path / "cut.nc").read_bytes()
    (tmp_path / "cut.nc").write_bytes(whole[: -20 * 400])
    (found,) = zc.check(tmp_path / "cut.nc")
    assert (found.severity, found.what, found.count) == ("error", "beyond-the-end", 20)
    assert found.sentence == "20 of 50 chunks lie beyond the end of the file, and cannot be read"
    with pytest.raises(zc.StoreError, match="ends at byte"):
        zc.open_array(tmp_path / "cut.nc", path="v")[45]
