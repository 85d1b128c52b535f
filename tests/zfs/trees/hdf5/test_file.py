"""Files of ``hdf5/``: when they are made, how long they are valid, and what is fetched for their readers."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import pytest

import zarrcore as zc
from tests.servers import S3Server
from tests.servers.proxy import proxy
from tests.zfs.conftest import LONGITUDE, Mount, Mounter, wait_until
from tests.zfs.trees.entries import Clock, walk
from tests.zfs.trees.hdf5.test_tree import run
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.hdf5.tree import HDF5Tree


def made(mount: Mount) -> int:
    """The number of files made so far."""
    return int(mount.stats()["hdf5_files"]["made"])


def test_listing_makes_no_file(ocean: Path, mount: Mounter) -> None:
    """S38: "Neither listing nor looking up a name makes one"."""
    mounted = mount(ocean)
    assert sum(len(names) for _, _, names in os.walk(mounted.path / "hdf5")) == 6 + 2
    assert (mounted.path / "hdf5" / "nothing.h5").exists() is False
    assert made(mounted) == 0
    folder = mounted.path / "hdf5" / "sea"
    for read in (
        os.read,
        lambda descriptor, nbytes: os.pread(descriptor, nbytes, 0),
    ):  # its size was not requested
        descriptor = os.open(folder / "lon.h5", os.O_RDONLY)
        content = read(descriptor, 1 << 20)
        assert len(content) == os.fstat(descriptor).st_size == os.lseek(descriptor, 0, os.SEEK_END) > 240
        os.close(descriptor)
    assert made(mounted) == 1
    assert (folder / "wave.h5").stat().st_size == len((folder / "wave.h5").read_bytes()) > 0
    # A listing gives the size if it is known, and otherwise no wrong one.
    sizes = {entry.name: entry.stat().st_size for entry in os.scandir(folder) if entry.is_file()}
    for name, size in sizes.items():
        assert len((folder / name).read_bytes()) == size > 0, name
    assert made(mounted) == len(sizes)


def test_an_open_file_stays_when_metadata_change(ocean: Path, tmp_path: Path, mount: Mounter) -> None:
    """S39: "An open file of `hdf5/` stays as it was opened"."""
    source = shutil.copytree(ocean, tmp_path / "a.zarr")
    mounted = mount(source, "--metadata-ttl", "forever")
    path = mounted.path / "hdf5" / "sea" / "wave.h5"
    hierarchy = zc.open(source, "r+")
    with path.open("rb", buffering=0) as before, path.open("rb") as again:
        content = before.read()
        number = os.fstat(before.fileno()).st_ino
        assert os.fstat(again.fileno()).st_ino == number
        hierarchy["sea/wave"].attributes = {"units": "foot", "long": ["x" * 1000] * 50}
        assert path.stat().st_size == len(content)
        mounted.refresh()
        wait_until(lambda: path.stat().st_size != len(content), "the new size is visible")
        assert path.stat().st_ino != number
        with h5py.File(path) as file:
            assert file["wave"].attrs["units"] == "foot"
            np.testing.assert_array_equal(file["wave"], np.arange(180).reshape(6, 30))
        assert os.fstat(before.fileno()).st_size == len(content)
        assert again.read() == content
        before.seek(0)
        assert before.read() == content
    # The file is made again, equal to the open one, and so has the same inode number.
    with path.open("rb") as before:
        number = os.fstat(before.fileno()).st_ino
        count = made(mounted)
        mounted.refresh()
        wait_until(lambda: made(mounted) > count or path.stat().st_ino < 0, "it is made again")
        assert path.stat().st_ino == number


def test_new_metadata_of_the_same_length_are_shown(ocean: Path, tmp_path: Path, mount: Mounter) -> None:
    """The kernel's pages of a file are dropped even if new metadata have the same number of bytes."""
    source = shutil.copytree(ocean, tmp_path / "a.zarr")
    mounted = mount(source, "--metadata-ttl", "0")
    path = mounted.path / "hdf5" / "sea" / "wave.h5"
    size = path.stat().st_size
    for units in ("cm", "mm", "km"):
        zc.open(source, "r+")["sea/wave"].attributes = {"units": units}
        with h5py.File(path) as file:
            assert file["wave"].attrs["units"] == units
        zc.open(source, "r+")["sea/time"][0] = len(units)
        with h5py.File(path) as file:
            assert file["time"][0] == len(units)
    assert path.stat().st_size == size


def test_a_damaged_chunk_only_affects_its_readers(ocean: Path, tmp_path: Path, mount: Mounter) -> None:
    source = shutil.copytree(ocean, tmp_path / "a.zarr")
    (source / "sea/wave/c/3/0").write_bytes(b"junk")
    mounted = mount(source)
    daemon = mounted.daemon()
    path = mounted.path / "hdf5" / "__all__.h5"
    dumped = subprocess.run(["h5dump", path], capture_output=True, text=True, timeout=120)
    assert dumped.returncode != 0
    assert "-20, -18.62" in dumped.stdout
    with h5py.File(path) as file, pytest.raises(OSError, match="Input/output error"):
        file["sea/wave"][...]
    with h5py.File(path) as file:
        assert file["sea/lon"][...].tobytes() == LONGITUDE.tobytes()
    shutil.rmtree(source / "sea")
    mounted.refresh()
    wait_until(lambda: not os.listdir(path.parent), "the group is gone")
    with h5py.File(path) as file:
        assert not len(file)
    assert mounted.daemon() == daemon
    assert "Traceback" not in mounted.log.read_text()


_LOOKING = """
import h5py, sys
with h5py.File(sys.argv[1]) as file:
    names = []
    file.visititems(lambda name, node: names.append((name, node.shape, dict(node.attrs))))
    print(len(names))
"""
_READING = """
import h5py, sys
with h5py.File(sys.argv[1]) as file:
    sys.stdout.buffer.write(file["a42"][int(sys.argv[2])].tobytes())
"""


@pytest.mark.parametrize("tree", ["__all__.h5", "a.h5"])
def test_recognizing_a_file_decodes_no_chunk(tmp_path: Path, mount: Mounter, tree: str) -> None:
    """S40: "Looking at names, shapes and attributes fetches no chunk", although Python 3.14 reads 128 KiB for the first bytes."""
    array = zc.create(tmp_path / "a.zarr").create_array(
        "a", shape=(2, 512, 1024), data_type="uint8", chunk_shape=(1, 64, 64)
    )
    array[...] = 7
    mounted = mount(tmp_path / "a.zarr")
    with open(mounted.path / "hdf5" / tree, "rb", buffering=128 << 10) as file:
        assert file.read(8) == b"\x89HDF\r\n\x1a\n"
    assert mounted.stats()["decoded"]["chunks"] == 0


@pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/sys/class/bdi").is_dir(),
    reason="only root may raise the kernel's read-ahead, in /sys; a lower one exceeds a plane",
)
def test_far_away(s3: S3Server, tmp_path: Path, mount: Mounter) -> None:
    """S40: "Looking at names, shapes and attributes fetches no chunk"; here for 100 arrays, and 50 ms for each request."""
    values = np.random.default_rng(0).integers(0, 99, (8, 256, 512), "<i4")
    hierarchy = zc.create(tmp_path / "hundred.zarr")
    hierarchy.create_array("time", shape=(8,), data_type="int64", dimension_names=["time"])[...] = np.arange(
        8
    )
    for number in range(99):
        array = hierarchy.create_array(
            f"a{number}", shape=values.shape, data_type="int32", chunk_shape=(2, 64, 256),
            dimension_names=["time", "y", "x"], attributes={"n": number},
        )  # fmt: skip
        if number == 42:
            array[...] = values
    s3.upload(tmp_path / "hundred.zarr", "bucket/hundred.zarr")
    with proxy(s3.endpoint_url, 0.05) as distant:
        mounted = mount("s3://bucket/hundred.zarr", "--endpoint-url", distant.url, "--region", "us-east-1")
        path = mounted.path / "hdf5" / "__all__.h5"

        def asked() -> tuple[int, int]:
            stats = mounted.stats()
            return stats["store"]["get"]["requests"], stats["decoded"]["chunks"]

        assert int(run(sys.executable, "-c", _LOOKING, path)) >= 100
        metadata, decoded = asked()
        assert (metadata <= 110, decoded) == (True, 0)
        for plane, chunks in ((5, 8), (4, 0), (1, 8)):
            read = subprocess.run([sys.executable, "-c", _READING, path, str(plane)], capture_output=True)
            assert read.stdout == values[plane].tobytes()
            metadata, decoded = metadata + chunks, decoded + chunks
            assert asked() == (metadata, decoded)


def test_data_written_in_another_tree_is_visible(ocean: Path, tmp_path: Path, mount: Mounter) -> None:
    """S33: "What is written through a mount shows in all of its trees at once"."""
    mounted = mount(shutil.copytree(ocean, tmp_path / "a.zarr"), "--read-write")
    folder = mounted.path / "hdf5" / "sea"
    with h5py.File(folder / "wave.h5") as file:
        assert file["wave"][0, 0] == 0
        with open(mounted.arrays / "sea" / "wave" / "data.raw", "r+b") as raw:
            raw.write(np.float32(-1).tobytes())
        assert file["wave"][0, 0] == -1
    np.save(tmp_path / "new.npy", np.arange(4))
    run("cp", tmp_path / "new.npy", mounted.arrays / "sea")
    assert "new.h5" in os.listdir(folder)
    with h5py.File(folder / "__all__.h5") as file:
        assert file["new"][...].tolist() == [0, 1, 2, 3]
        assert file["wave"][0, 0] == -1
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is looked at
        (folder / "wave.h5").open("r+b")
    assert caught.value.errno in (errno.EROFS, errno.EACCES)


def view(path: Path, clock: Clock) -> HDF5Tree:
    freshness = Freshness(10.0, clock)
    return HDF5Tree(ArraysTree(lambda: zc.open(path, metadata_max_age_s=0.0), freshness))


def test_a_file_is_as_old_as_its_metadata_at_most(ocean: Path, tmp_path: Path) -> None:
    """S11, S38: "remembered as long as S11 says"."""
    source, clock = shutil.copytree(ocean, tmp_path / "a.zarr"), Clock()
    tree = view(source, clock)
    for name in ("wave.h5", "__all__.nc"):
        before = tree.files.count
        file = walk(tree.root(True), "sea", name)
        assert (file.is_sized, file.size, tree.files.count) == (False, 0, before)
        with pytest.raises(WouldBlockError):
            file.sized(False)
        clock.s += 9
        sized = file.sized(True)
        assert sized.is_sized
        # In memory for the next lookup.
        again = walk(tree.root(True), "sea", name)
        assert (again.is_sized, again.size, again.version) == (True, sized.size, sized.version)
        assert tree.files.count == before + 1
        clock.s += 9
        # An array's file is as old as the array's remembered metadata, a group's as the request for all nodes below it.
        assert walk(tree.root(True), "sea", name).is_sized == (name == "__all__.nc")
        clock.s += 9
        later = walk(tree.root(True), "sea", name)
        assert not later.is_sized
        assert later.sized(True).version == sized.version
        zc.open(source, "r+")["sea/wave"].attributes = {"units": name}
        clock.s += 10
        assert walk(tree.root(True), "sea", name).sized(True).version != sized.version


def test_concurrent_requests_for_a_file_make_it_once(ocean: Path) -> None:
    tree = view(ocean, Clock())
    file = walk(tree.root(True), "sea", "__all__.h5")
    with ThreadPoolExecutor(8) as pool:
        versions = {made.version for made in pool.map(lambda _: file.sized(True), range(8))}
    assert len(versions) == tree.files.count == 1
    assert 0 < tree.files.kept_nbytes < 1 << 20
