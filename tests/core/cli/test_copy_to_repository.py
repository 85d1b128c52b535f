"""``zarrscope copy --to icechunk``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import icechunk
import numpy as np
import pytest
import zarr

from tests.core.cli.arrays import NUMBERS
from tests.core.stores.icechunk.repositories import values_of, write
from tests.servers import S3Server
from zarrcore.operations.copy.transfer import ChunkTransfer


def test_a_copy_is_one_commit(hierarchy: Path, tmp_path: Path, zarrscope: Callable[..., Any]) -> None:
    repo = tmp_path / "repo"
    told = json.loads(
        zarrscope("copy", hierarchy, repo, "--to", "icechunk", "--message", "all", "--json").text
    )
    storage = icechunk.local_filesystem_storage(str(repo))
    values = values_of(storage, branch="main")
    np.testing.assert_array_equal(values["/images/stack"], NUMBERS)
    np.testing.assert_array_equal(values["/line"], NUMBERS[0, 0])
    log = [*icechunk.Repository.open(storage).ancestry(branch="main")]
    assert [(one.id, one.message) for one in log[:-1]] == [(told["snapshot_id"], "all")]
    assert "existing data" in zarrscope("copy", hierarchy, repo, "--to", "icechunk").stderr
    outcome = zarrscope(
        "copy", f"{hierarchy}#/images", repo, "--to", "icechunk", "--overwrite", "--chunks=-1,-1,8"
    )
    assert outcome.status == 0
    np.testing.assert_array_equal(values_of(storage, branch="main")["/stack"], NUMBERS)
    assert values_of(storage, snapshot_id=told["snapshot_id"]).keys() == values.keys()


def test_a_copy_to_a_bucket(hierarchy: Path, s3: S3Server, zarrscope: Callable[..., Any]) -> None:
    place = "s3://bucket/copied/repo"
    assert zarrscope("copy", hierarchy, place, "--to", "icechunk", *s3.arguments).status == 0
    assert "one commit" not in zarrscope("log", place, *s3.arguments).text
    outcome = zarrscope("check", place, *s3.arguments)
    assert outcome.status == 0


@pytest.mark.parametrize("error", [OSError("no"), KeyboardInterrupt()], ids=["failed", "interrupted"])
def test_a_copy_that_does_not_finish_leaves_the_branch_as_it_was(
    error: BaseException,
    hierarchy: Path,
    tmp_path: Path,
    zarrscope: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = write(tmp_path / "repo")

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(ChunkTransfer, "_copy", fail)
        outcome = zarrscope("copy", hierarchy, written.path, "--to", "icechunk", "--overwrite")
    assert outcome.status in (1, 130)
    assert outcome.status == 1 or "nothing was committed" in outcome.stderr
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(written.path)))
    assert repository.lookup_branch("main") == written.second
    assert zarrscope("copy", hierarchy, written.path, "--to", "icechunk", "--overwrite").status == 0


def test_the_branch_is_chosen_and_others_stay(
    hierarchy: Path, tmp_path: Path, zarrscope: Callable[..., Any]
) -> None:
    written = write(tmp_path / "repo")
    command = ("copy", hierarchy, f"{written.path}?branch=side", "--to", "icechunk", "--overwrite")
    assert zarrscope(*command).status == 0
    storage = icechunk.local_filesystem_storage(str(written.path))
    assert "/line" in values_of(storage, branch="side")
    assert "/line" not in values_of(storage, branch="main")
    assert zarrscope(*command, "--branch", "no").status == 0
    assert zarr.open_group(icechunk.Repository.open(storage).readonly_session("side").store, mode="r")


def test_options_that_do_not_fit_are_refused(
    hierarchy: Path, tmp_path: Path, zarrscope: Callable[..., Any]
) -> None:
    for words, what in (
        (["--message", "x"], "add --to icechunk"),
        (["--to", "icechunk", "--scheduler", "tcp://127.0.0.1:1"], "omit --scheduler"),
    ):
        outcome = zarrscope("copy", hierarchy, tmp_path / "repo", *words)
        assert outcome.status == 2
        assert what in outcome.stderr
    outcome = zarrscope("copy", hierarchy, f"{tmp_path}/repo?tag=v1", "--to", "icechunk")
    assert "name a branch" in outcome.stderr


@pytest.mark.parametrize("name", ["sqlite://w.db", "lmdb://w", "zip://w.zip", "w.zip", "W.OZX"])
def test_a_repository_that_cannot_be_there_leaves_no_file(
    hierarchy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zarrscope: Callable[..., Any], name: str
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    failed = zarrscope("copy", hierarchy, name, "--to", "icechunk")
    assert failed.stderr.startswith(f"zarrscope: {name}: an Icechunk repository cannot be in a database")
    assert failed.status == 2
    assert [*Path().iterdir()] == []
    folder = Path("w.zip")
    folder.mkdir()
    assert zarrscope("copy", hierarchy, folder, "--to", "icechunk").status == 0
