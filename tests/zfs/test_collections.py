"""A folder and a bucket of many hierarchies through a real mount."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.hierarchies import Expected, write_collection
from tests.hierarchies.collection import NODES
from tests.servers import S3Server
from tests.waiting import wait_until
from tests.zfs.conftest import Mounter

GROUP = b'{"zarr_format": 3, "node_type": "group"}'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("collection")


@pytest.fixture(scope="module")
def expected(folder: Path) -> Expected:
    return write_collection(folder)


@pytest.mark.parametrize("place", ["folder", "bucket"])
def test_all_hierarchies_are_one_tree(
    place: str, folder: Path, expected: Expected, s3: S3Server, mounter: Mounter
) -> None:
    if place == "bucket":
        s3.upload(folder, "bucket/mounted")
        mounted = mounter("s3://bucket/mounted", "--anonymous", *s3.arguments)
    else:
        mounted = mounter(folder)
    for path, values in expected.items():
        np.testing.assert_array_equal(np.load(mounted.arrays / path[1:] / "data.npy"), values)
    shown = {f"/{node.relative_to(mounted.arrays)}" for node in mounted.arrays.rglob("*") if node.is_dir()}
    assert shown - {"/notes/empty"} == {path for path, _ in NODES} - {"/", "/notes/empty"}
    assert sorted(os.listdir(mounted.arrays)) == [
        "2020",
        "broken.zarr",
        "notes",
        "sites",
        "v3.zarr",
        "zipped.zip",
    ]
    assert sorted(os.listdir(mounted.arrays / "sites/south.n5")) == ["attributes.json", "g", "metadata.json"]
    assert "JSON" in (mounted.arrays / "broken.zarr/error.txt").read_text()
    assert (mounted.arrays / "broken.zarr/document.json").read_bytes() == b"{"
    assert not (mounted.arrays / "readme.txt").exists()
    assert (mounted.keys / "readme.txt").read_bytes() == (folder / "readme.txt").read_bytes()
    assert (mounted.keys / "zipped.zip").read_bytes() == (folder / "zipped.zip").read_bytes()
    assert subprocess.run(["tar", "-cf", "/dev/null", mounted.path], capture_output=True).returncode == 0
    assert mounted.stats()["format"] == "collection"
    assert mounted.stats()["errors"].get("EIO", 0) == 0


def test_new_hierarchies_appear_after_a_refresh(tmp_path: Path, mount: Mounter) -> None:
    for key in ("all/a/b.zarr/zarr.json", "all/c/text"):
        (tmp_path / key).parent.mkdir(parents=True)
        (tmp_path / key).write_bytes(GROUP)
    mounted = mount(tmp_path / "all")
    assert os.listdir(mounted.arrays / "a/b.zarr") == ["metadata.json", "attributes.json"]
    assert os.listdir(mounted.arrays / "c") == []
    (tmp_path / "all/c/zarr.json").write_bytes(GROUP)
    (tmp_path / "all/a/b.zarr/zarr.json").write_text(
        json.dumps({**json.loads(GROUP), "attributes": {"n": 1}})
    )
    mounted.refresh()
    wait_until(lambda: "metadata.json" in os.listdir(mounted.arrays / "c"), "a new hierarchy")
    assert json.loads((mounted.arrays / "a/b.zarr/attributes.json").read_bytes()) == {"n": 1}
