"""``--cache-dir``: the cache on disk of a mount, for itself, for later mounts and for others at the same time."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr
import zstandard

from tests.disk import disk
from tests.servers import FaultServer, fault_server
from tests.waiting import PATIENCE_S, wait_until
from tests.zfs.conftest import Mount, Mounter, has_ended
from tests.zfs.forking import run_forked

VALUES = np.random.default_rng(1).integers(0, 1000, (4, 200, 200)).astype("<i4")
PLAIN, SHARDED = "plain", "sharded"


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Keys and values of a hierarchy with an array of chunks and one of shards."""
    root = tmp_path_factory.mktemp("h")
    group = zarr.open_group(root, mode="w")
    group.create_array(PLAIN, shape=VALUES.shape, chunks=(1, 100, 100), dtype="i4")[...] = VALUES
    sharded = group.create_array(
        SHARDED, shape=VALUES.shape, chunks=(1, 50, 50), shards=(4, 100, 100), dtype="i4"
    )
    sharded[...] = VALUES
    files = (file for file in root.rglob("*") if file.is_file())
    return {f"h/{file.relative_to(root).as_posix()}": file.read_bytes() for file in files}


@pytest.fixture
def server(values: dict[str, bytes]) -> Iterator[FaultServer]:
    with fault_server() as running:
        running.values.update(values)
        yield running


def check(mounted: Mount) -> None:
    for name in (PLAIN, SHARDED):
        assert (mounted.arrays / name / "data.raw").read_bytes() == VALUES.tobytes()
        assert (mounted.arrays / name / "[2,50:60].raw").read_bytes() == VALUES[2, 50:60].tobytes()


def fetched(server: FaultServer) -> list[str]:
    """The keys whose bytes were requested since the last call. Absent keys are requested each time, and left out."""
    asked = [path for method, path, _ in server.requests if method == "GET" and path[1:] in server.values]
    server.requests.clear()
    return asked


def entries(cache: Path) -> list[Path]:
    return [file for file in cache.rglob("*") if file.is_file()]


def test_the_next_mount_needs_no_server_and_trusts_no_damaged_entry(
    server: FaultServer, mount: Mounter, tmp_path: Path
) -> None:
    """S24: "A damaged entry is dropped and fetched again"."""
    options = ("--cache-dir", str(tmp_path / "cache"), "--retries", "0", "--timeout", "2")
    first = mount(f"{server.url}/h", *options)
    check(first)
    assert first.umount().status == 0
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700
    for number, file in enumerate(entries(tmp_path / "cache")):
        content = bytearray(file.read_bytes())
        content[-1 - number % 20] ^= 1
        file.write_bytes(content[: -number % 3 * 10 or None])
    fetched(server)
    check(mount(f"{server.url}/h", *options))
    assert len(fetched(server)) > 10
    for key in server.values:
        server.faults[key] = "reset"
    third = mount(f"{server.url}/h", *options)
    check(third)
    assert third.log.read_text() == ""


def test_later_mounts_ask_whether_it_changed(server: FaultServer, mount: Mounter, tmp_path: Path) -> None:
    """S24: "then one request revalidates an entry"."""
    options = ("-o", f"cache-dir={tmp_path / 'cache'},cache-dir-size=100MB,metadata-ttl=0")
    first = mount(f"{server.url}/h", *options)
    check(first)
    fetched(server)
    second = mount(f"{server.url}/h", *options)  # both at the same time
    check(second)
    assert fetched(server) == []
    values = VALUES.copy()
    values[2, :100, :100] = 7
    server.values[f"h/{PLAIN}/c/2/0/0"] = zstandard.compress(values[2, :100, :100].tobytes())
    third = mount(f"{server.url}/h", *options)
    assert (third.arrays / PLAIN / "data.raw").read_bytes() == values.tobytes()
    assert fetched(server) == [f"/h/{PLAIN}/c/2/0/0"]
    assert [mounted.log.read_text() for mounted in (first, second, third)] == ["", "", ""]


def test_a_refresh_reaches_the_cache(server: FaultServer, mount: Mounter, tmp_path: Path) -> None:
    server.values["h/blob"] = b"old" * 1000
    mounted = mount(f"{server.url}/h", "--cache-dir", str(tmp_path / "cache"), "--immutable")
    assert (mounted.keys / "blob").read_bytes() == b"old" * 1000
    server.values["h/blob"] = b"new" * 1000
    mounted.refresh()
    assert (mounted.keys / "blob").read_bytes() == b"new" * 1000


def test_a_killed_daemon_leaves_a_cache_that_works(
    server: FaultServer, mount: Mounter, tmp_path: Path
) -> None:
    options = ("--cache-dir", str(tmp_path / "cache"))
    mounted = mount(f"{server.url}/h", *options)
    daemon = mounted.daemon()
    server.delay_s = 0.02
    reader = subprocess.Popen(["cat", mounted.arrays / SHARDED / "data.raw"], stdout=-3, stderr=-3)
    wait_until(lambda: len(entries(tmp_path / "cache")) > 4, "the cache has entries")
    os.kill(daemon, signal.SIGKILL)
    wait_until(lambda: has_ended(daemon), "the daemon is gone")
    reader.wait(PATIENCE_S)
    server.delay_s = 0.0
    subprocess.run(["umount", "--lazy", mounted.path], check=False)
    check(mount(f"{server.url}/h", *options))


def test_a_full_cache_disk_is_reported_once(server: FaultServer, mount: Mounter, tmp_path: Path) -> None:
    """S24: "reported once in the log, and reading continues without it"."""
    with disk(tmp_path / "disk", "100k") as place:
        mounted = mount(f"{server.url}/h", "--cache-dir", str(place / "cache"))
        check(mounted)
        assert mounted.log.read_text().count("\n") == 1
        assert "is skipped: No space left on device" in mounted.log.read_text()
        assert mounted.umount().status == 0


def test_a_read_only_cache_disk_is_still_read(server: FaultServer, mount: Mounter, tmp_path: Path) -> None:
    """S24: "A cache that is full, not writable or gone is reported once in the log"."""
    with disk(tmp_path / "disk") as place:
        options = ("--cache-dir", str(place / "cache"))
        first = mount(f"{server.url}/h", *options)
        assert (first.arrays / PLAIN / "data.raw").read_bytes() == VALUES.tobytes()
        assert first.umount().status == 0
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        fetched(server)
        second = mount(f"{server.url}/h", *options)
        check(second)
        assert {key for key in fetched(server) if f"/{PLAIN}/c/" in key} == set()
        assert second.log.read_text().count("\n") == 1
        assert "is skipped: Read-only file system" in second.log.read_text()
        assert second.umount().status == 0


def test_a_cache_inside_the_mount_is_refused(server: FaultServer, tmp_path: Path) -> None:
    done = run_forked("mount", f"{server.url}/h", tmp_path, "--cache-dir", tmp_path / "cache")
    assert (done.status, done.stderr.count("\n")) == (1, 1)
    assert "the cache in" in done.stderr
