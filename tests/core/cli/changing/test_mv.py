"""``zarrscope mv``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server

VALUES = np.arange(12).reshape(3, 4)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("/g/x", shape=(3, 4), dtype="int8", chunks=(2, 2))[...] = VALUES
        made.consolidate()
    return tmp_path / "a.zarr"


def test_a_directory_is_renamed(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("mv", source, "g/x", "h/y")
    assert (outcome.status, outcome.text) == (0, "/g/x was renamed: /h/y\n")
    believed = zc.open_hierarchy(source, believe_consolidated=True)
    assert np.array_equal(believed["h/y"][...], VALUES)
    assert sorted(node.path for node in believed.walk()) == ["/", "/g", "/h", "/h/y"]
    assert zarrscope("check", source, "--strict").status == 0


def test_a_zip_file_copies(source: Path, tmp_path: Path, zarrscope: Run) -> None:
    zarrscope("copy", source, tmp_path / "a.zip", "--quiet")
    outcome = zarrscope("mv", tmp_path / "a.zip", "g", "h", "--json")
    assert json.loads(outcome.text) == {"path": "/h", "old_path": "/g", "is_renamed": False}
    assert np.array_equal(zc.open_hierarchy(tmp_path / "a.zip")["h/x"][...], VALUES)
    assert zarrscope("check", tmp_path / "a.zip", "--strict").status == 0


def test_a_bucket_copies(source: Path, zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    s3.upload(source, "bucket/moved.zarr")
    outcome = zarrscope("mv", "s3://bucket/moved.zarr", "g", "h")
    assert (outcome.status, outcome.text) == (0, "/g was copied, compared and erased at its old place: /h\n")
    assert zarrscope("find", "s3://bucket/moved.zarr").text == "/\n/h\n/h/x\n"
    assert zarrscope("check", "s3://bucket/moved.zarr", "--strict").status == 0
    assert zarrscope("diff", f"{source}#/g", "s3://bucket/moved.zarr#/h").status == 0


def test_a_dry_run_checks_and_moves_nothing(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("mv", source, "g", "h", "--dry-run")
    assert (outcome.status, outcome.text) == (0, "/g could be moved: /h\n")
    assert zarrscope("mv", source, "g", "g/h", "--dry-run").status == 2
    assert zarrscope("mv", source, "g", "g/x", "--dry-run").status == 2
    assert zarrscope("mv", source, "no", "h", "--dry-run").status == 1
    assert "/g/x" in zc.open_hierarchy(source)


def test_paths_are_below_the_one_in_the_source(source: Path, zarrscope: Run) -> None:
    assert zarrscope("mv", f"{source}#/g", "x", "y").status == 0
    assert "/g/y" in zc.open_hierarchy(source)
