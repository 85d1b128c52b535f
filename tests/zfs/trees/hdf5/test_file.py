"""Files of ``hdf5/``: when they are made, how long they are valid, and what is fetched for their readers."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import h5py
import numpy as np
import pytest

import zarrcore as zc
from tests.servers import S3Server
from tests.servers.proxy import proxy
from tests.waiting import wait_until
from tests.zfs.conftest import LONGITUDE, Mount, Mounter
from tests.zfs.trees.entries import Clock, Remote, walk
from tests.zfs.trees.hdf5.test_tree import run
from zarrcore.errors import ChangedError
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import File
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.hdf5.file import Made, OpenNodeFile
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
    hierarchy = zc.open_hierarchy(source, "r+")
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
    # Documents that are read again and are the same give the same file, although others have changed.
    with path.open("rb") as before:
        number, count = os.fstat(before.fileno()).st_ino, made(mounted)
        other = path.with_name("scalar.h5")
        size = other.stat().st_size
        hierarchy["sea/scalar"].attributes = {"long": ["x" * 1000] * 50}
        mounted.refresh()
        wait_until(lambda: other.stat().st_size != size, "the new size of another file is visible")
        assert path.stat().st_ino == number
        with path.open("rb") as again:
            assert again.read() == before.read()
            assert os.fstat(again.fileno()).st_ino == number
    assert made(mounted) == count


def test_new_metadata_of_the_same_length_are_shown(ocean: Path, tmp_path: Path, mount: Mounter) -> None:
    """The kernel's pages of a file are dropped even if new metadata have the same number of bytes."""
    source = shutil.copytree(ocean, tmp_path / "a.zarr")
    mounted = mount(source, "--metadata-ttl", "0")
    path = mounted.path / "hdf5" / "sea" / "wave.h5"
    size = path.stat().st_size
    for units in ("cm", "mm", "km"):
        zc.open_hierarchy(source, "r+")["sea/wave"].attributes = {"units": units}
        with h5py.File(path) as file:
            assert file["wave"].attrs["units"] == units
        zc.open_hierarchy(source, "r+")["sea/time"][0] = len(units)
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
        "a", shape=(2, 512, 1024), dtype="uint8", chunks=(1, 64, 64)
    )
    array[...] = 7
    mounted = mount(tmp_path / "a.zarr")
    with open(mounted.path / "hdf5" / tree, "rb", buffering=128 << 10) as file:
        assert file.read(8) == b"\x89HDF\r\n\x1a\n"
    assert mounted.stats()["decoded"]["chunks"] == 0


def test_far_away(s3: S3Server, tmp_path: Path, mount: Mounter) -> None:
    """S40: "Looking at names, shapes and attributes fetches no chunk"; here for 100 arrays, and 50 ms for each request."""
    values = np.random.default_rng(0).integers(0, 99, (8, 256, 512), "<i4")
    hierarchy = zc.create(tmp_path / "hundred.zarr")
    hierarchy.create_array("time", shape=(8,), dtype="int64", dimension_names=["time"])[...] = np.arange(8)
    for number in range(99):
        array = hierarchy.create_array(
            f"a{number}", shape=values.shape, dtype="int32", chunks=(2, 64, 256),
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
        # The kernel reads 128 KiB behind a plane, which cross 4 chunks of the next planes.
        for plane, fewest, most in ((5, 8, 12), (4, 0, 0), (1, 8, 12)):
            read = subprocess.run([sys.executable, "-c", _READING, path, str(plane)], capture_output=True)
            assert read.stdout == values[plane].tobytes()
            found = asked()
            assert found[0] - metadata == found[1] - decoded
            assert fewest <= found[1] - decoded <= most
            metadata, decoded = found


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
    return HDF5Tree(
        ArraysTree(
            lambda: zc.open_hierarchy(path, metadata_max_age_s=0.0), freshness, shown=("raw", "npy", "h5")
        )
    )


def array_file(array: str, tree: HDF5Tree) -> Any:
    return walk(tree.root(True), "sea", f"{array}.h5")


def opened(file: Any) -> Made:
    return cast(OpenNodeFile, file.open(True)).made


def test_sizes_are_known_without_making_files(ocean: Path) -> None:
    """S38: "Looking at the size of an array's file does not make it"."""
    tree = view(ocean, Clock())
    listed = dict(walk(tree.root(True), "sea").entries())
    files = {name: entry for name, entry in listed.items() if isinstance(entry, File)}
    assert len(files) == tree.files.measured == tree.files.sizes == 6
    assert all(file.is_sized for file in files.values())
    assert (tree.files.count, tree.files.kept_nbytes) == (0, 0)
    # The same documents are measured once.
    assert all(array_file(name[:-3], tree).size == file.size for name, file in files.items())
    assert tree.files.measured == 6
    for file in files.values():
        made = opened(file)
        assert made.file.size == file.size == len(made.file.read(0, 1 << 30))
        assert made.version == file.version
    assert tree.files.count == 6
    assert 0 < tree.files.kept_nbytes < 1 << 20


def test_files_are_made_again_only_when_their_documents_change(ocean: Path, tmp_path: Path) -> None:
    """S38: "a file is made again only when one of the documents in it has changed"; S11: but then it is."""
    source, clock = shutil.copytree(ocean, tmp_path / "a.zarr"), Clock()
    tree = view(source, clock)
    for name in ("wave.h5", "__all__.nc"):
        file = walk(tree.root(True), "sea", name).sized(True)
        before, count, measured = opened(file), tree.files.count, tree.files.measured

        def later(passed_s: float = 9, name: str = name) -> Any:
            clock.s += passed_s
            return walk(tree.root(True), "sea", name).sized(True)

        for passed_s in (9, 9, 9, 1000):
            again = later(passed_s)
            assert (again.is_sized, again.size, again.version) == (True, file.size, file.version)
            assert opened(again) is before
        tree.arrays.freshness.refresh()
        assert opened(later(0)) is before
        assert (tree.files.count, tree.files.measured) == (count, measured)
        # A document of a coordinate, of the same length.
        text = (source / "sea/lon/zarr.json").read_text()
        assert "degrees_east" in text
        (source / "sea/lon/zarr.json").write_text(text.replace("degrees_east", "degrees_EAST"))
        clock.s += 9
        again = later(9)
        assert again.size == file.size
        assert again.version != file.version
        assert tree.files.count == count + (name == "__all__.nc"), "a group's file is made for its size"
        with pytest.raises(ChangedError):
            file.open(True)
        assert b"degrees_EAST" in bytes(opened(again).file.read(0, file.size))
        assert tree.files.count == count + 1
        (source / "sea/lon/zarr.json").write_text(text)
        clock.s += 18


def test_a_group_with_a_new_array_is_made_again(ocean: Path, tmp_path: Path) -> None:
    source, clock = shutil.copytree(ocean, tmp_path / "a.zarr"), Clock()
    tree = view(source, clock)
    before = walk(tree.root(True), "sea", "__all__.h5").sized(True)
    zc.open_hierarchy(source, "r+").create_array("sea/new", shape=(3,), dtype="u1")
    assert walk(tree.root(True), "sea", "__all__.h5").version == before.version, "within the time to live"
    clock.s += 20
    file = walk(tree.root(True), "sea", "__all__.h5")
    assert not file.is_sized, "looking a name up makes no file of a group"
    assert file.sized(True).version != before.version
    assert tree.files.count == 2


def test_elements_are_read_through_the_nodes_found_last(ocean: Path, tmp_path: Path) -> None:
    """A file that is kept does not keep the nodes from which it was made: their store may have been opened again."""
    source, clock = shutil.copytree(ocean, tmp_path / "a.zarr"), Clock()
    tree = view(source, clock)
    made = opened(array_file("wave", tree))
    wave = tree.arrays.node("/sea/wave", True)
    assert made.file.arrays[-1] is wave
    clock.s += 20
    assert opened(array_file("wave", tree)) is made
    again = tree.arrays.node("/sea/wave", True)
    assert made.file.arrays[-1] is again is not wave


def test_files_are_kept_within_bounds_and_sizes_beyond(ocean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S38: "remembered up to 64 MiB of them"; a size takes little, and stays."""
    monkeypatch.setattr("zarrfs.trees.hdf5.file._KEPT_NBYTES", 20_000)
    tree = view(ocean, Clock())
    names = ("time", "lon", "wave", "scalar", "empty")
    for _ in range(2):
        for name in names:
            array_file(name, tree).open(True)
            assert 0 < tree.files.kept_nbytes <= 20_000
    assert tree.files.count == 2 * len(names)
    assert tree.files.measured == tree.files.sizes == len(names)


def test_a_size_over_the_network_is_not_asked_for_by_a_listing(tmp_path: Path) -> None:
    """S38: "Neither listing nor looking up a name makes one", nor asks for the documents of coordinates."""
    hierarchy = zc.create(tmp_path / "a.zarr")
    for name in ("wave", "x"):
        hierarchy.create_array(name, shape=(4,), dtype="u1", dimension_names=["x"])
    documents = (tmp_path / "a.zarr").rglob("zarr.json")
    values = {path.relative_to(tmp_path / "a.zarr").as_posix(): path.read_bytes() for path in documents}
    remote = Remote(values)
    tree = HDF5Tree(ArraysTree(lambda: zc.open_hierarchy(remote), Freshness(10.0, Clock()), shown=("h5",)))
    root = tree.root(True)
    file = root.lookup("wave.h5", True)
    assert isinstance(file, File)
    assert not file.is_sized
    assert ("get", "x/zarr.json") not in remote.asked
    with pytest.raises(WouldBlockError):
        file.sized(False)
    assert file.sized(True).is_sized
    # All of its documents are in memory now.
    known = root.lookup("wave.h5", False)
    assert isinstance(known, File)
    assert known.is_sized


def test_concurrent_requests_for_a_file_make_it_once(ocean: Path) -> None:
    tree = view(ocean, Clock())
    file = walk(tree.root(True), "sea", "__all__.h5")
    assert not file.is_sized
    with pytest.raises(WouldBlockError):
        file.sized(False)
    with ThreadPoolExecutor(8) as pool:
        versions = {made.version for made in pool.map(lambda _: file.sized(True), range(8))}
    assert len(versions) == tree.files.count == 1
    assert 0 < tree.files.kept_nbytes < 1 << 20
