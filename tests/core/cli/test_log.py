"""``zarrscope log``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import icechunk

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
    assert told[0]["parent"] == told[1]["id"]


def test_an_empty_repository_has_a_log_and_other_folders_have_none(
    tmp_path: Path, zarrscope: Callable[..., Any]
) -> None:
    icechunk.Repository.create(icechunk.local_filesystem_storage(str(tmp_path / "repo")))
    assert zarrscope("log", tmp_path / "repo").text.count("\n") == 1
    outcome = zarrscope("log", tmp_path)
    assert outcome.status == 1
    assert "is not an Icechunk repository" in outcome.stderr
    assert zarrscope("log", tmp_path / "repo", "--branch", "no").status == 1
