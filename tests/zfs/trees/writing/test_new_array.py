"""A file in NumPy's format that becomes an array."""

from __future__ import annotations

import errno
import io
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.zfs.conftest import Mount, Mounter
from tests.zfs.trees.writing.written_arrays import VALUES, error_of, stored
from zarrcore.hierarchy import ArrayNode, Hierarchy
from zarrcore.stores import MemoryStore
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.writing.new_array import NewArray
from zarrfs.trees.writing.spool import SpoolMemory


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


def written(content: bytes, memory: int = 1 << 20) -> Hierarchy:
    """A hierarchy in which ``content`` was written as the array ``/new``."""
    hierarchy = zc.create(MemoryStore())
    new = NewArray(lambda: hierarchy, "/new", lambda: None, SpoolMemory(memory))
    new.write(0, content, True)
    try:
        new.store(closing=True)
    finally:
        new.close()
    return hierarchy


def npy(values: Any, version: tuple[int, int] | None = None) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(values), version)
    return stream.getvalue()


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_each_version_of_the_header_is_read(version: tuple[int, int]) -> None:
    values = np.array([(1, 2.5), (3, 4.5)], [("a", "<i2"), ("b", "<f8")])
    array = written(npy(values, version))["/new"]
    assert isinstance(array, ArrayNode)
    np.testing.assert_array_equal(array[...], values)


def test_fields_may_have_any_names() -> None:
    values = np.array([(1, 2.5)], [("高さ", "<i2"), ("ä", "<f8")])
    array = written(npy(values, (3, 0)))["/new"]
    assert isinstance(array, ArrayNode)
    assert np.asarray(array[...]).dtype.names == ("高さ", "ä")


@pytest.mark.parametrize("memory", [0, 1 << 20])
def test_elements_in_the_order_of_fortran_keep_their_places(memory: int) -> None:
    values = np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4))
    array = written(npy(values), memory)["/new"]
    assert isinstance(array, ArrayNode)
    np.testing.assert_array_equal(array[...], values)


def test_an_array_is_only_made_when_the_file_is_closed_and_not_changed_afterwards() -> None:
    hierarchy = zc.create(MemoryStore())
    new = NewArray(lambda: hierarchy, "/new", lambda: None, SpoolMemory(1 << 20))
    content = npy([1, 2, 3])
    new.write(0, content, True)
    new.resize(len(content) + 1, True)
    new.store(closing=False)
    assert (new.holds_changes, "/new" in hierarchy) == (True, False)
    with pytest.raises(RefusedError, match="according to its header, it needs"):
        new.store(closing=True)
    new.resize(len(content), True)
    new.store(closing=True)
    assert (new.holds_changes, "/new" in hierarchy) == (False, True)
    assert bytes(new.read(0, 6, True)) == b"\x93NUMPY"
    for change in (lambda: new.write(0, b"x", True), lambda: new.resize(0, True)):
        with pytest.raises(RefusedError, match="/new is already an array") as caught:
            change()
        assert caught.value.errno == errno.EPERM
    new.close()


def test_the_file_of_a_new_array_cannot_be_opened_again() -> None:
    new = NewArray(lambda: zc.create(MemoryStore()), "/new", lambda: None, SpoolMemory(0))
    new.write(0, b"12345", True)
    assert new.shown.size == 5
    with pytest.raises(RefusedError, match="/new is not an array yet") as caught:
        new.shown.open(True)
    assert (caught.value.errno, caught.value.is_logged) == (errno.ENOENT, False)
    with pytest.raises(RefusedError) as caught:
        new.shown.open_to_write(True, True)
    assert caught.value.errno == errno.EBUSY
    new.close()


def header(descr: Any, shape: Any = (1,)) -> bytes:
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode() + bytes(8)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY\4\0",
        b"\x93NUMPY\3\4" + npy([1])[8:],
        b"\x93NUMPY\1\0\x0a\0{'shape':}\n",
        b"\x93NUMPY\1\0\x2c\1" + b"(" * 300,
        header("<M8[s/0]"),  # for these, NumPy divides by zero, which would end the process
        header("<M8[0s]"),
        header([("a", [("b", "<m8[0s]")])]),
        header([("a", ("<M8[0D]", (2,)))]),
        header("<f4", (-1, -2)),
        header("<f4", (True, 2)),
        header(["a"]),
        header([("a", "<i4"), ("a", "<i4")]),
        header({"a": 1}),
        header("<U0", (0,))[:58],  # shorter than it says
    ],
    ids=repr,
)
def test_a_file_without_a_header_is_refused(content: bytes) -> None:
    with pytest.raises(RefusedError, match="does not begin with the header of a NumPy file"):
        written(content)
