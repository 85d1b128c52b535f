"""``zarrscope set``."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server

BEFORE = {"unit": "mm", "scale": [1, 2]}


@pytest.fixture(params=["v3", "v2", "n5"])
def source(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    with zc.create(tmp_path / "a", request.param) as made:
        made.create_array("/g/x", shape=(2,), dtype="int8", attributes=BEFORE)
    return tmp_path / "a"


def attributes(source: Path | str, path: str = "g/x") -> dict[str, Any]:
    return dict(zc.open_hierarchy(source)[path].attributes)


def test_values_are_json_or_text(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope(
        "set", source, "g/x", "unit=µm", 'n={"a": [1, 2.5]}', "t=NaN", "e=", "x=a=b", 's="12"'
    )
    assert outcome.status == 0
    assert attributes(source) == {
        **BEFORE,
        "unit": "µm",
        "n": {"a": [1, 2.5]},
        "t": "NaN",
        "e": "",
        "x": "a=b",
        "s": "12",
    }
    assert outcome.text.splitlines()[:2] == ['~ unit = "µm"', '+ n = {"a": [1, 2.5]}']


def test_attributes_are_removed(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("set", source, "g/x", "new=1", "--remove", "unit")
    assert outcome.text == "- unit\n+ new = 1\n"
    assert attributes(source) == {"scale": [1, 2], "new": 1}
    outcome = zarrscope("set", source, "g/x", "--remove", "unit")
    assert outcome.status == 1
    assert "/g/x has no attribute unit" in outcome.stderr


def test_attributes_come_from_a_file(
    source: Path, tmp_path: Path, zarrscope: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "more.json").write_text('{"a": 1, "b": 2}')
    outcome = zarrscope("set", source, "g/x", "b=3", "--from-file", tmp_path / "more.json", "--json")
    assert attributes(source) == {**BEFORE, "a": 1, "b": 3}
    assert json.loads(outcome.text) == {"path": "/g/x", "attributes": attributes(source)}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"c": 4}')))
    assert zarrscope("set", source, "/", "--from-file", "-").status == 0
    assert attributes(source, "/")["c"] == 4
    (tmp_path / "more.json").write_text("[1]")
    assert zarrscope("set", source, "g/x", "--from-file", tmp_path / "more.json").status == 1
    assert zarrscope("set", source, "g/x", "--from-file", tmp_path / "no.json").status == 1


def test_a_dry_run_changes_nothing(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("set", source, "g/x", "unit=m", "--dry-run")
    assert (outcome.status, outcome.text) == (0, '~ unit = "m"\n')
    assert attributes(source) == BEFORE


@pytest.mark.parametrize("words", [(), ("x",), ("=1",), ("a=1", "--remove", "a")])
def test_a_wrong_command_line_is_refused(source: Path, zarrscope: Run, words: tuple[str, ...]) -> None:
    assert zarrscope("set", source, "g/x", *words).status == 2
    assert attributes(source) == BEFORE


def test_nodes_that_do_not_exist_or_are_broken_are_refused(source: Path, zarrscope: Run) -> None:
    assert zarrscope("set", source, "no", "a=1").status == 1
    for key in ("zarr.json", ".zarray", "attributes.json"):
        if (source / "g/x" / key).exists():
            (source / "g/x" / key).write_text("{")
    assert zarrscope("set", source, "g/x", "a=1").status == 1


@pytest.mark.parametrize("format_", ["v3", "v2"])
def test_consolidated_metadata_stays_and_is_right(tmp_path: Path, zarrscope: Run, format_: str) -> None:
    with zc.create(tmp_path / "c", format_) as made:
        made.create_array("/x", shape=(2,), dtype="int8")
        made.consolidate()
    assert zarrscope("set", tmp_path / "c", "x", "a=1").status == 0
    believed = zc.open_hierarchy(tmp_path / "c", believe_consolidated=True)
    assert believed["x"].attributes["a"] == 1
    key = "zarr.json" if format_ == "v3" else ".zmetadata"
    assert '"a": 1' in (tmp_path / "c" / key).read_text()
    assert zarrscope("check", tmp_path / "c", "--strict").status == 0


def test_a_bucket(source: Path, zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    place = f"bucket/set-{zc.open_hierarchy(source).format.name}"
    s3.upload(source, place)
    for where in (source, f"s3://{place}"):
        assert zarrscope("set", where, "g/x", "unit=m", "new=[1]", "--remove", "scale").status == 0
        assert zarrscope("set", where, "no", "a=1").status == 1
    assert attributes(f"s3://{place}") == attributes(source) == {"unit": "m", "new": [1]}
    assert zarrscope("check", f"s3://{place}", "--strict").status == 0
    assert zarrscope("diff", source, f"s3://{place}").status == 0
