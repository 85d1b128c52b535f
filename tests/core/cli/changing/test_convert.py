"""``zarrscope convert``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with zc.create(tmp_path / "a.zarr", "v2") as made:
        made.create_array("/g/x", shape=(4, 5), dtype="int16", chunks=(2, 2))[...] = np.arange(20).reshape(
            4, 5
        )
        made.consolidate()
    return tmp_path / "a.zarr"


def test_documents_are_written_and_then_those_of_v2_erased(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("convert", source)
    assert (outcome.status, outcome.text) == (0, "3 documents of Zarr v3 written\n")
    assert zarrscope("diff", source, source, "--format", "v2", "--other-format", "v3").status == 0
    outcome = zarrscope("convert", source, "--remove-v2")
    assert outcome.text == "0 documents of Zarr v3 written; 3 were there; 4 documents of Zarr v2 erased\n"
    assert zarrscope("check", source, "--strict").status == 0
    assert zc.open_hierarchy(source, believe_consolidated=True)["g/x"][3, 4] == 19
    assert zarrscope("convert", source).status == 1


def test_a_dry_run_lists_the_documents(source: Path, zarrscope: Run) -> None:
    before = sorted(source.rglob("*"))
    outcome = zarrscope("convert", source, "--remove-v2", "--dry-run")
    assert outcome.text.splitlines() == [
        "+ g/x/zarr.json", "+ g/zarr.json", "+ zarr.json", "- g/x/.zarray", "- g/.zgroup", "- .zgroup", "- .zmetadata",
        "3 documents of Zarr v3 would be written; 4 documents of Zarr v2 would be erased",
    ]  # fmt: skip
    assert sorted(source.rglob("*")) == before


def test_a_part_as_json(source: Path, zarrscope: Run) -> None:
    told = json.loads(zarrscope("convert", source, "g/x", "--json").text)
    assert told == {
        "path": "/g/x",
        "written_keys": ["g/x/zarr.json"],
        "erased_keys": [],
        "present_count": 0,
        "is_consolidated": False,
    }
    assert zarrscope("convert", source, "--quiet").text == ""


def test_a_zip_file_and_a_bucket(
    source: Path, tmp_path: Path, zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    s3.upload(source, "bucket/convert.zarr")
    zarrscope("copy", source, tmp_path / "a.zip", "--quiet")
    for place in (tmp_path / "a.zip", "s3://bucket/convert.zarr"):
        assert zarrscope("convert", place, "--remove-v2").status == 0
        assert json.loads(zarrscope("info", place, "g/x", "--json").text)["format"] == "v3"
        assert zarrscope("diff", source, place).status == 0


def test_other_formats_are_refused(tmp_path: Path, zarrscope: Run) -> None:
    zc.create(tmp_path / "a.n5", "n5").create_array("/x", shape=(2,), dtype="int8")
    refused = zarrscope("convert", tmp_path / "a.n5")
    told = f"zarrscope: {tmp_path}/a.n5 is N5: convert reads only Zarr v2, copy reads all formats\n"
    assert (refused.status, refused.stderr) == (1, told)
    assert zarrscope("convert", tmp_path / "a.n5", "--format", "n5").status == 2
