"""A file in NumPy's format that becomes an array."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from tests.zfs.conftest import Mount, Mounter
from tests.zfs.trees.writing.written_arrays import VALUES, error_of, stored


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[Path, Mount]:
    """A hierarchy to create nodes in, and its mount."""
    path = tmp_path_factory.mktemp("made") / "h.zarr"
    zarr.create_group(path)
    return path, mounter(path, "--read-write", "--xattr")


@pytest.mark.parametrize(
    "values",
    [
        VALUES,
        VALUES.astype(">f8").T,
        np.float32(3.5),
        np.zeros((0, 3), "u1"),
        np.arange(3_000_000, dtype="u2").reshape(300, 100, 100),
        np.array([1 + 2j, 3]),
        np.array(["a", "äé"]),
    ],
    ids=lambda values: f"{values.dtype.str}{values.shape}",
)
def test_a_copied_file_becomes_an_array(mounted: tuple[Path, Mount], tmp_path: Path, values: Any) -> None:
    path, mount = mounted
    name = f"copied{values.ndim}{values.dtype.kind}"
    np.save(tmp_path / f"{name}.npy", values)
    shutil.copy2(tmp_path / f"{name}.npy", mount.arrays)
    np.testing.assert_array_equal(stored(path, name), values)
    np.testing.assert_array_equal(np.load(mount.arrays / name / "data.npy"), values)
    assert name in os.listdir(mount.arrays)
    assert f"{name}.npy" not in os.listdir(mount.arrays)
    again = subprocess.run(["cp", tmp_path / f"{name}.npy", mount.arrays], check=False, capture_output=True)
    # Now it is written in place, with exactly the header of the array.
    assert again.returncode == (values.dtype.str.startswith(">"))
    np.testing.assert_array_equal(np.load(mount.arrays / f"{name}.npy"), values)


def test_files_that_are_not_arrays_leave_nothing_behind(mounted: tuple[Path, Mount], tmp_path: Path) -> None:
    path, mount = mounted
    before = sorted(os.listdir(path))
    np.save(tmp_path / "good.npy", VALUES)
    content = (tmp_path / "good.npy").read_bytes()
    assert error_of((mount.arrays / "bad.npy").write_bytes, content[:-1]) == errno.EINVAL
    assert error_of((mount.arrays / "bad.npy").write_bytes, content + b"x") == errno.EINVAL
    assert error_of((mount.arrays / "bad.npy").write_bytes, b"no header") == errno.EINVAL
    np.save(tmp_path / "objects.npy", np.array([None, {}]), allow_pickle=True)
    objects = (tmp_path / "objects.npy").read_bytes()
    assert error_of((mount.arrays / "bad.npy").write_bytes, objects) == errno.EOPNOTSUPP
    (mount.arrays / "group").mkdir()
    assert error_of((mount.arrays / "group.npy").write_bytes, content) == errno.EEXIST
    assert not (mount.arrays / "bad.npy").exists()
    assert not (mount.arrays / "bad").exists()
    assert sorted(os.listdir(path)) == sorted([*before, "group"])
    assert "bytes; according to its header, it needs" in mount.log.read_text()
