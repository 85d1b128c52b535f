"""``--metadata-prefetch``: the first listing of a remote hierarchy needs no requests, and the mount never suffers."""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import zarrcore as zc
from tests.servers.distant import DistantServer, distant_server
from tests.waiting import wait_until
from tests.zfs.conftest import NO_FUSE, Mount, Mounter, has_ended, is_mounted
from zarrcore.hierarchy import AnyNode, Group
from zarrfs.mount.metadata_prefetch import MetadataPrefetch
from zarrfs.trees.arrays import tree
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.freshness import Freshness

OPTION = ("--metadata-prefetch", "--metadata-ttl", "forever", "--retries", "0", "--log-level", "info")
GROUPS, ARRAYS = 3, 40
NODES = 1 + GROUPS + GROUPS * ARRAYS


def fill(root: Path, format_: str = "v3") -> Path:
    """A hierarchy in a bucket."""
    hierarchy = zc.create(root / "bucket" / "h", format=format_)
    for array in range(ARRAYS):
        hierarchy.create_array(f"g0/a{array}", shape=(4, 4), dtype="u1", chunks=(2, 2))
    for group in range(1, GROUPS):
        shutil.copytree(root / "bucket/h/g0", root / f"bucket/h/g{group}")
    return root / "bucket" / "h"


@contextmanager
def serving(root: Path, delay_s: float = 0.0) -> Iterator[DistantServer]:
    """A server that ends when the requests of a walk that has ended are answered, too."""
    with distant_server(root, delay_s) as server:
        yield server
        answered = -1
        while server.waiting or answered != len(server.requests):
            answered = len(server.requests)
            time.sleep(0.3)


def prefetched(mounted: Mount) -> dict[str, object]:
    """The statistics of a prefetch that has ended."""
    wait_until(lambda: mounted.stats()["metadata_prefetch"]["state"] not in {"off", "running"}, "it ends")
    return mounted.stats()["metadata_prefetch"]


def messages(mounted: Mount) -> list[str]:
    return [line for line in mounted.log.read_text().splitlines() if "in advance" in line]


def list_all(folder: Path) -> str:
    done = subprocess.run(["ls", "-lR", folder], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("format_", ["v3", "v2"])
def test_a_listing_after_it_sends_no_request(tmp_path: Path, mount: Mounter, format_: str) -> None:
    """S11: "meanwhile look-ups and listings need no request"."""
    root = fill(tmp_path, format_)
    if format_ == "v2":  # an old array, which does not tell how its chunks are named
        document = root / "g0" / "a0" / ".zarray"
        document.write_text(document.read_text().replace('"dimension_separator"', '"other"'))
    with serving(tmp_path) as server:
        mounted = mount(f"{server.url}/bucket/h", *OPTION)
        assert prefetched(mounted) == {"state": "finished", "nodes": NODES, "failed": 0}
        server.forget()
        for name, file in (("arrays", "data.raw"), ("zarr3", "zarr.json")):
            listed = list_all(mounted.path / name)
            assert len(re.findall(rf" {file}$", listed, re.MULTILINE)) >= GROUPS * ARRAYS
        assert (
            len(re.findall(r" a\d+\.h5$", list_all(mounted.path / "hdf5"), re.MULTILINE)) == GROUPS * ARRAYS
        )
        assert server.requests == []
        assert messages(mounted) == []
        other = mount(f"{server.url}/bucket/h", "--metadata-ttl", "forever")
        server.forget()
        list_all(other.arrays)
        assert len(server.requests) > GROUPS * ARRAYS
        assert other.stats()["metadata_prefetch"] == {"state": "off", "nodes": 0, "failed": 0}


def test_it_leaves_most_requests_to_readers(tmp_path: Path, mount: Mounter) -> None:
    fill(tmp_path)
    with serving(tmp_path, 0.05) as server:
        mounted = mount(f"{server.url}/bucket/h", *OPTION)
        assert prefetched(mounted)["state"] == "finished"
        assert 10 < server.most_at_once < 20
        mounted.refresh()
        server.forget()
        list_all(mounted.arrays)
        assert server.most_at_once > 30


@pytest.mark.parametrize(
    "options", [["--metadata-ttl", "0"], ["--view", "keys"], ["local"]], ids=["no time", "keys", "local"]
)
def test_it_does_nothing_where_it_gains_nothing(tmp_path: Path, mount: Mounter, options: list[str]) -> None:
    source = fill(tmp_path)
    with serving(tmp_path) as server:
        url = str(source) if options == ["local"] else f"{server.url}/bucket/h"
        mounted = mount(url, "-o", "metadata_prefetch", *[text for text in options if text != "local"])
        os.listdir(mounted.path)
        assert mounted.stats()["metadata_prefetch"]["state"] == "off"


@contextmanager
def stuck(root: Path) -> Iterator[DistantServer]:
    """A server of a chain of groups; it answers slowly, so that a walk is in the middle until `stop_answering`."""
    zc.create(root / "bucket" / "h").create_group("/".join("abcdefghijklmnopqrstuvwxyz" * 4))
    with distant_server(root, 0.1) as server:
        yield server


def stop_answering(server: DistantServer) -> None:
    server.delay_s = 3600
    server.forget()
    wait_until(lambda: server.waiting > 0 and not server.requests, "a request is stuck")


def test_unmounting_does_not_wait_for_it(tmp_path: Path, mount: Mounter) -> None:
    with stuck(tmp_path) as server:
        mounted = mount(f"{server.url}/bucket/h", *OPTION, "--timeout", "600")
        daemon = mounted.daemon()
        wait_until(lambda: mounted.stats()["metadata_prefetch"]["nodes"] > 2, "it has begun")
        stop_answering(server)
        assert mounted.stats()["metadata_prefetch"]["state"] == "running"
        done = mounted.umount()
        assert (done.status, done.stderr) == (0, "")
        wait_until(lambda: has_ended(daemon), "the daemon ends")
        assert not is_mounted(mounted.path)
        assert messages(mounted) == []
        assert "Traceback" not in mounted.log.read_text()


def test_a_document_that_is_refused_or_broken_does_not_end_it(tmp_path: Path, mount: Mounter) -> None:
    (fill(tmp_path) / "g1" / "a1" / "zarr.json").write_text("{")
    with serving(tmp_path) as server:
        refused = [f"bucket/h/g{group}/a2/zarr.json" for group in range(GROUPS)]
        server.refused = dict.fromkeys(refused, 403)
        mounted = mount(f"{server.url}/bucket/h", *OPTION)
        assert prefetched(mounted) == {"state": "finished", "nodes": NODES - GROUPS, "failed": GROUPS}
        (message,) = messages(mounted)
        assert re.search(r"/g\d/a2 cannot be fetched in advance: .*403", message)
        assert sorted(os.listdir(mounted.arrays / "g1" / "a1")) == ["document.json", "error.txt"]
        assert "data.npy" in os.listdir(mounted.arrays / "g1" / "a3")
        server.refused.clear()
        assert "data.npy" in os.listdir(mounted.arrays / "g1" / "a2")


def test_a_failing_store_ends_it_and_not_the_mount(tmp_path: Path, mount: Mounter) -> None:
    fill(tmp_path)
    with serving(tmp_path) as server:
        server.refused["bucket/h/g1/a2/zarr.json"] = 500
        mounted = mount(f"{server.url}/bucket/h", *OPTION)
        assert (prefetched(mounted)["state"], len(messages(mounted))) == ("failed", 1)
        assert len(list_all(mounted.arrays / "g0").splitlines()) > ARRAYS
        server.refused.clear()
        assert "data.npy" in os.listdir(mounted.arrays / "g1" / "a2")


def test_a_store_that_cannot_be_listed_is_mounted(tmp_path: Path, mount: Mounter) -> None:
    fill(tmp_path)
    with serving(tmp_path) as server:
        server.lists = False
        mounted = mount(f"{server.url}/bucket/h", *OPTION)
        assert prefetched(mounted) == {"state": "failed", "nodes": 1, "failed": 1}
        assert "data.npy" in os.listdir(mounted.arrays / "g1" / "a2")


def remote(server: DistantServer, kind: type[ArraysTree] = ArraysTree) -> ArraysTree:
    return kind(lambda: zc.open_hierarchy(f"{server.url}/bucket/h"), Freshness(math.inf))


def test_it_ends_when_the_memory_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path)
    monkeypatch.setattr(tree, "_NODES_MAX", 1 + GROUPS + 1 + ARRAYS + 10)
    with serving(tmp_path) as server:
        arrays = remote(server)
        prefetch = MetadataPrefetch(arrays)
        prefetch.walk()
        assert prefetch.state == "full"
        assert 1 + GROUPS + ARRAYS < prefetch.nodes < NODES
        server.forget()
        root = arrays.node("/", wait=False)
        assert isinstance(root, Group)
        groups = list(arrays.children(root))
        assert isinstance(groups[0], Group)
        assert len(list(arrays.children(groups[0]))) == ARRAYS
        assert server.requests == []


class RefreshedTree(ArraysTree):
    """A tree that is refreshed in the middle of a listing."""

    def children(self, group: Group, ahead: int | None = None) -> Iterator[AnyNode]:
        for node in super().children(group, ahead):
            if node.path.endswith("a3"):
                self.freshness.refresh()
            yield node


def test_a_refresh_ends_it(tmp_path: Path) -> None:
    fill(tmp_path)
    with serving(tmp_path) as server:
        prefetch = MetadataPrefetch(remote(server, RefreshedTree))
        prefetch.walk()
        assert prefetch.state == "stopped"
        assert prefetch.nodes < NODES


class BrokenTree(ArraysTree):
    """A tree that raises an unexpected error."""

    def children(self, group: Group, ahead: int | None = None) -> Iterator[AnyNode]:
        raise RuntimeError("unforeseen")


def test_an_unforeseen_error_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fill(tmp_path)
    with serving(tmp_path) as server, caplog.at_level("INFO"):
        prefetch = MetadataPrefetch(remote(server, BrokenTree))
        prefetch.walk()
    assert prefetch.state == "failed"
    assert "unforeseen" in caplog.text


@pytest.mark.skipif(bool(NO_FUSE), reason=NO_FUSE or "-")
def test_a_mount_in_the_foreground_ends_while_a_request_is_stuck(tmp_path: Path) -> None:
    path = tmp_path / "mnt"
    path.mkdir()
    with stuck(tmp_path) as server:
        command = [Path(sys.executable).with_name("zarrscope"), "mount", "-f", f"{server.url}/bucket/h", path]
        process = subprocess.Popen([*command, *OPTION, "--timeout", "600"], stderr=subprocess.PIPE)
        try:
            mounted = Mount(path, tmp_path / "log")
            wait_until(lambda: is_mounted(path), "it is mounted")
            wait_until(lambda: mounted.stats()["metadata_prefetch"]["nodes"] > 2, "it has begun")
            stop_answering(server)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            process.kill()
            process.wait()
    assert process.returncode == 0
    assert not is_mounted(path)
