"""Files that the engine copies."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.core.native.test_job import Directory
from zarrcore.native import NO_FOLDER, OK, Engine, copy_files, engine

_FOUND = engine()

pytestmark = pytest.mark.skipif(_FOUND is None, reason="the engine is not built")


@pytest.fixture
def found() -> Engine:
    assert _FOUND is not None
    return _FOUND


def copied(engine: Engine, here: Path, there: Path, names: list[str], new_names: list[str]) -> list[int]:
    """The statuses of copies of files up to 1,000,000 bytes."""
    source, destination = (Directory(here), False, names), (Directory(there), False, new_names)
    return copy_files(engine, source, destination, max_nbytes=1_000_000, verify=True).tolist()


def test_files_are_copied_as_they_are_and_replace_others(found: Engine, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "deep").mkdir(parents=True)
    (there / "wide").mkdir(parents=True)
    contents = {"a": b"", "ä": b"1", "deep/b": np.random.default_rng(1).bytes(1_000_000)}
    for name, content in contents.items():
        (here / name).write_bytes(content)
    (there / "wide/b").write_bytes(b"old")
    assert copied(found, here, there, [*contents], ["a", "wide/ä", "wide/b"]) == [OK] * 3
    assert {name: (there / name).read_bytes() for name in ("a", "wide/ä", "wide/b")} == dict(
        zip(("a", "wide/ä", "wide/b"), contents.values(), strict=True)
    )
    assert sorted(path.name for path in there.rglob("*")) == ["a", "b", "wide", "ä"], (
        "nothing temporary is left"
    )


def test_everything_else_is_left_alone(found: Engine, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (tmp_path / "secret").write_bytes(b"secret")
    (here / "link").symlink_to(tmp_path / "secret")
    (here / "folder").mkdir()
    (here / "file").write_bytes(b"1")
    (here / "large").write_bytes(bytes(1_000_001))
    os.mkfifo(here / "pipe")
    (there / "taken").mkdir()
    (there / "out").symlink_to(tmp_path)
    names = ["missing", "link", "folder", "pipe", "large", "../secret", "file/below", "", "x" * 5000]
    statuses = copied(found, here, there, names, [f"new{number}" for number in range(len(names))])
    assert OK not in statuses
    new_names = ["taken", "out/x", "../x", "none/x", "y" * 300, "z" * 5000, ""]
    statuses = copied(found, here, there, ["file"] * len(new_names), new_names)
    assert OK not in statuses
    assert statuses[3] == NO_FOLDER
    assert sorted(path.name for path in there.iterdir()) == ["out", "taken"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "secret", "there"]
