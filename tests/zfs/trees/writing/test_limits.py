"""``--read-write`` at limits: full disks, memory, names, the end of the daemon."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.any_store import open_store
from tests.disk import disk
from tests.servers import S3Server
from tests.waiting import wait_until
from tests.zfs.conftest import Mount, Mounter, has_ended

MIB = 1 << 20


def error_of(action: Callable[..., object], *arguments: object) -> int | None:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is what the caller looks at
        action(*arguments)
    return caught.value.errno


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """An empty directory to mount."""
    (tmp_path / "stored").mkdir()
    return tmp_path / "stored"


def unnamed_files(mounted: Mount) -> int:
    """The number of unnamed files that the daemon has open or mapped."""
    process = Path(f"/proc/{mounted.daemon()}")
    known = [os.readlink(path) for path in (process / "fd").iterdir()]
    known += (process / "maps").read_text().splitlines()
    return sum(line.endswith("(deleted)") and "memfd:" not in line for line in known)


def test_a_large_value_on_a_full_disk_is_reported(tmp_path: Path, mount: Mounter) -> None:
    with disk(tmp_path / "disk", "1m") as small:
        mounted = mount(small, "--read-write")
        descriptor = os.open(mounted.keys / "a", os.O_CREAT | os.O_WRONLY)
        os.write(descriptor, bytes(5 * MIB).replace(b"\0", b"x"))
        assert error_of(os.fsync, descriptor) == errno.ENOSPC
        assert error_of(os.close, descriptor) == errno.ENOSPC
        wait_until(lambda: not unnamed_files(mounted), "nothing of it is left")
        assert os.listdir(mounted.keys) == os.listdir(small) == []
        mounted.umount()


def test_a_value_in_sqlite_is_removed_on_a_full_disk(tmp_path: Path, mount: Mounter) -> None:
    """S30: "A value in SQLite can be removed on a full disk"."""
    with disk(tmp_path / "disk", "2m") as small:
        open_store(f"sqlite://{small}/x.sqlite", create=True).close()
        mounted = mount(f"sqlite://{small}/x.sqlite", "--read-write")
        stored = 0
        with contextlib.suppress(OSError):
            while (mounted.keys / f"k{stored}").write_bytes(b"x" * 50_000):
                stored += 1
        with contextlib.suppress(OSError), open(small / "rest", "wb", buffering=0) as rest:
            while rest.write(bytes(4096)):
                pass
        for number in range(stored):
            (mounted.keys / f"k{number}").unlink()
        (mounted.keys / "again").write_bytes(b"y" * 50_000)
        assert os.listdir(mounted.keys) == ["again"]
        assert mounted.umount().status == 0
        assert sorted(os.listdir(small)) == ["rest", "x.sqlite"]


def test_a_large_value_that_is_refused_is_reported(s3: S3Server, mounter: Mounter) -> None:
    s3.put("bucket/large-refused/a", b"old")
    mounted = mounter("s3://bucket/large-refused", "--read-write", "--retries", "0", *s3.arguments)
    descriptor = os.open(mounted.keys / "a", os.O_WRONLY | os.O_TRUNC)
    os.write(descriptor, bytes(20 * MIB))
    assert unnamed_files(mounted)
    with s3.denying():
        assert error_of(os.fsync, descriptor) == errno.EACCES
    os.pwrite(descriptor, b"end", 20 * MIB)
    os.close(descriptor)
    assert (mounted.keys / "a").read_bytes() == bytes(20 * MIB) + b"end"
    wait_until(lambda: not unnamed_files(mounted), "nothing of it is left")


def test_holes_larger_than_the_disk_are_written(
    tmp_path: Path, mount: Mounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S17: "No error ends the daemon"; a hole takes no disk space in an unnamed file or in a local store."""
    array = zarr.create_array(tmp_path / "store" / "a", shape=(30 * MIB,), chunks=(15 * MIB,), dtype="u1")
    array[:] = 1
    with disk(tmp_path / "disk", "2m") as small:
        monkeypatch.setenv("TMPDIR", str(small))
        mounted = mount(tmp_path / "store" / "a", "--read-write")
        descriptor = os.open(mounted.keys / "hole", os.O_CREAT | os.O_RDWR)
        os.pwrite(descriptor, b"x", 30 * MIB)
        os.fsync(descriptor)
        stored = tmp_path / "store" / "a" / "hole"
        assert stored.stat().st_blocks * 512 < MIB
        assert stored.read_bytes() == bytes(30 * MIB) + b"x"
        os.close(descriptor)
        with open(mounted.arrays / "data.raw", "r+b", buffering=0) as file:
            file.write(b"ab")
            os.pwrite(file.fileno(), b"yz", 20 * MIB)
        assert (array[0], array[1], array[2], array[20 * MIB + 1]) == (ord("a"), ord("b"), 1, ord("z"))
        mounted.umount()


def test_a_failed_write_leaves_the_size_unchanged(
    tmp_path: Path, stored: Path, mount: Mounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    with disk(tmp_path / "disk", "6m") as small:
        monkeypatch.setenv("TMPDIR", str(small))
        mounted = mount(stored, "--read-write")
        written, part = 0, b"x" * 100_000
        with open(mounted.keys / "a", "ab", buffering=0) as file:
            with pytest.raises(OSError) as caught:  # noqa: PT011, PT012 - as many as there is room for
                while True:
                    written += file.write(part) or 0
            assert caught.value.errno == errno.ENOSPC
            assert os.fstat(file.fileno()).st_size == written
        assert (stored / "a").read_bytes() == b"x" * written
        mounted.umount()


def test_no_file_is_larger_than_its_file_system_allows(stored: Path, mount: Mounter) -> None:
    mounted = mount(stored, "--read-write")
    descriptor = os.open(mounted.keys / "a", os.O_CREAT | os.O_RDWR)
    with pytest.raises(OSError) as caught:  # noqa: PT011, PT012 - told at once, or by the store
        os.ftruncate(descriptor, 1 << 62)
        os.fsync(descriptor)
    assert caught.value.errno == errno.EFBIG
    os.ftruncate(descriptor, 3)
    os.close(descriptor)
    assert (stored / "a").read_bytes() == bytes(3)


def test_memory_for_written_data_is_bounded_by_the_cache_size(stored: Path, mount: Mounter) -> None:
    """S23: "an eighth of it, at most 64 MiB"."""
    mounted = mount(stored, "--read-write", "--cache-size", "64MiB")
    before = mounted.stats()["resident_bytes"]
    content = os.urandom(4 * MIB - 1)
    descriptors = []
    for number in range(60):
        descriptors.append(os.open(mounted.keys / str(number), os.O_CREAT | os.O_RDWR))
        os.write(descriptors[-1], content)
    assert mounted.stats()["resident_bytes"] - before < 64 * MIB
    for descriptor in descriptors:
        assert os.pread(descriptor, 9, MIB) == content[MIB : MIB + 9]
        os.close(descriptor)
    assert {path.read_bytes() == content for path in stored.iterdir() if path.is_file()} == {True}


@pytest.mark.parametrize("kind", ["local", "s3"])
def test_all_operations_have_one_limit_for_names(
    stored: Path, mount: Mounter, kind: str, request: pytest.FixtureRequest
) -> None:
    """S9: "A longer name gives ENAMETOOLONG in every operation"."""
    if kind == "local":
        mounted = mount(stored, "--read-write")
    else:
        s3: S3Server = request.getfixturevalue("s3")
        s3.put("bucket/names/a", b"1")
        mounted = mount("s3://bucket/names", "--read-write", *s3.arguments)
    limit = os.statvfs(mounted.keys).f_namemax
    assert limit == (os.pathconf(stored, "PC_NAME_MAX") if kind == "local" else 1024)
    (mounted.keys / "known").write_bytes(b"1")
    fitting, longer = mounted.keys / ("n" * min(limit, 900)), mounted.keys / ("n" * (limit + 1))
    fitting.write_bytes(b"fits")
    assert fitting.name in os.listdir(mounted.keys)
    for action in (
        longer.stat,
        longer.mkdir,
        longer.unlink,
        longer.rmdir,
        longer.touch,
        lambda: os.link(mounted.keys / "known", longer),
        lambda: os.rename(mounted.keys / "known", longer),
        lambda: os.rename(longer, mounted.keys / "other"),
        lambda: os.mknod(longer),
    ):
        assert error_of(action) == errno.ENAMETOOLONG
    fitting.unlink()
    (mounted.keys / "known").unlink()


def test_mknod_makes_an_empty_file(stored: Path, mount: Mounter) -> None:
    mounted = mount(stored, "--read-write")
    os.mknod(mounted.keys / "a", 0o644)
    assert (stored / "a").read_bytes() == (mounted.keys / "a").read_bytes() == b""
    assert error_of(os.mknod, mounted.keys / "a") == errno.EEXIST
    assert error_of(os.mknod, mounted.keys / "pipe", stat.S_IFIFO | 0o644) == errno.EPERM
    assert os.listdir(mounted.keys) == ["a"]


def test_local_files_are_renamed_and_linked_themselves(stored: Path, mount: Mounter) -> None:
    """S32: "In a local store the file itself is renamed or linked"."""
    mounted = mount(stored, "--read-write")
    (mounted.keys / "a").write_bytes(b"value")
    os.utime(stored / "a", (1, 1))
    known = (stored / "a").stat()
    os.link(mounted.keys / "a", mounted.keys / "b")
    os.rename(mounted.keys / "a", mounted.keys / "c")
    for name in ("b", "c"):
        found = (stored / name).stat()
        assert (found.st_ino, found.st_mtime) == (known.st_ino, 1)
        assert (mounted.keys / name).read_bytes() == b"value"
    (mounted.keys / "b").write_bytes(b"its own from now on")
    assert (mounted.keys / "c").read_bytes() == b"value"
    assert error_of(os.link, mounted.keys / "b", mounted.keys / "c") == errno.EEXIST


def test_a_terminated_daemon_names_what_it_did_not_store(stored: Path, mount: Mounter) -> None:
    """S30: "the log names what was open and not stored"."""
    (stored / "folder").mkdir()
    mounted = mount(stored, "--read-write")
    daemon = mounted.daemon()
    descriptor = os.open(mounted.keys / "folder" / "dirty", os.O_CREAT | os.O_RDWR)
    os.write(descriptor, b"never stored")
    (mounted.keys / "stored").write_bytes(b"stored")
    removed = os.open(mounted.keys / "removed", os.O_CREAT | os.O_RDWR)
    os.write(removed, b"never to be stored")
    (mounted.keys / "removed").unlink()
    os.fchmod(removed, 0o600)
    os.kill(daemon, signal.SIGTERM)
    wait_until(lambda: has_ended(daemon), "the daemon is gone")
    for left in (descriptor, removed):
        with contextlib.suppress(OSError):
            os.close(left)
    lines = mounted.log.read_text().splitlines()
    assert [line for line in lines if "not stored" in line] == lines
    assert len(lines) == 1
    assert "keys/folder/dirty is still open, and the data written to it is not stored" in lines[0]
    assert os.listdir(stored / "folder") == []


def test_without_memory_requests_fail_and_the_daemon_lives(tmp_path: Path, mount: Mounter) -> None:
    """S17: "No error ends the daemon"."""
    values = np.random.default_rng(1).random((64, 512, 512), dtype="f4")
    zarr.create_array(tmp_path / "a", data=values, chunks=(16, 256, 256))
    mounted = mount(tmp_path / "a", "--threads", "4")
    daemon = mounted.daemon()
    address_space = int(Path(f"/proc/{daemon}/statm").read_text().split()[0]) * resource.getpagesize()

    def read(number: int) -> int:
        try:
            with open(mounted.arrays / "data.raw", "rb", buffering=0) as file:
                file.seek(number * values.nbytes // 8)
                file.read(values.nbytes // 8)
        except OSError as error:
            return error.errno or 0
        return 0

    with ThreadPoolExecutor(8) as threads:
        # The daemon starts its threads now: without memory, Thread.start() of Python may wait for ever (gh-140746).
        assert set(threads.map(read, range(8))) == {0}
        (mounted.path / ".zarrscope" / "refresh").write_text("now")
        resource.prlimit(daemon, resource.RLIMIT_AS, (address_space + 60 * MIB, resource.RLIM_INFINITY))
        errors = set(threads.map(read, range(8)))
    assert errors - {0}
    assert errors <= {0, errno.ENOMEM, errno.EIO}
    resource.prlimit(daemon, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert np.array_equal(np.fromfile(mounted.arrays / "data.raw", values.dtype), values.reshape(-1))
    assert mounted.daemon() == daemon


def test_a_directory_with_a_path_too_long_for_the_store_can_be_removed(stored: Path, mount: Mounter) -> None:
    """A directory without keys is only in the mount, which has no limit for paths."""
    mounted = mount(stored, "--read-write")
    folders = [os.open(mounted.keys, os.O_RDONLY)]
    for _ in range(20):
        os.mkdir("x" * 250, dir_fd=folders[-1])
        folders.append(os.open("x" * 250, os.O_RDONLY, dir_fd=folders[-1]))
    file = "x" * 250
    assert error_of(lambda: os.open(file, os.O_CREAT | os.O_WRONLY, dir_fd=folders[-1])) == errno.ENAMETOOLONG
    while len(folders) > 1:
        os.close(folders.pop())
        os.rmdir("x" * 250, dir_fd=folders[-1])
    os.close(folders.pop())
    assert os.listdir(mounted.keys) == []
