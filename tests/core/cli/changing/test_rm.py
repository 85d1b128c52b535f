"""``zarrscope rm``."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with zc.create(tmp_path / "a.zarr") as made:
        for path in ("/g/x", "/g/y", "/z"):
            made.create_array(path, shape=(3,), dtype="int8")[...] = 1
        made.create_group("/empty")
        made.consolidate()
    return tmp_path / "a.zarr"


def paths(source: Path | str) -> list[str]:
    return sorted(node.path for node in zc.open_hierarchy(source, believe_consolidated=True).walk())


ALL = ["/", "/empty", "/g", "/g/x", "/g/y", "/z"]


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


def test_arrays_and_empty_groups_are_erased(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("rm", source, "g/x", "empty", "--yes")
    assert (outcome.status, outcome.text) == (0, "")
    assert paths(source) == ["/", "/g", "/g/y", "/z"]
    assert not (source / "g/x").exists()
    assert zarrscope("check", source, "--strict").status == 0


def test_a_group_that_holds_something_needs_an_option(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("rm", source, "g", "z", "-y")
    assert outcome.status == 2
    assert "/g is a group that holds something: -r erases it" in outcome.stderr
    assert paths(source) == ALL
    (source / "empty/notes.txt").write_text("mine")
    assert zarrscope("rm", source, "empty", "-y").status == 2
    told = [
        json.loads(line) for line in zarrscope("rm", source, "g", "g/x", "-ry", "--json").text.splitlines()
    ]
    assert [(one["path"], sorted(one["paths"]), one["key_count"]) for one in told] == [
        ("/g", ["/g", "/g/x", "/g/y"], 5)
    ]
    assert paths(source) == ["/", "/empty", "/z"]


def test_nothing_is_erased_if_one_node_does_not_exist(source: Path, zarrscope: Run) -> None:
    assert zarrscope("rm", source, "z", "no", "-y").status == 1
    assert paths(source) == ALL


def test_a_dry_run_lists_what_would_be_erased(source: Path, zarrscope: Run) -> None:
    (source / "g/notes.txt").write_text("mine")
    outcome = zarrscope("rm", source, "g", "-r", "--dry-run")
    assert outcome.status == 0
    lines = outcome.text.splitlines()
    assert (lines[0], sorted(lines[1:3])) == ("group /g", ["array /g/x", "array /g/y"])
    assert lines[3] == "1 key of no node, such as g/notes.txt"
    assert lines[4].startswith("/g: 6 keys, ")
    assert json.loads(zarrscope("rm", source, "z", "--dry-run", "--json").text)["key_count"] == 2
    assert paths(source) == ALL


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("YES\n", 0), ("n\n", 1), ("\n", 1), ("", 1)])
def test_it_asks_on_a_terminal(
    source: Path, zarrscope: Run, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    outcome = zarrscope("rm", source, "z")
    assert outcome.status == status
    assert "array /z" in outcome.text
    assert "Erase this? [y/N]" in outcome.stderr
    assert ("/z" in paths(source)) == bool(status)


def test_it_does_not_erase_without_an_answer(
    source: Path, zarrscope: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    outcome = zarrscope("rm", source, "z")
    assert outcome.status == 2
    assert "add --yes" in outcome.stderr
    assert paths(source) == ALL


def test_a_whole_hierarchy(source: Path, zarrscope: Run) -> None:
    assert zarrscope("rm", source, "/", "-y").status == 2
    assert zarrscope("rm", source, "/", "-ry").status == 0
    assert not any(source.iterdir())


def test_a_broken_node_is_erased(source: Path, zarrscope: Run) -> None:
    (source / "z/zarr.json").write_text("{")
    assert zarrscope("rm", source, "z", "-y").status == 0
    assert not (source / "z").exists()


def test_a_bucket(source: Path, zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    s3.upload(source, "bucket/rm.zarr")
    s3.put("bucket/rm.zarr-beside/notes.txt", b"mine")
    place = "s3://bucket/rm.zarr"
    assert zarrscope("rm", place, "g", "-y").status == 2
    assert paths(place) == ALL
    told = json.loads(zarrscope("rm", place, "g", "-r", "--dry-run", "--json").text)
    assert (told["path"], told["key_count"]) == ("/g", 5)
    assert zarrscope("rm", place, "g", "empty", "-ry").status == 0
    assert paths(place) == ["/", "/z"]
    assert not [key for key in zarrscope("ls", place).text.splitlines() if key.startswith(("g", "empty"))]
    assert zarrscope("check", place, "--strict").status == 0
    assert zarrscope("rm", place, "/", "-ry").status == 0
    assert zarrscope("ls", "s3://bucket/rm.zarr-beside").text.split() == ["notes.txt"]
    assert zarrscope("tree", place).status == 1
