"""The commands on a folder of many hierarchies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.command import Run
from tests.hierarchies import write_collection
from tests.hierarchies.collection import NODES, VALUES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("collection")
    write_collection(path)
    return path


def test_tree(zarrscope: Run, folder: Path) -> None:
    done = zarrscope("tree", folder)
    assert done.status == 1  # for what is broken
    assert [line.split("── ")[-1].split("  ")[0] for line in done.text.splitlines()] == [
        path.rpartition("/")[2] or "/" for path, _ in NODES
    ]
    assert "── v2.zarr  Zarr v2\n" in done.text
    assert "── south.n5  N5\n" in done.text
    assert "── broken.zarr  broken.zarr/zarr.json: expected a JSON object" in done.text
    lines = [json.loads(line) for line in zarrscope("tree", folder, "--json").text.splitlines()]
    assert [(line["path"], line["kind"]) for line in lines] == NODES
    assert {line["path"]: line["format"] for line in lines if "format" in line}["/2020"] == "draft-2020-10"
    assert zarrscope("tree", folder, "/sites", "--depth", "1").text.count("\n") == 3


def test_info_of_nodes_and_of_the_folder(zarrscope: Run, folder: Path) -> None:
    done = zarrscope("info", folder)
    assert done.status == 0
    assert "Collection of hierarchies" in done.text
    assert "metadata key" not in done.text
    told = json.loads(zarrscope("info", folder, "--json").text)
    assert (told["kind"], told["format"], told["specification"], told["metadata_key"]) == (
        "collection",
        "collection",
        None,
        None,
    )
    told = json.loads(zarrscope("info", folder, "sites/south.n5/g/b", "--json").text)
    assert (told["kind"], told["format"], told["path"]) == ("array", "n5", "/sites/south.n5/g/b")
    assert "Zarr v2" in zarrscope("info", f"{folder}#/sites/north/v2.zarr/b", "--storage").text
    assert zarrscope("info", folder / "notes").stderr.endswith("is there, nor in the folder below it\n")
    assert "no node /nowhere in" in zarrscope("info", folder, "nowhere").stderr
    assert sorted(zarrscope("ls", folder, "notes").text.split()) == [
        "notes/archive.zip.txt",
        "notes/empty/",
        "notes/today.md",
    ]


@pytest.mark.parametrize("path", [path for path, kind in NODES if kind == "array"])
def test_cat(zarrscope: Run, folder: Path, path: str, tmp_path: Path) -> None:
    assert zarrscope("cat", folder, path, "-o", tmp_path / "x.npy").status == 0
    assert np.array_equal(np.load(tmp_path / "x.npy"), VALUES)
    assert "is a collection: name an array" in zarrscope("cat", folder, "sites").stderr


def test_check_covers_all_hierarchies(zarrscope: Run, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "all")
    (tmp_path / "all/sites/north/v2.zarr/b/0.0").write_bytes(b"cut")
    (tmp_path / "all/2020/data/root/b/c9").write_bytes(b"")
    told = json.loads(zarrscope("check", tmp_path / "all", "--json").text)
    found = {(finding["severity"], finding["path"], finding["key"]) for finding in told["findings"]}
    assert ("error", "/broken.zarr", "broken.zarr/zarr.json") in found
    assert ("error", "/sites/north/v2.zarr/b", "sites/north/v2.zarr/b/0.0") in found
    assert told["error_count"] == 2
    assert told["array_count"] == 5
    assert not [finding for finding in told["findings"] if "readme" in (finding["key"] or "")]
    done = zarrscope("check", folder, "sites/south.n5", "--strict")
    assert done.status == 0
    assert "of 1 array decoded" in done.text


def test_copy_one_or_all(zarrscope: Run, folder: Path, tmp_path: Path) -> None:
    done = zarrscope("copy", f"{folder}#/sites/south.n5", tmp_path / "one.zarr", "--to", "v3")
    assert (done.status, done.stderr.count("Error")) == (0, 0)
    assert np.array_equal(zarr.open_array(tmp_path / "one.zarr", path="g/b")[...], VALUES)
    assert zarrscope("copy", f"{folder}#/sites/north/v2.zarr", tmp_path / "same").status == 0
    assert (tmp_path / "same/.zgroup").exists()
    done = zarrscope("copy", folder, tmp_path / "all.zarr")
    assert done.status == 1
    assert "broken.zarr/zarr.json: expected a JSON object" in done.stderr
    shutil.copytree(folder, tmp_path / "good", ignore=shutil.ignore_patterns("broken.zarr"))
    assert zarrscope("copy", tmp_path / "good", tmp_path / "all.zarr").status == 0
    root = zarr.open_group(tmp_path / "all.zarr")
    for path in (path for path, kind in NODES if kind == "array"):
        assert np.array_equal(root[path][...], VALUES)


def test_a_named_format_counts(zarrscope: Run, folder: Path) -> None:
    told = json.loads(zarrscope("info", folder, "--format", "v3", "--json").text)
    assert (told["kind"], told["format"]) == ("group", "v3")
