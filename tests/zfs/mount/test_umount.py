"""Unmounting: busy mounts, --lazy, several mounts, and mounts whose daemon was killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.command import run_inside, run_process
from tests.waiting import wait_until
from tests.zfs.conftest import Mount, Mounter, has_ended, is_mounted
from tests.zfs.forking import run_forked
from tests.zfs.mount.programs import program
from tests.zfs.namespace import entered, needs_root
from zarrfs.mount import mountpoints
from zarrfs.mount import umount as umount_module
from zarrfs.mount.mountpoints import MountError

VALUES = np.arange(5 * 30 * 40, dtype="<u2").reshape(5, 30, 40)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "a.zarr"
    zarr.save_group(path, x=VALUES)
    return path


def test_umount_names_the_processes_that_use_the_mount(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    read = f"exec 3<{mounted.keys}/zarr.json; echo; read nothing"
    with program("sh", "-c", read) as reader, program("sleep", "100", cwd=mounted.arrays) as sleeper:
        assert reader.stdout is not None
        reader.stdout.readline()
        outcome = mounted.umount()
        assert outcome.status == 1
        assert outcome.stderr.count("\n") == 1
        assert f"sh ({reader.pid}) has {mounted.keys}/zarr.json open" in outcome.stderr
        assert f"sleep ({sleeper.pid}) is in {mounted.arrays}" in outcome.stderr
        assert "--lazy" in outcome.stderr
        assert is_mounted(mounted.path)
    assert mounted.umount().status == 0


def test_umount_from_inside_names_the_current_directory(source: Path, mount: Mounter) -> None:
    """S20: "It does not name itself"."""
    mounted = mount(source)
    done = run_process("umount", mounted.path, cwd=mounted.keys)
    assert done.status == 1
    assert "the current directory is inside it, so change to another one first" in done.stderr
    assert "zarrscope (" not in done.stderr
    assert mounted.umount().status == 0


def test_lazy_lets_readers_finish(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    daemon = mounted.daemon()
    with open(mounted.arrays / "x" / "data.raw", "rb", buffering=0) as file:
        assert run_inside("umount", "--lazy", mounted.path).status == 0
        assert not is_mounted(mounted.path)
        assert os.listdir(mounted.path) == []
        assert file.read() == VALUES.tobytes()
        assert not has_ended(daemon)
    wait_until(lambda: has_ended(daemon), "the daemon ends with its last reader")


@needs_root
def test_a_mount_that_another_namespace_keeps_is_reported(
    source: Path, mount: Mounter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(umount_module, "_END_S", 0.2)
    mounted = mount(source)
    daemon = mounted.daemon()
    with entered(tmp_path, "true"):
        with pytest.raises(MountError, match="another mount namespace"):
            umount_module.umount(str(mounted.path))
        assert not is_mounted(mounted.path)
        assert not has_ended(daemon)
    wait_until(lambda: has_ended(daemon), "the daemon ends with the namespace")


def test_several_mounts_are_unmounted_at_once(source: Path, mount: Mounter) -> None:
    mounts = [mount(source), mount(source, "--view", "keys"), mount(f"{source}#/x")]
    daemons = {mounted.daemon() for mounted in mounts}
    assert len(daemons) == 3
    for mounted, path in zip(mounts, ("arrays/x/data.raw", "x/zarr.json", "arrays/data.raw"), strict=True):
        assert (mounted.path / path).read_bytes()
    nothing = mounts[0].path.parent / "nothing"
    outcome = run_inside("umount", mounts[0].path, nothing, mounts[2].path)
    assert (outcome.status, outcome.stderr.count("\n")) == (1, 1)
    assert f"{nothing}: nothing is mounted there" in outcome.stderr
    assert [is_mounted(mounted.path) for mounted in mounts] == [False, True, False]
    assert (mounts[1].path / "zarr.json").read_bytes()
    assert mounts[1].umount().status == 0
    assert all(has_ended(daemon) for daemon in daemons)


def killed(mounted: Mount) -> Mount:
    daemon = mounted.daemon()
    os.kill(daemon, signal.SIGKILL)
    wait_until(lambda: has_ended(daemon), "the daemon ends")
    return mounted


def test_a_dead_mount_is_unmounted(source: Path, mount: Mounter) -> None:
    mounted = killed(mount(source))
    assert is_mounted(mounted.path)
    assert mounted.umount().status == 0
    assert not is_mounted(mounted.path)


def test_a_dead_mount_that_is_in_use_is_replaced(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    with open(mounted.keys / "zarr.json", "rb"), program("sleep", "100", cwd=mounted.keys):
        killed(mounted)
        again = run_forked("mount", source, mounted.path)
        assert again.status == 0, again.stderr
        assert (mounted.arrays / "x" / "data.raw").read_bytes() == VALUES.tobytes()
    assert mounted.umount().status == 0


def test_dead_mounts_of_others_are_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def not_connected(path: str) -> None:
        raise OSError(107, "Transport endpoint is not connected")

    other = mountpoints.Mounted(str(tmp_path), "fuse.sshfs", "host:", "0:99")
    monkeypatch.setattr(os, "statvfs", not_connected)
    monkeypatch.setattr(os, "scandir", not_connected)
    monkeypatch.setattr(mountpoints, "mounted_at", lambda _: other)
    with pytest.raises(mountpoints.MountError, match="transport endpoint is not connected"):
        mountpoints.prepare(str(tmp_path))
