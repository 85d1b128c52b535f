"""An Icechunk repository through a real mount."""

from __future__ import annotations

import os
from pathlib import Path

import icechunk
import numpy as np
import zarr

from tests.core.stores.icechunk.repositories import values_of, write
from tests.waiting import wait_until
from tests.zfs.conftest import Mounter


def test_branches_tags_and_snapshots_are_folders(tmp_path: Path, mounter: Mounter) -> None:
    written = write(tmp_path / "repo")
    storage = icechunk.local_filesystem_storage(str(written.path))
    mounted = mounter(written.path, "--metadata-ttl", "0.2")
    shown = {name for name in os.listdir(mounted.arrays) if not name.endswith(".json")}
    assert shown == {"branches", "snapshots", "tags"}
    for folder, version in (
        ("branches/main", {"branch": "main"}),
        ("tags/v1", {"tag": "v1"}),
        (f"snapshots/{written.first}", {"snapshot_id": written.first}),
    ):
        for path, values in values_of(storage, **version).items():
            np.testing.assert_array_equal(np.load(mounted.arrays / folder / path[1:] / "data.npy"), values)
    assert not (mounted.arrays / "branches/no").exists()
    repository = icechunk.Repository.open(storage)
    session = repository.writable_session("main")
    zarr.open_group(session.store)["a/b"][0, 0] = 7
    session.commit("third")
    file = mounted.arrays / "branches/main/a/b/data.npy"
    wait_until(lambda: np.load(file)[0, 0] == 7, "the new commit is shown")


def test_a_chosen_version_is_mounted_alone(tmp_path: Path, mounter: Mounter) -> None:
    written = write(tmp_path / "repo")
    mounted = mounter(f"{written.path}?tag=v1")
    assert np.load(mounted.arrays / "a/b/data.npy")[3, 3] == -1
