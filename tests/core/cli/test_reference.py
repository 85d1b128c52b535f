"""``zarrscope reference``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import zarrcore as zc
from tests.command import run_inside


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with zc.create(tmp_path / "a.zarr") as hierarchy:
        array = hierarchy.create_array("/g/x", shape=(4, 4), chunk_shape=(2, 2), data_type="int16")
        array[...] = 5
    return tmp_path / "a.zarr"


@pytest.mark.parametrize("name", ["a.refs.json", "a.parq"])
def test_references_open_as_the_source_does(source: Path, tmp_path: Path, name: str) -> None:
    outcome = run_inside("reference", source, "--output", tmp_path / name)
    assert outcome.status == 0
    assert outcome.text == f"1 array, 4 references, written to {tmp_path / name}\n"
    assert run_inside("cat", tmp_path / name, "g/x").stdout == run_inside("cat", source, "g/x").stdout
    assert run_inside("check", tmp_path / name).status == 0


def test_the_outcome_as_json(source: Path, tmp_path: Path) -> None:
    outcome = run_inside(
        "reference", source, "-o", tmp_path / "b.json", "--path", "g", "--inline-threshold", "1M", "--json"
    )
    assert json.loads(outcome.text) == {
        "output": str(tmp_path / "b.json"), "groups": 1, "arrays": 1, "references": 0, "inlined": 4, "skipped": {}
    }  # fmt: skip
    assert zc.open(tmp_path / "b.json")["x"][0, 0] == 5


def test_an_existing_document_is_kept_unless_told(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "b.json"
    output.write_text("mine")
    assert run_inside("reference", source, "-o", output).status == 1
    assert output.read_text() == "mine"
    assert run_inside("reference", source, "-o", output, "--overwrite", "--quiet").status == 0
    assert zc.open(output)["g/x"][0, 0] == 5


def test_nodes_that_are_left_out_are_named(source: Path, tmp_path: Path) -> None:
    (source / "broken").mkdir()
    (source / "broken" / "zarr.json").write_text("{")
    assert run_inside("reference", source, "-o", tmp_path / "b.json").status == 1
    outcome = run_inside("reference", source, "-o", tmp_path / "b.json", "--skip")
    assert outcome.status == 1
    assert "/broken is left out" in outcome.stderr
    assert zc.open(tmp_path / "b.json")["g/x"][0, 0] == 5


def test_an_output_of_another_kind_is_refused(source: Path, tmp_path: Path) -> None:
    outcome = run_inside("reference", source, "-o", tmp_path / "b.txt")
    assert outcome.status == 2
    assert "ends in .json, or in .parq" in outcome.stderr


def test_zarr_v3_describes_shards(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a.zarr") as hierarchy:
        hierarchy.create_array("/x", shape=(8, 8), chunk_shape=(2, 2), shard_shape=(4, 4), data_type="int16")[
            ...
        ] = 5
    output = tmp_path / "b.json"
    outcome = run_inside("reference", tmp_path / "a.zarr", "-o", output)
    assert outcome.status == 1
    assert "(reference --zarr-format 3 describes it, --skip leaves it out)" in outcome.stderr
    outcome = run_inside("reference", tmp_path / "a.zarr", "-o", output, "--zarr-format", "3")
    assert outcome.text == f"1 array, 4 references, written to {output}\n"
    assert run_inside("cat", output, "x").stdout == run_inside("cat", tmp_path / "a.zarr", "x").stdout


def test_zarr_v3_is_not_written_to_parquet(source: Path, tmp_path: Path) -> None:
    outcome = run_inside("reference", source, "-o", tmp_path / "a.parq", "--zarr-format", "3")
    assert outcome.status == 2
    assert "readers of Parquet folders know only Zarr v2" in outcome.stderr
    assert not (tmp_path / "a.parq").exists()
