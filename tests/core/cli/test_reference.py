"""``zarrscope reference``."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import h5py
import numpy as np
import pytest

import zarrcore as zc
from tests.any_store import open_store
from tests.command import run_inside
from tests.servers import S3Server


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with zc.create(tmp_path / "a.zarr") as hierarchy:
        array = hierarchy.create_array("/g/x", shape=(4, 4), chunks=(2, 2), dtype="int16")
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
        "reference", source, "g", "-o", tmp_path / "b.json", "--inline-threshold", "1M", "--json"
    )
    assert json.loads(outcome.text) == {
        "source": zc.open_hierarchy(source).url, "path": "/g", "destination": str(tmp_path / "b.json"),
        "group_count": 1, "array_count": 1, "reference_count": 0, "inlined_count": 4, "skipped": {},
    }  # fmt: skip
    assert zc.open_hierarchy(tmp_path / "b.json")["x"][0, 0] == 5


def test_one_chunk_inside_is_told_in_the_singular(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a.zarr") as hierarchy:
        hierarchy.create_array("x", shape=(4,), dtype="int16")[...] = 5
    outcome = run_inside(
        "reference", tmp_path / "a.zarr", "-o", tmp_path / "b.json", "--inline-threshold", "1M"
    )
    assert outcome.text == f"1 array, 0 references, 1 chunk inside, written to {tmp_path / 'b.json'}\n"


def test_an_existing_document_is_kept_unless_told(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "b.json"
    output.write_text("mine")
    assert run_inside("reference", source, "-o", output).status == 1
    assert output.read_text() == "mine"
    assert run_inside("reference", source, "-o", output, "--overwrite", "--quiet").status == 0
    assert zc.open_hierarchy(output)["g/x"][0, 0] == 5


def test_nodes_that_are_left_out_are_named(source: Path, tmp_path: Path) -> None:
    (source / "broken").mkdir()
    (source / "broken" / "zarr.json").write_text("{")
    assert run_inside("reference", source, "-o", tmp_path / "b.json").status == 1
    outcome = run_inside("reference", source, "-o", tmp_path / "b.json", "--skip")
    assert outcome.status == 1
    assert "/broken is left out" in outcome.stderr
    assert zc.open_hierarchy(tmp_path / "b.json")["g/x"][0, 0] == 5


def test_an_output_of_another_kind_is_refused(source: Path, tmp_path: Path) -> None:
    outcome = run_inside("reference", source, "-o", tmp_path / "b.txt")
    assert outcome.status == 2
    assert "ends in .json, or in .parq" in outcome.stderr


def test_zarr_v3_describes_shards(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a.zarr") as hierarchy:
        hierarchy.create_array("/x", shape=(8, 8), chunks=(2, 2), shards=(4, 4), dtype="int16")[...] = 5
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


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_sources_and_references_in_a_bucket(s3: S3Server, tmp_path: Path, zarr_format: int) -> None:
    values = np.arange(600, dtype="<i4").reshape(30, 20) // 3
    place = f"bucket/{uuid.uuid4()}"
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(10, 10), compression="lzf")
        file.create_dataset("y", data=values, chunks=(10, 10), scaleoffset=0)
        file.create_dataset("z", data=values[0, :5])
    s3.put(f"{place}/a.h5", (tmp_path / "a.h5").read_bytes())
    output = f"s3://{place}/b.refs.json"
    options = ["--zarr-format", str(zarr_format), "--skip", "--inline-threshold", "20", *s3.arguments]
    outcome = run_inside("reference", f"s3://{place}/a.h5", "-o", output, "--json", *options)
    told = json.loads(outcome.text)
    assert [*told["skipped"]] == ["/y"]
    assert (told["reference_count"], told["inlined_count"]) == (6, 1)
    assert zc.open_hierarchy(output, **s3.options)["z"][...].tolist() == values[0, :5].tolist()
    assert np.array_equal(zc.open_hierarchy(output, **s3.options)["x"][...], values)
    document = json.loads(bytes(open_store(f"s3://{place}", **s3.options).get("b.refs.json") or b""))["refs"]
    assert {each[0] for each in document.values() if isinstance(each, list)} == {f"s3://{place}/a.h5"}
