"""``zarrscope pyramid``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server

VALUES = np.arange(2 * 30 * 40, dtype="i4").reshape(2, 30, 40)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("/im/0", shape=VALUES.shape, dtype="int32", dimension_names=("z", "y", "x"))[
            ...
        ] = VALUES
    return tmp_path / "a.zarr"


def test_levels_are_made_and_described(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope(
        "pyramid", source, "im/0", "--levels", "2", "--scale", "2,0.5,0.5", "--unit", "micrometer"
    )
    assert outcome.status == 0
    assert outcome.text.splitlines() == [
        "/im/1  1 × 15 × 20", "/im/2  1 × 8 × 10", "2 levels made by mean; /im is OME-Zarr 0.5"
    ]  # fmt: skip
    ome = zc.open_hierarchy(source)["im"].attributes["ome"]
    assert ome["version"] == "0.5"
    assert ome["multiscales"][0]["name"] == "im"
    assert ome["multiscales"][0]["axes"][0] == {"name": "z", "type": "space", "unit": "micrometer"}
    assert zarrscope("check", source, "--strict").status == 0
    outcome = zarrscope("pyramid", source, "im")
    assert outcome.text == "/im: no further level is needed; --levels asks for some\n"


def test_levels_as_json(source: Path, zarrscope: Run) -> None:
    told = json.loads(
        zarrscope("pyramid", source, "im/0", "--levels", "1", "--factors", "1,2,2", "--json").text
    )
    assert told == {
        "path": "/im", "convention": "ome-ngff", "convention_version": "0.5", "method": "mean",
        "levels": [
            {"path": "/im/1", "shape": [2, 15, 20], "scale": [1.0, 2.0, 2.0], "translation": [0.0, 0.5, 0.5]}
        ],
    }  # fmt: skip


def test_a_dry_run_changes_nothing(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("pyramid", source, "im/0", "--levels", "1", "--dry-run")
    assert outcome.text.splitlines()[-1] == "1 level would be made by mean; /im is OME-Zarr 0.5"
    assert zarrscope("find", source).text == "/\n/im\n/im/0\n"


def test_a_zip_file_and_a_bucket(
    source: Path, tmp_path: Path, zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    s3.upload(source, "bucket/pyramid.zarr")
    zarrscope("copy", source, tmp_path / "a.zip", "--quiet")
    for place in (source, tmp_path / "a.zip", "s3://bucket/pyramid.zarr"):
        assert zarrscope("pyramid", place, "im/0", "--levels", "2", "--quiet").text == ""
    assert zarrscope("diff", source, tmp_path / "a.zip").status == 0
    assert zarrscope("diff", source, "s3://bucket/pyramid.zarr").status == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--levels", "0"),
        ("--factors", "0"),
        ("--factors", "a"),
        ("--scale", "0,1,1"),
        ("--scale", "1"),
        ("--axes", "a,b,c"),
    ],
)
def test_a_wrong_command_line_is_refused(source: Path, zarrscope: Run, words: tuple[str, str]) -> None:
    assert zarrscope("pyramid", source, "im/0", *words).status == 2
