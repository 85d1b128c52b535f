"""mount(8), fstab(5) and systemd with zarrscope, in a mount namespace with its own /sbin."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.servers import S3Server
from tests.waiting import wait_until
from tests.zfs.conftest import has_ended
from tests.zfs.namespace import Namespace, entered, needs_root

ROOT = Path(__file__).parents[2]
VALUES = np.arange(4 * 5 * 6, dtype="<u2").reshape(4, 5, 6)
HELPERS = ("mount.fuse.zarrscope", "mount.zarrscope")
UNIT = ROOT / "packaging" / "zarrscope@.service"

OWN_SBIN = """
sbin=$(readlink -f /sbin)
mkdir -p real sbin /run/mount
mount --bind "$sbin" real
for program in real/*; do ln -s "$PWD/$program" sbin/; done
rm -f sbin/mount.zarrscope sbin/mount.fuse.zarrscope
mount --bind sbin "$sbin"
mount -t tmpfs none /run/mount
"""


@pytest.fixture(scope="module")
def namespace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Namespace]:
    with entered(tmp_path_factory.mktemp("namespace"), OWN_SBIN) as made:
        made.done(ROOT / "packaging" / "install-mount-helper")
        zarr.save_group(made.folder / "a.zarr", x=VALUES)
        yield made


@pytest.fixture
def place(namespace: Namespace, tmp_path: Path) -> Iterator[Path]:
    """A mount point, free again after the test."""
    path = tmp_path / "mnt"
    path.mkdir()
    yield path
    for mountpoint in namespace.mounts():
        namespace.run("umount", "--lazy", mountpoint)


def daemon_of(namespace: Namespace, place: Path) -> int:
    return int(json.loads((namespace.inside(place) / ".zarrscope" / "stats.json").read_bytes())["pid"])


@needs_root
def test_both_types_mount_and_umount_ends_the_daemon(namespace: Namespace, place: Path) -> None:
    for kind in ("fuse.zarrscope", "zarrscope"):
        words = "nofail,_netdev,user,noexec,x-systemd.automount,ro,uid=12,gid=root,umask=0227,allow_other"
        said = namespace.done("mount", "-v", "-n", "-t", kind, "a.zarr", place, "-o", words)
        assert f"a.zarr mounted on {place}" in said
        seen = namespace.inside(place)
        np.testing.assert_array_equal(np.load(seen / "arrays" / "x" / "data.npy"), VALUES)
        facts = (seen / "keys" / "zarr.json").stat()
        assert (facts.st_uid, facts.st_gid, facts.st_mode & 0o777) == (12, 0, 0o440)
        line = namespace.mounts()[str(place)]
        assert " ro," in line
        assert "allow_other" in line
        daemon = daemon_of(namespace, place)
        namespace.done("umount", place)
        assert not namespace.mounts()
        wait_until(lambda daemon=daemon: has_ended(daemon), "the daemon ends")


@needs_root
def test_an_fstab(namespace: Namespace, place: Path, tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    made = tmp_path / "made here"
    fstab.write_text(
        f"{namespace.folder}/a.zarr {place} fuse.zarrscope defaults,noatime,view=keys,fsname=a\\,b 0 0\n"
        f"{namespace.folder}/a.zarr#/x {str(made).replace(' ', chr(92) + '040')} zarrscope noauto,X-mount.mkdir 0 0\n"
        f"{namespace.folder}/none.zarr {tmp_path}/none fuse.zarrscope nofail,X-mount.mkdir 0 0\n"
    )
    # 64: some of "all" could be mounted.
    everything = namespace.run("mount", "-a", "--fstab", fstab)
    assert everything.returncode in (0, 64), everything
    assert "none.zarr" in everything.stderr
    assert [*namespace.mounts()] == [str(place)]
    assert (namespace.inside(place) / "x" / "zarr.json").read_bytes()
    assert " a,b " in namespace.mounts()[str(place)]
    namespace.done("mount", "-T", fstab, made)
    assert (namespace.inside(made) / "arrays" / "data.raw").read_bytes() == VALUES.tobytes()
    namespace.done("umount", place, made)
    assert not namespace.mounts()


@needs_root
def test_mount_reports_failures(namespace: Namespace, place: Path) -> None:
    missing = namespace.run("mount", "-t", "zarrscope", "none.zarr", place)
    assert missing.returncode == 32
    assert missing.stderr.startswith("zarrscope: ")
    assert missing.stderr.count("\n") == 1
    wrong = namespace.run("mount", "-t", "zarrscope", "a.zarr", place, "-o", "nonsense")
    assert wrong.returncode == 1
    assert "-o nonsense: no such option" in wrong.stderr
    assert namespace.run("mount", "-f", "-t", "zarrscope", "none.zarr", place).returncode == 0
    assert not namespace.mounts()
    namespace.done("mount", "-s", "-t", "zarrscope", "a.zarr", place, "-o", "nonsense,ro")
    assert namespace.mounts()
    again = namespace.run("mount", "-o", "remount,ro", place, "-t", "zarrscope")
    assert again.returncode == 1
    assert "mount it again" in again.stderr


@needs_root
def test_mount_replaces_a_dead_mount(namespace: Namespace, place: Path) -> None:
    namespace.done("mount", "-t", "fuse.zarrscope", "a.zarr", place)
    daemon = daemon_of(namespace, place)
    os.kill(daemon, signal.SIGKILL)
    wait_until(lambda: has_ended(daemon), "the daemon ends")
    namespace.done("mount", "-t", "fuse.zarrscope", "a.zarr", place)
    assert (namespace.inside(place) / "arrays" / "x" / "data.raw").read_bytes() == VALUES.tobytes()
    assert len(namespace.mounts()) == 1


@needs_root
def test_credentials_come_from_a_file_and_are_not_shown(
    namespace: Namespace, place: Path, s3: S3Server, tmp_path: Path
) -> None:
    s3.upload(namespace.folder / "a.zarr", "bucket/helper.zarr")
    secrets = tmp_path / "secrets"
    secrets.write_text("AWS_ACCESS_KEY_ID=testing-key\nAWS_SECRET_ACCESS_KEY=testing-secret\n"
                       "AWS_EC2_METADATA_DISABLED=true\n")  # fmt: skip
    words = f"endpoint-url={s3.endpoint_url},region=us-east-1,timeout=10,retries=0"
    fstab = tmp_path / "fstab"
    fstab.write_text(
        f"s3://bucket/helper.zarr {place} fuse.zarrscope _netdev,{words},env-file={secrets} 0 0\n"
    )
    namespace.done("mount", "-T", fstab, place)
    assert (namespace.inside(place) / "arrays" / "x" / "data.raw").read_bytes() == VALUES.tobytes()
    assert " s3://bucket/helper.zarr " in namespace.mounts()[str(place)]
    process = Path(f"/proc/{daemon_of(namespace, place)}")
    shown = [
        process / "cmdline",
        process / "mountinfo",
        namespace.inside(place) / ".zarrscope" / "stats.json",
    ]
    shown.append(namespace.inside(Path("/run/mount/utab")))
    for path in shown:
        if path.exists():
            assert b"testing-secret" not in path.read_bytes(), path


@needs_root
def test_installing_and_removing(namespace: Namespace) -> None:
    script = ROOT / "packaging" / "install-mount-helper"
    said = namespace.done(script)
    for name in HELPERS:
        assert (
            f"wrote /sbin/{name}, which runs {ROOT}/{os.environ.get('ZARRSCOPE_VENV', '.venv')}/bin/python"
            in said
        )
        assert os.access(namespace.folder / "sbin" / name, os.X_OK)
    assert f"removed /sbin/{HELPERS[0]}" in namespace.done(script, "--uninstall")
    assert not {*HELPERS} & {*os.listdir(namespace.folder / "sbin")}
    assert "is not there" in namespace.done(script, "--uninstall")
    foreign = namespace.folder / "sbin" / HELPERS[0]
    foreign.write_text("#!/bin/sh\n")
    for arguments in ((), ("--uninstall",)):
        assert "was not installed by zarrscope" in namespace.run(script, *arguments).stderr
    assert foreign.read_text() == "#!/bin/sh\n"
    foreign.unlink()
    refused = namespace.run(script, PYTHON="/bin/false")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "run packaging/setup first" in refused.stderr
    assert namespace.run(script, "--wrong").returncode == 1
    namespace.done(script)


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_only_root_installs() -> None:
    script = (ROOT / "packaging" / "install-mount-helper").read_text()
    done = subprocess.run(["bash", "-s"], input=script, capture_output=True, text=True, cwd="/", user=65534)
    assert done.returncode == 1
    assert done.stderr == "install-mount-helper: only root may write to /sbin: run this as root\n"


@needs_root
def test_systemd_accepts_the_unit(namespace: Namespace, place: Path) -> None:
    """Run it as systemd does: the program of its ExecStart, a socket for its notification, and SIGTERM at the end."""
    if shutil.which("systemd-analyze") is not None:
        unit = shutil.copy(UNIT, namespace.folder / "zarrscope@brain.service")
        assert namespace.done("systemd-analyze", "verify", "--man=no", unit) == ""
    line = next(line for line in UNIT.read_text().splitlines() if line.startswith("ExecStart="))
    values = {"SOURCE": "a.zarr", "MOUNTPOINT": str(place), "OPTIONS": ""}
    words = [word.format(**values) for word in line.removeprefix("ExecStart=").replace("${", "{").split()]
    with contextlib.ExitStack() as stack:
        supervisor = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        supervisor.bind(str(namespace.folder / "notify"))
        supervisor.settimeout(30)
        environment = {**os.environ, "NOTIFY_SOCKET": str(namespace.folder / "notify")}
        service = subprocess.Popen(namespace.command(*words), env=environment)
        stack.callback(service.wait)
        stack.callback(service.kill)
        assert supervisor.recv(100) == b"READY=1"
        assert (namespace.inside(place) / "keys" / "zarr.json").exists()
        service.send_signal(signal.SIGTERM)
        assert service.wait(30) == 0
    assert not namespace.mounts()
