"""Mounting, unmounting, dead mounts, and mounting again."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pyfuse3
import pytest
import trio
import zarr

from tests.command import run_process
from tests.waiting import PATIENCE_S, wait_until
from tests.zfs.conftest import NO_FUSE, Mounter, has_ended, is_mounted
from tests.zfs.forking import run_forked
from tests.zfs.trees.entries import Remote
from zarrcore.stores import MemoryStore, StoreOptions
from zarrfs.mount.mount import Mount, sole
from zarrfs.mount.options import MountOptions
from zarrfs.mount.outcome import Outcome
from zarrfs.trees.opening import hierarchy_opener

UNMOUNT = ["umount"] if os.geteuid() == 0 else ["fusermount3", "-u"]
VALUES = np.arange(4 * 30 * 40, dtype="<u2").reshape(4, 30, 40)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "a.zarr"
    zarr.save_group(path, x=VALUES)
    return path


def test_the_command_returns_when_the_mount_answers(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    assert np.load(mounted.arrays / "x" / "data.npy", mmap_mode="r")[2, 3, 4] == VALUES[2, 3, 4]


def test_hiding_the_content_of_the_mount_point_is_reported(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    assert mounted.umount().status == 0
    assert run_process("mount", source, mounted.path).stderr == ""
    assert mounted.umount().status == 0
    (mounted.path / "mine").touch()
    assert "is not empty" in run_forked("mount", source, mounted.path).stderr
    assert not (mounted.path / "mine").exists()
    assert mounted.umount().status == 0
    assert (mounted.path / "mine").exists()


def test_umount_waits_until_the_daemon_is_gone(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    daemon = mounted.daemon()
    assert mounted.umount().status == 0
    assert not is_mounted(mounted.path)
    assert has_ended(daemon)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_unmount(source: Path, mount: Mounter, number: signal.Signals) -> None:
    mounted = mount(source)
    daemon = mounted.daemon()
    for _ in range(3):
        os.kill(daemon, number)
    wait_until(lambda: has_ended(daemon), "the daemon ends")
    assert not is_mounted(mounted.path)


def test_a_dead_mount_is_cleaned_by_the_next_one(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    daemon = mounted.daemon()
    os.kill(daemon, signal.SIGKILL)
    wait_until(lambda: has_ended(daemon), "the daemon ends")
    with pytest.raises(OSError, match=r"not connected|connection abort"):
        os.listdir(mounted.path)
    assert is_mounted(mounted.path)
    again = run_forked("mount", source, mounted.path)
    assert again.status == 0, again.stderr
    assert (mounted.arrays / "x" / "data.raw").read_bytes() == VALUES.tobytes()
    assert mounted.umount().status == 0
    assert not is_mounted(mounted.path)


@pytest.mark.skipif(bool(NO_FUSE), reason=NO_FUSE or "-")
def test_a_mount_runs_in_the_foreground(source: Path, tmp_path: Path) -> None:
    command = [Path(sys.executable).with_name("zarrscope"), "mount", "-o", "foreground", source, tmp_path]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        wait_until(lambda: is_mounted(tmp_path), "it is mounted")
        assert sorted(os.listdir(tmp_path)) == ["arrays", "hdf5", "keys", "zarr3"]
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, said) == (0, b"")
    assert not is_mounted(tmp_path)


def test_each_tree_can_be_mounted_alone(source: Path, mount: Mounter) -> None:
    keys = mount(source, "--view", "keys").path
    assert sorted(os.listdir(keys)) == sorted(os.listdir(source))
    np.testing.assert_array_equal(zarr.open_group(keys, mode="r")["x"][...], VALUES)
    arrays = mount(source, "-o", "view=arrays").path
    assert sorted(os.listdir(arrays)) == ["attributes.json", "metadata.json", "x"]
    assert (arrays / ".zarrscope" / "stats.json").exists()


def test_one_node_of_a_store_can_be_mounted(source: Path, mount: Mounter) -> None:
    mounted = mount(f"{source}#/x")
    assert (mounted.arrays / "data.raw").read_bytes() == VALUES.tobytes()
    assert sorted(os.listdir(mounted.keys)) == sorted(os.listdir(source / "x"))


def test_words_of_mount_are_options(source: Path, mount: Mounter) -> None:
    ignored = "nofail,dirsync,nolazytime,_netdev,x-systemd.automount"
    words = f"{ignored},ro,fsname=my\\,data,uid=12,gid=34,umask=0277,allow_other,cache-size=8MiB"
    mounted = mount(source, "-o", words, "-o", "metadata_ttl=forever")
    facts = os.stat(mounted.keys / "zarr.json")
    assert (facts.st_uid, facts.st_gid, facts.st_mode & 0o777) == (12, 34, 0o400)
    line = next(
        line for line in Path("/proc/self/mounts").read_text().splitlines() if f" {mounted.path} " in line
    )
    assert line.startswith("my,data ")
    assert " fuse.zarrscope ro," in line
    assert "allow_other" in line
    assert mounted.stats()["chunk_cache"]["limit_bytes"] == 6 << 20


def test_statistics_count_requests(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    assert ".zarrscope" not in os.listdir(mounted.path)
    before = mounted.stats()
    (mounted.arrays / "x" / "data.raw").read_bytes()
    assert not (mounted.keys / "nothing").exists()
    after = mounted.stats()
    assert after["bytes_read"] - before["bytes_read"] >= VALUES.nbytes
    assert after["errors"]["ENOENT"] > before["errors"].get("ENOENT", 0)
    assert after["requests"]["open"] > before["requests"]["open"]
    assert after["decoded"]["chunks"] > before["decoded"]["chunks"]
    assert after["decoded"]["bytes"] == VALUES.nbytes
    assert 0 < after["decoded"]["seconds"] < after["uptime_s"]
    assert after["resident_bytes"] > 1 << 20
    assert after["open_files"] <= 1
    assert after["url"] == str(source)


@pytest.mark.parametrize("how", ["file", "SIGHUP"])
def test_refreshing_shows_new_content(tmp_path: Path, mount: Mounter, how: str) -> None:
    zarr.save_group(tmp_path / "b.zarr", x=VALUES)
    mounted = mount(tmp_path / "b.zarr", "-o", "metadata-ttl=forever")
    assert not (mounted.arrays / "y").exists()
    assert not (mounted.keys / "y").exists()
    assert (mounted.arrays / "x" / "data.raw").read_bytes() == VALUES.tobytes()
    zarr.save_group(tmp_path / "b.zarr", y=VALUES + 1, x=VALUES + 2)
    assert not (mounted.arrays / "y").exists()
    if how == "file":
        mounted.refresh()
    else:
        os.kill(mounted.daemon(), signal.SIGHUP)
    wait_until((mounted.arrays / "y").exists, "the new array is visible")
    wait_until((mounted.keys / "y").exists, "the new keys are visible")
    assert (mounted.arrays / "y" / "data.raw").read_bytes() == (VALUES + 1).tobytes()
    assert (mounted.arrays / "x" / "data.raw").read_bytes() == (VALUES + 2).tobytes()


def test_refreshing_forgets_names_of_open_files(tmp_path: Path, mount: Mounter) -> None:
    """S12: "A new look-up of a name gets what the store then holds"."""
    for name in ("erased", "replaced"):
        (tmp_path / "store" / "a" / "b").mkdir(parents=True, exist_ok=True)
        (tmp_path / "store" / "a" / "b" / name).write_text("old")
    mounted = mount(tmp_path / "store", "--metadata-ttl", "forever")
    folder = mounted.keys / "a" / "b"
    with (folder / "erased").open() as erased, (folder / "replaced").open() as replaced:
        assert (erased.read(1), replaced.read(1)) == ("o", "o")
        (tmp_path / "store" / "a" / "b" / "erased").unlink()
        (tmp_path / "store" / "new").write_text("another size")
        os.replace(tmp_path / "store" / "new", tmp_path / "store" / "a" / "b" / "replaced")
        mounted.refresh()
        wait_until(lambda: not (folder / "erased").exists(), "the erased key is gone")
        wait_until(lambda: (folder / "replaced").stat().st_size == 12, "the other key is visible")
        assert (folder / "replaced").read_text() == "another size"


def test_refreshing_shows_new_names_at_the_mount_point(tmp_path: Path, mount: Mounter) -> None:
    zarr.save_group(tmp_path / "b.zarr", x=VALUES)
    mounted = mount(tmp_path / "b.zarr", "--view", "keys", "--metadata-ttl", "forever")
    assert not (mounted.path / "new").exists()
    (tmp_path / "b.zarr" / "new").write_text("new")
    assert not (mounted.path / "new").exists()
    mounted.refresh()
    wait_until((mounted.path / "new").exists, "the new key is visible")


def test_without_a_time_to_live_every_open_asks_the_store(tmp_path: Path, mount: Mounter) -> None:
    zarr.save_group(tmp_path / "b.zarr", x=VALUES)
    mounted = mount(tmp_path / "b.zarr", "--metadata-ttl", "0")
    assert (mounted.arrays / "x" / "data.raw").read_bytes() == VALUES.tobytes()
    assert not (mounted.arrays / "y").exists()
    zarr.save_group(tmp_path / "b.zarr", y=VALUES[:2], x=VALUES + 2)
    assert (mounted.arrays / "y" / "data.raw").read_bytes() == VALUES[:2].tobytes()
    assert (mounted.arrays / "x" / "data.raw").read_bytes() == (VALUES + 2).tobytes()


def test_df_reports_no_free_space(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    facts = os.statvfs(mounted.path)
    assert (facts.f_bavail, facts.f_namemax) == (0, os.pathconf(source, "PC_NAME_MAX"))
    assert subprocess.run(["df", mounted.path], capture_output=True).returncode == 0


def test_all_places_have_the_same_time_to_live_without_what_the_store_keeps_itself(tmp_path: Path) -> None:
    """S11: "An answer may be as old as `--metadata-ttl` (60 s) and no older"."""
    cached = StoreOptions(cache_dir=str(tmp_path / "cache"), cache_max_age_s=20.0)
    for options, left_s in ((StoreOptions(), 60.0), (cached, 40.0)):
        store = Remote({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}'})
        store.options = options
        session = Mount(
            store, hierarchy_opener("v3"), MountOptions(mountpoint=str(tmp_path), ttl_s=60.0), Outcome()
        )
        trees = session._trees
        assert trees.freshness.ttl_s == trees.arrays.freshness.ttl_s == trees.chunks.max_age_s == left_s
        assert session._operations._freshness.ttl_s == left_s
        assert trees.arrays.hierarchy().metadata_max_age_s == left_s


@pytest.mark.parametrize(
    ("error", "ends"), [(ConnectionAbortedError(errno.ECONNABORTED, ""), True), (MemoryError(), None)]
)
def test_a_connection_that_the_kernel_closes_is_the_end_of_the_mount_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, ends: bool | None
) -> None:
    async def main() -> None:
        raise ExceptionGroup("", [error])

    monkeypatch.setattr(pyfuse3, "main", main)
    options = MountOptions(mountpoint=str(tmp_path))
    session = Mount(MemoryStore(values={}), hierarchy_opener("v3"), options, Outcome())
    with contextlib.nullcontext() if ends else pytest.raises(ExceptionGroup):
        assert trio.run(session._answered_all) is ends


def test_unmounting_after_many_files_were_closed_is_no_error(tmp_path: Path, mount: Mounter) -> None:
    source = tmp_path / "many"
    source.mkdir()
    for number in range(500):
        (source / str(number)).touch()
    for _ in range(3):  # the kernel still reports files as closed when it is told to unmount
        mounted = mount(source)
        files = [open(mounted.keys / str(number), "rb") for number in range(500)]  # noqa: SIM115 - all at once
        daemon = mounted.daemon()
        for file in files:
            file.close()
        subprocess.run([*UNMOUNT, mounted.path], check=True)
        wait_until(partial(has_ended, daemon), "the end of the daemon")
        assert "the mount at" not in mounted.log.read_text()


def test_an_error_in_groups_of_its_own_is_reported_itself() -> None:
    error, other = OSError("gone"), ValueError("wrong")
    assert sole(error) is error
    assert sole(BaseExceptionGroup("", [ExceptionGroup("", [error])])) is error
    two = ExceptionGroup("", [error, other])
    assert sole(ExceptionGroup("", [two])) is two
