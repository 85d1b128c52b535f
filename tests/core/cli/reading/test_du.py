"""``zarrscope du``."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with zc.create(tmp_path / "a.zarr", "v2") as made:
        small = made.create_array("/g/small", shape=(10,), dtype="int8", codecs=[])
        large = made.create_array("/g/b/large", shape=(100, 100), dtype="float64", codecs=[])
        small[...], large[...] = 1, np.arange(10_000).reshape(100, 100)
    return tmp_path / "a.zarr"


def paths(text: str) -> list[str]:
    return [line.split()[-1] for line in text.splitlines()[1:]]


def test_the_tree_with_its_bytes(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("du", source)
    assert outcome.status == 0
    lines = outcome.text.splitlines()
    assert lines[0].split() == ["stored", "decoded", "node"]
    assert lines[1].split() == ["78.6", "KiB", "78.1", "KiB", "/"]
    assert set(paths(outcome.text)) == {"/", "/g", "/g/small", "/g/b", "/g/b/large"}


def test_the_largest_come_first_or_the_order_is_that_of_paths(source: Path, zarrscope: Run) -> None:
    assert paths(zarrscope("du", source, "--sort", "nbytes").text)[-1] == "/g/small"
    by_path = paths(zarrscope("du", source, "--sort", "path").text)
    assert by_path == sorted(by_path)
    stored = [
        json.loads(line)["stored_nbytes"]
        for line in zarrscope("du", source, "--sort", "stored_nbytes", "--json").text.splitlines()
    ]
    assert stored == sorted(stored, reverse=True)


def test_depth_hides_nodes_that_still_count(source: Path, zarrscope: Run) -> None:
    outcome = zarrscope("du", source, "g", "--depth", "0")
    assert paths(outcome.text) == ["/g"]
    assert "78.1 KiB" in outcome.text
    assert len(paths(zarrscope("du", source, "--depth", "1").text)) == 2


def test_keys_of_no_node_have_a_line(source: Path, zarrscope: Run) -> None:
    (source / "notes\n.txt").write_text("abc")
    outcome = zarrscope("du", source)
    assert outcome.text.splitlines()[-1].split("  ")[-1] == "1 key belongs to no node: notes\\n.txt"
    told = json.loads(zarrscope("du", source, "--json").text.splitlines()[-1])
    assert told == {
        "path": None,
        "kind": "no-node",
        "key_count": 1,
        "stored_nbytes": 3,
        "example_keys": ["notes\n.txt"],
    }


def test_the_second_path_to_an_array_has_no_bytes(tmp_path: Path, zarrscope: Run) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"] = np.arange(1000)
        file["b"] = file["a"]
    lines = zarrscope("du", tmp_path / "a.h5").text.splitlines()
    assert lines[3].split()[:4] == ["0", "bytes", "0", "bytes"]
    assert lines[3].endswith("/b (the same array as /a)")
    told = [json.loads(line) for line in zarrscope("du", tmp_path / "a.h5", "--json").text.splitlines()]
    assert [(one["path"], one["nbytes"], one["same_as"]) for one in told] == [
        ("/", 8000, None),
        ("/a", 8000, None),
        ("/b", 0, "/a"),
    ]


def test_a_broken_node_is_counted_and_changes_the_status(source: Path, zarrscope: Run) -> None:
    (source / "g/small/.zarray").write_text("{")
    outcome = zarrscope("du", source)
    assert outcome.status == 1
    assert "/g/small" in paths(outcome.text)


def test_bytes_that_are_not_known(tmp_path: Path, zarrscope: Run) -> None:
    with zc.create(tmp_path / "s.zarr") as made:
        made.create_array("/s", shape=(2,), dtype="string")[...] = "a"
    lines = zarrscope("du", tmp_path / "s.zarr").text.splitlines()
    assert "> 0 bytes" in lines[1]
    assert lines[2].split()[-2:] == ["?", "/s"]


def test_a_bucket(source: Path, zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    (source / "notes.txt").write_text("abc")
    s3.upload(source, "bucket/du.zarr")
    here, there = (
        zarrscope("du", place, "--sort", "path", "--json") for place in (source, "s3://bucket/du.zarr")
    )
    assert (there.status, there.text) == (0, here.text)
    told = {one["path"]: one["stored_nbytes"] for one in map(json.loads, there.text.splitlines())}
    in_files = sum(file.stat().st_size for file in source.rglob("*") if file.is_file())
    assert (told["/"] + told[None], told[None]) == (in_files, 3)
