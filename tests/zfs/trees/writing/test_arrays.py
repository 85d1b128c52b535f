"""``--read-write``: arrays changed in place through ``arrays/``, and new arrays and groups made there."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from tests.servers import S3Server
from tests.zfs.conftest import Mount, Mounter
from tests.zfs.trees.writing.written_arrays import VALUES, error_of, stored

LAYOUTS: dict[str, dict[str, Any]] = {
    "v2": {"chunks": (7, 9)},
    "v3": {"chunks": (7, 9)},
    "sharded": {"chunks": (5, 5), "shards": (20, 25)},
}


@pytest.fixture(scope="module", params=LAYOUTS)
def hierarchy(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, mounter: Mounter
) -> tuple[str, Path, Mount]:
    """A hierarchy in a folder, the chunk layout of its arrays, and its mount."""
    path = tmp_path_factory.mktemp("edited") / "folder" / "h.zarr"
    zarr.create_group(path, zarr_format=2 if request.param == "v2" else 3, attributes={"by": "zarr-python"})
    return request.param, path, mounter(path, "--read-write", "--xattr")


@pytest.fixture
def place(hierarchy: tuple[str, Path, Mount], request: pytest.FixtureRequest) -> Path:
    """A group for one test, with the array ``a``."""
    layout, path, _ = hierarchy
    group = zarr.open_group(path).create_group(request.node.originalname, attributes={"by": "zarr-python"})
    options = {"shape": VALUES.shape, "dtype": "i4", "attributes": {"units": "m"}, **LAYOUTS[layout]}
    group.create_array("a", **options)[...] = VALUES
    return path / request.node.originalname


@pytest.fixture
def keys(hierarchy: tuple[str, Path, Mount], place: Path) -> Path:
    """The group's keys in the mount."""
    return hierarchy[2].keys / place.name


@pytest.fixture
def arrays(hierarchy: tuple[str, Path, Mount], place: Path) -> Path:
    """The group in the mount."""
    return hierarchy[2].arrays / place.name


def test_arrays_are_changed_through_mappings_of_numpy(place: Path, arrays: Path) -> None:
    expected = VALUES.copy()
    mapped = np.load(arrays / "a" / "data.npy", mmap_mode="r+")
    for index in ((3, 4), slice(10, 30), (slice(None), 7), (slice(0, 60, 13), slice(2, 40, 3))):
        mapped[index] = expected[index] = -VALUES[index] - 1
    mapped.flush()
    np.testing.assert_array_equal(stored(place), expected)
    np.testing.assert_array_equal(np.load(arrays / "a" / "data.npy"), expected)
    raw = np.memmap(arrays / "a" / "data.raw", "<i4", "r+", shape=VALUES.shape)
    np.testing.assert_array_equal(raw, expected)
    raw[59] = expected[59] = 5
    raw.flush()
    np.testing.assert_array_equal(stored(place), expected)
    np.testing.assert_array_equal(mapped, expected)
    np.testing.assert_array_equal(np.load(arrays / "a" / "[59].npy"), expected[59])


def test_programs_write_whole_files(place: Path, arrays: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "new.npy", VALUES * 2)
    subprocess.run(["cp", tmp_path / "new.npy", arrays / "a" / "data.npy"], check=True)
    np.testing.assert_array_equal(stored(place), VALUES * 2)
    (tmp_path / "new.raw").write_bytes((VALUES * 3).tobytes())
    dd = ["dd", f"if={tmp_path}/new.raw", f"of={arrays}/a/data.raw", "bs=999", "conv=notrunc,fsync"]
    subprocess.run(dd, check=True, stderr=subprocess.DEVNULL)
    np.testing.assert_array_equal(stored(place), VALUES * 3)
    np.save(arrays / "a" / "data.npy", VALUES * 4)
    np.testing.assert_array_equal(stored(place), VALUES * 4)
    dd = ["dd", f"if={tmp_path}/new.raw", f"of={arrays}/a/data.raw", "bs=7", "seek=3", "skip=3", "count=50"]
    subprocess.run([*dd, "conv=notrunc"], check=True, stderr=subprocess.DEVNULL)
    expected = bytearray((VALUES * 4).tobytes())
    expected[21:371] = (VALUES * 3).tobytes()[21:371]
    assert stored(place).tobytes() == expected


def test_written_data_is_visible_in_the_file_at_once_and_stored_at_close(place: Path, arrays: Path) -> None:
    file = arrays / "a" / "data.raw"
    with open(file, "rb", buffering=0) as reader, open(file, "r+b", buffering=0) as writer:
        before = reader.read(8)
        assert writer.write(b"\1" * 8) == 8
        assert os.pread(reader.fileno(), 12, 0) == b"\1" * 8 + VALUES.tobytes()[8:12]
        assert stored(place).tobytes()[:8] == before
        os.fsync(writer.fileno())
        assert stored(place).tobytes()[:8] == b"\1" * 8
        os.pwrite(writer.fileno(), b"\2", 4001)
    assert stored(place).tobytes()[4001] == 2
    assert file.read_bytes() == stored(place).tobytes()


def test_several_writers_change_one_array(place: Path, arrays: Path) -> None:
    """S34: "All handles of the file see written data at once"; each writes other rows of the same chunks."""
    expected = VALUES.copy()

    def write(first: int) -> None:
        random = np.random.default_rng(first)
        names = ("data.raw", "data.npy") if first % 2 else ("data.raw",)
        for name in names:
            with open(arrays / "a" / name, "r+b", buffering=0) as file:
                start = os.fstat(file.fileno()).st_size - VALUES.nbytes
                for row in random.permutation(np.arange(first, 60, 4)):
                    expected[row] = random.integers(0, 1000, 50)
                    os.pwrite(file.fileno(), expected[row].tobytes(), start + int(row) * 200)
                    assert os.pread(file.fileno(), 200, start + int(row) * 200) == expected[row].tobytes()
                    if random.random() < 0.2:
                        os.fsync(file.fileno())

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    np.testing.assert_array_equal(stored(place), expected)
    for name in ("data.npy", "[:].npy"):
        np.testing.assert_array_equal(np.load(arrays / "a" / name), expected)


def test_invalid_writes_are_refused(place: Path, arrays: Path) -> None:
    npy, raw = arrays / "a" / "data.npy", arrays / "a" / "data.raw"
    descriptor = os.open(npy, os.O_RDWR)
    header = os.pread(descriptor, 128, 0)
    assert os.pwrite(descriptor, header, 0) == 128
    assert error_of(os.pwrite, descriptor, b"x", 0) == errno.EINVAL
    assert error_of(os.pwrite, descriptor, b"x", npy.stat().st_size) == errno.EFBIG
    assert error_of(os.ftruncate, descriptor, 5) == errno.EPERM
    os.ftruncate(descriptor, npy.stat().st_size)
    os.close(descriptor)
    assert error_of(os.truncate, raw, 5) == errno.EPERM
    assert error_of(raw.write_bytes, b"too short") == errno.EINVAL
    for action in (raw.unlink, (arrays / "a").rmdir):
        assert error_of(action) in (errno.EPERM, errno.EROFS)
    assert error_of((arrays / "a").rename, arrays / "b") == errno.EPERM
    assert error_of((arrays / "some.txt").write_bytes, b"") == errno.EPERM
    assert error_of((arrays / "a" / "metadata.json").write_bytes, b"") == errno.EROFS
    assert error_of((arrays / "a" / "data.png").write_bytes, b"") == errno.EROFS
    assert error_of(os.truncate, arrays / "a" / "metadata.json", 0) == errno.EROFS
    assert stored(place).tobytes()[9:] == VALUES.tobytes()[9:]


def test_an_array_that_was_replaced_is_not_written(place: Path, arrays: Path, keys: Path) -> None:
    with open(arrays / "a" / "data.raw", "r+b", buffering=0) as file:
        file.write(b"\1" * 100)
        zarr.open_array(keys / "a").resize((30, 50))
        assert error_of(os.fsync, file.fileno()) == errno.ESTALE
        assert error_of(file.close) == errno.ESTALE
    np.testing.assert_array_equal(stored(place), VALUES[:30])


def test_mkdir_makes_groups(place: Path, arrays: Path) -> None:
    (arrays / "some" / "deeper").mkdir(parents=True)
    np.save(arrays / "some" / "deeper" / "x.npy", VALUES)
    assert [*zarr.open_group(place, mode="r")["some/deeper"]] == ["x"]
    assert error_of((arrays / "some").mkdir) == errno.EEXIST
    assert error_of((arrays / "some").rmdir) == errno.EPERM
    reserved = ["__reserved"] if not (place / ".zgroup").exists() else []  # Zarr v2 reserves no names
    for name in (*reserved, "%2E%2E", "%00"):
        assert error_of((arrays / name).mkdir) == errno.EINVAL
    for name in (*(f"{name}.npy" for name in reserved), "zarr.json.npy"):
        assert error_of((arrays / name).write_bytes, b"") == errno.EINVAL
    made = zarr.open_group(place, mode="r")["some/deeper"]
    assert made.metadata.zarr_format == (2 if (place / ".zgroup").exists() else 3)


def test_extended_attributes_are_set_and_removed(place: Path, arrays: Path, keys: Path) -> None:
    for node in (arrays, arrays / "a"):
        os.setxattr(node, "user.zarr.attributes.new", '{"a": [1, "é"]}'.encode())
        os.setxattr(node, "user.zarr.attributes.text", b'"metres"')
        assert json.loads(os.getxattr(node, "user.zarr.attributes.new")) == {"a": [1, "é"]}
        for name, value in (("attributes.x", b"metres"), ("attributes.x", b"NaN")):
            assert error_of(os.setxattr, node, f"user.zarr.{name}", value) == errno.EINVAL
        assert error_of(os.setxattr, node, "user.zarr.kind", b"group") == errno.EPERM
        assert error_of(os.setxattr, node, "user.other", b"1") == errno.EOPNOTSUPP
        assert error_of(os.removexattr, node, "user.zarr.attributes.x") == errno.ENODATA
    os.removexattr(arrays / "a", "user.zarr.attributes.units")
    found = zarr.open_group(place, mode="r")
    assert dict(found.attrs) == {"by": "zarr-python", "new": {"a": [1, "é"]}, "text": "metres"}
    assert dict(found["a"].attrs) == {"new": {"a": [1, "é"]}, "text": "metres"}
    assert json.loads((arrays / "a" / "attributes.json").read_text()) == dict(found["a"].attrs)
    assert error_of(os.setxattr, keys, "user.zarr.attributes.x", b"1") in (errno.EROFS, errno.EPERM)


def test_arrays_in_a_bucket_are_writable(s3: S3Server, mounter: Mounter) -> None:
    mounted = mounter("s3://bucket/edited", "--read-write", *s3.arguments)
    zarr.create_group(mounted.keys)
    content = io.BytesIO()
    np.save(content, VALUES)
    (mounted.arrays / "x.npy").write_bytes(content.getvalue())
    with open(mounted.arrays / "x" / "data.raw", "r+b") as file:
        file.seek(30 * 200)
        file.write((VALUES[30:] * 2).tobytes())
    # In another process: this one's server cannot answer while Python waits for the kernel to write pages.
    code = f"import numpy; a = numpy.load('{mounted.arrays}/x/data.npy', mmap_mode='r+'); a[3:, 3] = -1; a.flush()"
    subprocess.run([sys.executable, "-c", code], check=True)
    expected = VALUES.copy()
    expected[30:] *= 2
    expected[3:, 3] = -1
    np.testing.assert_array_equal(zarr.open_array(mounted.keys / "x")[...], expected)


def test_a_folder_of_hierarchies_is_read_only(tmp_path: Path, mount: Mounter) -> None:
    for version in (2, 3):
        root = zarr.create_group(tmp_path / "folder" / f"v{version}.zarr", zarr_format=version)
        root.create_array("a", data=VALUES)
    mounted = mount(tmp_path / "folder", "--read-write")
    file = mounted.arrays / "v3.zarr" / "a" / "data.raw"
    assert error_of(file.write_bytes, b"") == errno.EROFS
    assert error_of((mounted.arrays / "v3.zarr" / "made").mkdir) == errno.EROFS
    zarr.open_array(mounted.keys / "v3.zarr" / "a")[0, 0] = 77
    assert np.frombuffer(file.read_bytes(), "<i4")[0] == 77
