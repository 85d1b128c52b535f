"""Mounting as an ordinary user: fusermount3 does it, and its dead mounts look different."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr
from numpy.typing import NDArray

import zarrcore
from tests.waiting import wait_until
from tests.zfs.conftest import has_ended
from tests.zfs.namespace import Namespace, entered, needs_root
from zarrcore.filetypes.hdf5 import HDF5File

USER = 65534
PREPARE = f"""
mount -t tmpfs none /mnt
mkdir /mnt/here
mknod -m 666 /mnt/fuse c 10 229
mount --bind /mnt/fuse /dev/fuse
chown {USER} /mnt/here
"""
HERE = Path("/mnt/here")
AS_USER = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]


@pytest.fixture(scope="module")
def large() -> NDArray[np.uint32]:
    """16 MiB, more than the kernel reads ahead; the module's tests share it and then let it go."""
    return (np.arange(4 << 20, dtype="u4") * np.uint32(2654435761)).reshape(-1, 512, 512)


@pytest.fixture(scope="module")
def namespace(tmp_path_factory: pytest.TempPathFactory, large: NDArray[np.uint32]) -> Iterator[Namespace]:
    with entered(tmp_path_factory.mktemp("namespace"), PREPARE) as made:
        zarr.save_group(made.folder / "a.zarr", x=zarr.ones(3)[...])
        array = zarr.open_group(made.folder / "a.zarr").create_array(
            "large", shape=large.shape, dtype="u4", chunks=(1, 512, 512)
        )
        array[...] = large
        (made.folder / "a.zarr" / "as-one").write_bytes(large.tobytes())
        yield made


def zarrscope(namespace: Namespace, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command to run as another user, who may read the interpreter and this test's folder wherever they are."""
    may_read = "+dac_read_search"
    user = [*AS_USER, f"--inh-caps={may_read}", f"--ambient-caps={may_read}"]
    return namespace.run(*user, Path(sys.executable).with_name("zarrscope"), *arguments)


def mounted(namespace: Namespace, *options: str) -> int:
    """Mount; returns the daemon's process."""
    done = zarrscope(namespace, "mount", namespace.folder / "a.zarr", HERE, *options)
    assert done.returncode == 0, done
    return int(json.loads(stats(namespace))["pid"])


def stats(namespace: Namespace) -> str:
    """Read as that user, since only that user has access to the mount."""
    return namespace.done(*AS_USER, "cat", HERE / ".zarrscope" / "stats.json")


def kill(daemon: int) -> None:
    os.kill(daemon, signal.SIGKILL)
    wait_until(lambda: has_ended(daemon), "the daemon ends")


@needs_root
@pytest.mark.parametrize(
    "path", ["arrays/large/data.raw", "arrays/large/data.npy", "keys/as-one", "hdf5/large.h5"]
)
def test_a_sequential_reader_gets_bytes_before_it_requests_them(
    namespace: Namespace, large: NDArray[np.uint32], path: str
) -> None:
    """The user's mount cannot increase the kernel's read-ahead of 128 KiB, and each request costs as much as one of 1 MiB."""
    mounted(namespace)
    try:
        whole = hashlib.sha256()
        if path.endswith("npy"):
            stream = io.BytesIO()
            np.save(stream, large)
            whole.update(stream.getvalue())
        elif path.endswith("h5"):
            stream = io.BytesIO()
            HDF5File(zarrcore.open_hierarchy(namespace.folder / "a.zarr")["large"]).write_to(stream)
            whole.update(stream.getvalue())
        else:
            whole.update(large.tobytes())
        assert namespace.done(*AS_USER, "sha256sum", HERE / path).split()[0] == whole.hexdigest()
        told = json.loads(stats(namespace))
        assert told["requests"]["read"] < large.nbytes / (128 << 10) * 0.45, "some bytes are not requested"
        assert told["errors"] == {}
    finally:
        assert zarrscope(namespace, "umount", HERE).returncode == 0


@needs_root
def test_other_users_have_no_access_and_busy_mounts_are_reported(namespace: Namespace) -> None:
    daemon = mounted(namespace)
    assert namespace.run("ls", HERE).returncode != 0, "root is another user"
    sleeper = subprocess.Popen(
        namespace.command(*AS_USER, "sh", "-c", f"cd {HERE}/keys; echo; exec sleep 100"),
        stdout=subprocess.PIPE,
    )
    try:
        assert sleeper.stdout is not None
        assert sleeper.stdout.readline() == b"\n"
        busy = zarrscope(namespace, "umount", HERE)
        assert busy.returncode == 1
        assert f"sleep ({sleeper.pid}) is in {HERE}/keys" in busy.stderr
    finally:
        sleeper.kill()
        sleeper.communicate()
    assert zarrscope(namespace, "umount", HERE).returncode == 0
    assert not namespace.mounts()
    assert has_ended(daemon)


@needs_root
@pytest.mark.parametrize("options", [(), ("-o", "auto_unmount")])
def test_dead_mounts_of_an_ordinary_user_are_cleaned(namespace: Namespace, options: tuple[str, ...]) -> None:
    kill(mounted(namespace, *options))
    kill(mounted(namespace, *options))
    assert len(namespace.mounts()) <= 1
    if namespace.mounts():
        assert zarrscope(namespace, "umount", HERE).returncode == 0
    assert not namespace.mounts()
