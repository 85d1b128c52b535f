"""``--read-write`` on all kinds of writable stores, with one tree at the mount point, and with other times to live."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.zfs.conftest import Mount, Mounter
from zarrcore import open_store

VALUES = np.arange(60 * 50, dtype="<i4").reshape(60, 50)


def fill(keys: Path) -> None:
    """Fill a directory with zarr-python, and as a program that renames files."""
    root = zarr.create_group(keys, attributes={"n": 1})
    root.create_array("deep/x", shape=VALUES.shape, chunks=(20, 30), dtype="i4")[...] = VALUES
    root["deep/x"][3, 4] = -1
    (keys / "note.tmp").write_bytes(b"first")
    (keys / "note.tmp").rename(keys / "note")
    (keys / "note").write_bytes(b"second")
    (keys / "gone").write_bytes(b"")
    (keys / "gone").unlink()


def check(mounted: Mount) -> None:
    expected = VALUES.copy()
    expected[3, 4] = -1
    np.testing.assert_array_equal(zarr.open_group(mounted.keys, mode="r")["deep/x"][...], expected)
    np.testing.assert_array_equal(np.load(mounted.arrays / "deep" / "x" / "data.npy"), expected)
    assert sorted(os.listdir(mounted.keys)) == ["deep", "note", "zarr.json"]
    assert (mounted.keys / "note").read_bytes() == b"second"


@pytest.mark.parametrize("name", ["x.zip", "sqlite://{}/x.sqlite", "lmdb://{}/x.lmdb"])
def test_all_kinds_of_stores_are_writable(name: str, tmp_path: Path, mount: Mounter) -> None:
    (tmp_path / "store").mkdir()
    place = name.format(tmp_path / "store") if "{}" in name else str(tmp_path / "store" / name)
    with open_store(place, create=True):
        pass
    mounted = mount(place, "--read-write")
    fill(mounted.keys)
    check(mounted)
    with open(mounted.arrays / "deep" / "x" / "data.raw", "r+b") as file:
        file.write(b"\1" * 8)
    assert mounted.umount().status == 0
    with zc.open_hierarchy(place) as found:
        assert found["deep/x"][0, :3].tolist() == [0x01010101, 0x01010101, 2]
        assert bytes(found.store.get("note") or b"") == b"second"


@pytest.mark.parametrize("ttl", ["0", "forever"])
def test_writing_works_with_any_time_to_live(ttl: str, tmp_path: Path, mount: Mounter) -> None:
    (tmp_path / "store").mkdir()
    mounted = mount(tmp_path / "store", "--read-write", "--metadata-ttl", ttl)
    assert os.listdir(mounted.arrays) == ["error.txt"]
    fill(mounted.keys)
    check(mounted)
    np.save(mounted.arrays / "y.npy", VALUES)
    np.testing.assert_array_equal(zarr.open_array(mounted.keys / "y")[...], VALUES)
    (mounted.keys / "note").write_bytes(b"third, and longer")
    assert (mounted.keys / "note").read_bytes() == b"third, and longer"


def test_one_tree_at_the_mount_point_is_writable(tmp_path: Path, mount: Mounter) -> None:
    (tmp_path / "store").mkdir()
    keys = mount(tmp_path / "store", "--read-write", "--view", "keys").path
    fill(keys)
    assert sorted(os.listdir(keys)) == ["deep", "note", "zarr.json"]
    arrays = mount(tmp_path / "store", "--read-write", "--view", "arrays").path
    (arrays / "made").mkdir()
    np.save(arrays / "y.npy", VALUES)
    np.testing.assert_array_equal(zarr.open_group(keys)["y"][...], VALUES)
    assert sorted(os.listdir(arrays)) == ["attributes.json", "deep", "made", "metadata.json", "y"]
    zarr3 = mount(tmp_path / "store", "--read-write", "--view", "zarr3").path
    with pytest.raises(OSError, match=os.strerror(30)):
        (zarr3 / "new").write_bytes(b"")
