"""``zarrscope log`` and ``zarrscope diff``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import icechunk
import pytest
import zarr

from tests.command import Run
from tests.core.stores.icechunk.repositories import write


def test_the_log_has_the_snapshots_newest_first(tmp_path: Path, zarrscope: Callable[..., Any]) -> None:
    written = write(tmp_path / "repo")
    lines = zarrscope("log", written.path).text.splitlines()
    assert [line[:20] for line in lines] == [written.second, written.first, "1CECHNKREP0F1RSTCMT0"]
    assert lines[0].endswith("  second")
    assert len(zarrscope("log", written.path, "--limit", "1").text.splitlines()) == 1
    told = [
        json.loads(line) for line in zarrscope("log", f"{written.path}?tag=v1", "--json").text.splitlines()
    ]
    assert [one["message"] for one in told] == ["first", "Repository initialized"]
    assert told[0]["parent_id"] == told[1]["id"]


def test_an_empty_repository_has_a_log_and_other_folders_have_none(
    tmp_path: Path, zarrscope: Callable[..., Any]
) -> None:
    icechunk.Repository.create(icechunk.local_filesystem_storage(str(tmp_path / "repo")))
    assert zarrscope("log", tmp_path / "repo").text.count("\n") == 1
    outcome = zarrscope("log", tmp_path)
    assert outcome.status == 1
    assert "is not an Icechunk repository" in outcome.stderr
    assert zarrscope("log", tmp_path / "repo", "--branch", "no").status == 1


def test_it_shows_nodes_and_numbers_of_chunks(tmp_path: Path, zarrscope: Callable[..., Any]) -> None:
    written = write(tmp_path / "repo")
    outcome = zarrscope("diff", written.path, "v1", "main")
    assert (outcome.status, outcome.text) == (1, "~ /a/b  array, 1 chunk changed\n")
    same = zarrscope("diff", written.path, "v1", "side")
    assert (same.status, same.text) == (0, "")
    told = json.loads(zarrscope("diff", written.path, written.second, "tag:v1", "--json").text)
    assert told == {"added": {}, "deleted": {}, "updated": {}, "changed_chunk_counts": {"/a/b": 1}}


def test_trouble_has_its_own_status(tmp_path: Path, zarrscope: Callable[..., Any]) -> None:
    written = write(tmp_path / "repo")
    outcome = zarrscope("diff", written.path, "v1", "no")
    assert outcome.status == 2
    assert "no branch, tag or snapshot no; branches: main, side; tags: v1" in outcome.stderr
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(written.path)))
    repository.create_branch("v1", written.first)
    outcome = zarrscope("diff", written.path, "v1", "main")
    assert outcome.status == 2
    assert "write branch:v1 or tag:v1" in outcome.stderr
    assert zarrscope("diff", tmp_path, "v1", "main").status == 2


def test_versions_of_different_branches_are_compared_with_each_other(
    tmp_path: Path, zarrscope: Callable[..., Any]
) -> None:
    written = write(tmp_path / "repo")
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(written.path)))
    session = repository.writable_session("side")
    root = zarr.open_group(session.store)
    root.create_array("new", shape=(4,), chunks=(2,), dtype="i1")[:] = 1
    root.create_group("group")
    root["large"].attrs["unit"] = "m"
    del root["scalar"]
    session.commit("side")
    outcome = zarrscope("diff", written.path, "main", "side")
    assert outcome.status == 1
    assert outcome.text.splitlines() == [
        "+ /group  group added",
        "+ /new  array added, 2 chunks changed",
        "- /scalar  array deleted",
        "~ /large  array updated",
        "~ /a/b  array, 1 chunk changed",
    ]
    back = json.loads(zarrscope("diff", written.path, "side", "main", "--json").text)
    assert set(back["added"]) == {"/scalar"}
    assert set(back["deleted"]) == {"/group", "/new"}
    assert zarrscope("diff", written.path, "side", "side").status == 0


@pytest.mark.parametrize("option", [("--atol", "1"), ("--layout",), ("--other-format", "v2"), ("--quiet",)])
def test_options_of_sources_are_refused_for_versions(
    tmp_path: Path, zarrscope: Run, option: tuple[str, ...]
) -> None:
    written = write(tmp_path / "repo")
    outcome = zarrscope("diff", written.path, "v1", "main", *option)
    assert outcome.status == 2
    assert f"{option[0]} is for a comparison of two sources" in outcome.stderr
