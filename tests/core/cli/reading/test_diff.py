"""``zarrscope diff`` of two sources; ``tests/core/cli/test_versions.py`` has that of two versions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server

VALUES = np.arange(60.0).reshape(5, 12)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two hierarchies that are equal, but not in format and chunks."""
    for name, format_, chunks in (("a.zarr", "v3", (2, 5)), ("b.n5", "n5", (5, 3))):
        with zc.create(tmp_path / name, format_) as made:
            made.create_group("/g", attributes={"unit": "m"})
            made.create_array("/g/x", shape=VALUES.shape, dtype="float64", chunks=chunks)[...] = VALUES
    return tmp_path / "a.zarr", tmp_path / "b.n5"


def change(path: Path) -> None:
    with zc.open_hierarchy(path, "r+") as opened:
        opened["g/x"][3, 4:9] += 0.25
        opened["g"].attributes = {"unit": "km"}
        opened.create_group("/new")


def test_equal_sources_print_nothing(pair: tuple[Path, Path], zarrscope: Run) -> None:
    outcome = zarrscope("diff", *pair)
    assert (outcome.status, outcome.text, outcome.stderr) == (0, "", "")


def test_differences_are_lines(pair: tuple[Path, Path], zarrscope: Run) -> None:
    change(pair[1])
    outcome = zarrscope("diff", *pair)
    assert outcome.status == 1
    assert outcome.text.splitlines() == [
        "~ /g  attribute unit: m in A, km in B",
        "~ /g/x  5 of 60 elements differ, by at most 0.25",
        "    [3, 4]  40.0 in A, 40.25 in B",
        "    [3, 5]  41.0 in A, 41.25 in B",
        "    [3, 6]  42.0 in A, 42.25 in B",
        "    …",
        "+ /new  group is only in B",
    ]
    assert zarrscope("diff", *reversed(pair)).text.splitlines()[-1] == "- /new  group is only in A"
    assert "…" not in zarrscope("diff", *pair, "--examples", "5").text


def test_differences_are_objects(pair: tuple[Path, Path], zarrscope: Run) -> None:
    change(pair[1])
    told = [json.loads(line) for line in zarrscope("diff", *pair, "--json").text.splitlines()]
    assert [one["what"] for one in told] == ["attributes", "elements", "only-in-b"]
    assert (told[0]["a"], told[0]["b"]) == ({"unit": "m"}, {"unit": "km"})
    assert (told[1]["count"], told[1]["largest"], told[1]["examples"][0]["index"]) == (5, 0.25, [3, 4])


def test_options_choose_what_counts(pair: tuple[Path, Path], zarrscope: Run) -> None:
    with zc.open_hierarchy(pair[1], "r+") as opened:
        opened["g/x"][0, 0] = 0.01
    assert zarrscope("diff", *pair).status == 1
    assert zarrscope("diff", *pair, "--atol", "0.02").status == 0
    assert zarrscope("diff", *pair, "--rtol", "0.02").status == 1
    assert zarrscope("diff", *pair, "--metadata-only").status == 0
    outcome = zarrscope("diff", *pair, "--metadata-only", "--layout")
    assert outcome.text.splitlines()[0] == "~ /g/x  chunks: 2 × 5 in A, 5 × 3 in B"
    with zc.open_hierarchy(pair[0], "r+") as one, zc.open_hierarchy(pair[1], "r+") as other:
        one["g/x"][0, 0] = other["g/x"][0, 0] = np.nan
    assert zarrscope("diff", *pair).status == 0
    outcome = zarrscope("diff", *pair, "--nan-differs")
    assert outcome.text.splitlines()[1] == "    [0, 0]  nan in A, nan in B"
    assert zarrscope("diff", *pair, "--nan-differs", "--quiet").text == ""


def test_nodes_are_named_after_the_sources(pair: tuple[Path, Path], zarrscope: Run) -> None:
    assert zarrscope("diff", f"{pair[0]}#/g/x", f"{pair[1]}#/g/x").status == 0
    outcome = zarrscope("diff", f"{pair[0]}#/g", f"{pair[1]}#/g/x")
    assert (outcome.status, outcome.text) == (1, "~ /  group in A, array in B\n")


def test_a_hierarchy_of_two_formats_is_compared_with_itself(tmp_path: Path, zarrscope: Run) -> None:
    for format_, value in (("v3", 1), ("v2", 2)):
        with (
            zc.open_hierarchy(tmp_path / "a", "a", format_)
            if format_ == "v3"
            else zc.create(tmp_path / "b", format_) as made
        ):
            made.create_array("/x", shape=(2,), dtype="i1")[...] = value
    for key in (".zgroup", "x/.zarray", "x/0"):
        (tmp_path / "a" / key).write_bytes((tmp_path / "b" / key).read_bytes())
    outcome = zarrscope("diff", tmp_path / "a", tmp_path / "a", "--format", "v2", "--other-format", "v3")
    assert outcome.text.splitlines()[0] == "~ /x  2 of 2 elements differ, by at most 1"


def test_trouble_has_its_own_status(pair: tuple[Path, Path], zarrscope: Run) -> None:
    outcome = zarrscope("diff", pair[0], pair[0].parent / "no")
    assert (outcome.status, outcome.text) == (2, "")
    (pair[0] / "g/x/c/0/0").write_bytes(b"broken")
    outcome = zarrscope("diff", *pair)
    assert outcome.status == 2
    assert outcome.text.startswith("! /g/x  elements are not compared: ")


@pytest.mark.parametrize(
    "option", [("--rtol", "-1"), ("--atol", "x"), ("--atol", "nan"), ("--examples", "-1")]
)
def test_numbers_are_checked(pair: tuple[Path, Path], zarrscope: Run, option: tuple[str, str]) -> None:
    assert zarrscope("diff", *pair, *option).status == 2


def test_a_bucket_is_compared_with_a_folder(
    pair: tuple[Path, Path], zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    s3.upload(pair[1], "bucket/diff.n5")
    assert zarrscope("diff", pair[0], "s3://bucket/diff.n5").status == 0
    change(pair[0])
    assert zarrscope("diff", "s3://bucket/diff.n5", pair[0]).text.count("\n") == 7
