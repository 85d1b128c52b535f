"""``zarrscope create``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server


def test_an_array_as_zarr_python_reads_it(tmp_path: Path, zarrscope: Run) -> None:
    outcome = zarrscope(
        "create", tmp_path / "a.zarr", "g/x", "--shape", "10,20", "--dtype", "float32", "--chunks", "5,-1",
        "--shards", "10,-1", "--codec", "zstd:5", "--fill-value", "NaN", "--dimension-names", "y,", "--attributes",
        '{"unit": "mm"}',
    )  # fmt: skip
    assert outcome.status == 0
    assert outcome.text == (
        "array /g/x: 10 × 20  float32, chunks 5 × 20 in shards 10 × 20; also the groups /, /g\n"
    )
    array = zarr.open_array(tmp_path / "a.zarr" / "g/x", mode="r")
    assert (array.shape, array.dtype, array.chunks, array.shards) == (
        (10, 20),
        np.dtype("f4"),
        (5, 20),
        (10, 20),
    )
    assert array.attrs.asdict() == {"unit": "mm"}
    assert array.metadata.dimension_names == ("y", None)
    assert np.isnan(array[...]).all()


@pytest.mark.parametrize("format_", ["v3", "v2", "n5"])
@pytest.mark.parametrize("name", ["a.zarr", "a.zip"])
def test_groups_and_arrays_of_each_format(tmp_path: Path, zarrscope: Run, format_: str, name: str) -> None:
    source = tmp_path / name
    assert (
        zarrscope("create", source, "/", "--group", "--format", format_, "--attributes", '{"a": 1}').status
        == 0
    )
    outcome = zarrscope(
        "create", source, "x", "--shape", "3", "--dtype", "<i2", "--fill-value", "0", "--json"
    )
    told = json.loads(outcome.text)
    assert (told["path"], told["dtype"], told["format"]) == ("/x", "int16", format_)
    opened = zc.open_hierarchy(source)
    assert (opened.format.name, opened["/"].attributes["a"], opened["x"].shape) == (format_, 1, (3,))


def test_text_and_types_with_parameters(tmp_path: Path, zarrscope: Run) -> None:
    source = tmp_path / "a.zarr"
    assert (
        zarrscope("create", source, "s", "--shape", "2", "--dtype", "string", "--fill-value", "12").status
        == 0
    )
    time = '{"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}'
    assert zarrscope("create", source, "t", "--shape", "()", "--dtype", time).status == 0
    opened = zc.open_hierarchy(source)
    assert (opened["s"][0], opened["t"].dtype, opened["t"].shape) == ("12", np.dtype("M8[s]"), ())


def test_a_node_is_never_replaced(tmp_path: Path, zarrscope: Run) -> None:
    source = tmp_path / "a.zarr"
    assert zarrscope("create", source, "x", "--shape", "3", "--dtype", "int8").status == 0
    for words in (
        ("x", "--group"),
        ("x", "--shape", "3", "--dtype", "int8"),
        ("x/y", "--group"),
        ("/", "--group"),
    ):
        assert zarrscope("create", source, *words).status == 1
        assert zarrscope("create", source, *words, "--dry-run").status == 1
    outcome = zarrscope("create", source, "y", "--group", "--format", "n5")
    assert outcome.status == 1
    assert "already exists, as a hierarchy of Zarr v3" in outcome.stderr
    assert not (source / "attributes.json").exists()


def test_a_dry_run_changes_nothing(tmp_path: Path, zarrscope: Run) -> None:
    source = tmp_path / "a.zarr"
    outcome = zarrscope("create", source, "a/b", "--group", "--dry-run")
    assert (outcome.status, outcome.text) == (0, "would make group /a/b; also the groups /, /a\n")
    assert not source.exists()
    assert zarrscope("create", source, "a", "--group").status == 0
    outcome = zarrscope("create", source, "a/c/x", "--shape", "4", "--dtype", "int8", "--dry-run")
    assert outcome.text == "would make array /a/c/x: 4  int8, chunks 4; also the groups /a/c\n"
    assert sorted(path.name for path in source.rglob("*")) == ["a", "zarr.json", "zarr.json"]


def test_an_array_that_the_format_cannot_hold_leaves_no_hierarchy(tmp_path: Path, zarrscope: Run) -> None:
    outcome = zarrscope(
        "create", tmp_path / "a.n5", "x", "--shape", "()", "--dtype", "int8", "--format", "n5"
    )
    assert outcome.status == 1
    assert not (tmp_path / "a.n5").exists()


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--group", "--shape", "3", "--dtype", "int8"),
        ("--shape", "3"),
        ("--group", "--codec", "gzip"),
        ("--shape", "x", "--dtype", "int8"),
        ("--shape", "", "--dtype", "int8"),
        ("--group", "--attributes", "[1]"),
    ],
)
def test_contradictions_are_refused(tmp_path: Path, zarrscope: Run, words: tuple[str, ...]) -> None:
    assert zarrscope("create", tmp_path / "a.zarr", "x", *words).status == 2
    assert not (tmp_path / "a.zarr").exists()


def test_a_type_that_is_unknown_is_refused(tmp_path: Path, zarrscope: Run) -> None:
    outcome = zarrscope("create", tmp_path / "a.zarr", "x", "--shape", "3", "--dtype", "flaot")
    assert outcome.status == 1
    assert not (tmp_path / "a.zarr").exists()


def test_a_bucket(zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    source = "s3://bucket/created.zarr"
    assert zarrscope("create", source, "g/x", "--shape", "3", "--dtype", "int8").status == 0
    assert zarrscope("find", source).text == "/\n/g\n/g/x\n"
