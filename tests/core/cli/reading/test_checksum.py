"""``zarrscope checksum``."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    for name, format_, chunks in (("a.zarr", "v3", (2, 5)), ("b.zip", "v2", (5, 3))):
        with zc.create(tmp_path / name, format_) as made:
            for path in ("/g/x", "/g/y"):
                array = made.create_array(path, shape=(5, 6), dtype="float64", chunks=chunks)
                array[...] = np.arange(30).reshape(5, 6)
            made.create_group("/empty")
    return tmp_path / "a.zarr", tmp_path / "b.zip"


def test_two_formats_have_the_same_checksums(pair: tuple[Path, Path], zarrscope: Run) -> None:
    outcomes = [zarrscope("checksum", source) for source in pair]
    lines = [sorted(outcome.text.splitlines()) for outcome in outcomes]
    assert lines[0] == lines[1]
    assert [line[64:] for line in lines[0]] == ["  /g/x", "  /g/y"]
    assert zarrscope("checksum", pair[0], "g/x").text[64:] == "  /\n"
    told = json.loads(zarrscope("checksum", pair[0], "g/x", "--algorithm", "xxh128", "--json").text)
    assert (told["path"], told["algorithm"], len(told["checksum"]), told["shape"]) == (
        "/",
        "xxh128",
        32,
        [5, 6],
    )


@pytest.mark.parametrize("algorithm", ["sha256", "xxh128"])
def test_a_list_is_compared(pair: tuple[Path, Path], tmp_path: Path, zarrscope: Run, algorithm: str) -> None:
    (tmp_path / "sums").write_bytes(zarrscope("checksum", pair[0], "--algorithm", algorithm).stdout)
    outcome = zarrscope("checksum", pair[1], "--check", tmp_path / "sums")
    assert (outcome.status, sorted(outcome.text.splitlines())) == (0, ["/g/x: OK", "/g/y: OK"])
    with zc.open_hierarchy(pair[1], "r+") as opened:
        opened["g/y"][4, 5] = 0
        opened.erase("/g/x")
    outcome = zarrscope("checksum", pair[1], "--check", tmp_path / "sums", "--quiet")
    assert outcome.status == 1
    assert sorted(outcome.text.splitlines()) == ["/g/x: FAILED: it does not exist", "/g/y: FAILED"]
    assert outcome.stderr == "zarrscope: 2 of the checksums did not match\n"
    told = zarrscope("checksum", pair[1], "--check", tmp_path / "sums", "--json").text.splitlines()
    assert {"path": "/g/y", "matches": False, "sentence": "FAILED"} in map(json.loads, told)


def test_a_list_of_a_part_fits_the_copy_of_that_part(
    pair: tuple[Path, Path], tmp_path: Path, zarrscope: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    zarrscope("copy", f"{pair[0]}#/g", tmp_path / "part.n5", "--to", "n5", "--quiet")
    sums = zarrscope("checksum", pair[0], "g").stdout
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sums)))
    assert zarrscope("checksum", tmp_path / "part.n5", "--check", "-").status == 0
    (tmp_path / "sums").write_bytes(sums)
    assert zarrscope("checksum", pair[1], "g", "--check", tmp_path / "sums").status == 0


def test_names_with_line_breaks_are_escaped_as_sha256sum_does(tmp_path: Path, zarrscope: Run) -> None:
    with zc.create(tmp_path / "a") as made:
        made.create_array("/x\ny\\z", shape=(2,), dtype="int8")
    outcome = zarrscope("checksum", tmp_path / "a")
    assert outcome.text[0] == "\\"
    assert outcome.text[65:] == "  /x\\ny\\\\z\n"
    (tmp_path / "sums").write_bytes(outcome.stdout)
    assert zarrscope("checksum", tmp_path / "a", "--check", tmp_path / "sums").status == 0


def test_an_array_that_cannot_be_read_is_told_and_the_others_are_printed(
    pair: tuple[Path, Path], zarrscope: Run, tmp_path: Path
) -> None:
    (tmp_path / "sums").write_bytes(zarrscope("checksum", pair[0]).stdout)
    (pair[0] / "g/x/c/0/0").write_bytes(b"broken")
    (pair[0] / "empty/zarr.json").write_text("{")
    outcome = zarrscope("checksum", pair[0])
    assert outcome.status == 1
    assert outcome.text.endswith("  /g/y\n")
    assert sorted(line.split(":")[1] for line in outcome.stderr.splitlines()) == [" /empty", " /g/x"]
    outcome = zarrscope("checksum", pair[0], "--check", tmp_path / "sums")
    assert (outcome.status, "/g/x: FAILED: " in outcome.text) == (1, True)


@pytest.mark.parametrize("content", ["", "nonsense\n", "abc  /g/x\n"])
def test_what_is_not_a_list_is_refused(
    pair: tuple[Path, Path], tmp_path: Path, zarrscope: Run, content: str
) -> None:
    (tmp_path / "sums").write_text(content)
    assert zarrscope("checksum", pair[0], "--check", tmp_path / "sums").status == 2


def test_a_wrong_command_line_is_refused(pair: tuple[Path, Path], tmp_path: Path, zarrscope: Run) -> None:
    (tmp_path / "sums").write_text("0" * 32 + "  /empty\n")
    assert zarrscope("checksum", pair[0], "--check", tmp_path / "sums", "--algorithm", "xxh128").status == 2
    assert zarrscope("checksum", pair[0], "--quiet").status == 2
    assert zarrscope("checksum", pair[0], "--check", tmp_path / "no").status == 1
    assert (
        zarrscope("checksum", pair[0], "--check", tmp_path / "sums").text == "/empty: FAILED: it is a group\n"
    )


def test_a_bucket(
    pair: tuple[Path, Path], zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    s3.upload(pair[0], "bucket/checksum.zarr")
    assert (
        zarrscope("checksum", "s3://bucket/checksum.zarr", "g/x").text
        == zarrscope("checksum", pair[1], "g/x").text
    )
