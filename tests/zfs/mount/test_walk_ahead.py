"""Nodes are fetched ahead of programs that walk, at most so many, and each request is sent once."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

import zarrcore as zc
from tests.servers.distant import DistantServer, distant_server
from tests.waiting import wait_until
from tests.zfs.conftest import Mount, Mounter, has_ended
from tests.zfs.trees.entries import Clock
from zarrcore.hierarchy import Group
from zarrfs.mount import walk_ahead
from zarrfs.mount.walk_ahead import WalkAhead
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.freshness import Freshness

GROUPS, ARRAYS = 8, 26
PATHS = 1 + 2 + GROUPS * (1 + 2 + ARRAYS * 5)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ahead")
    hierarchy = zc.create(root / "bucket/h")
    for group, array in product(range(GROUPS), range(ARRAYS)):
        hierarchy.create_array(f"g{group}/a{array:02}", shape=(4,), dtype="u1", chunks=(2,))
    hierarchy.create_array("deep/" + "/".join("abcdefghijklmnopqrstuvwxyz") + "/x", shape=(4,), dtype="u1")
    return root


@pytest.fixture
def server(root: Path) -> Iterator[DistantServer]:
    with distant_server(root) as server:
        yield server
        wait_for_rest(server)


def wait_for_rest(server: DistantServer) -> None:
    """Wait until no more requests arrive."""
    answered = -1
    while server.waiting or answered != len(server.requests):
        answered = len(server.requests)
        time.sleep(0.3)


def find(folder: Path) -> list[str]:
    done = subprocess.run(["find", folder], capture_output=True, text=True, timeout=100, check=True)
    return done.stdout.splitlines()


def mounted_far(server: DistantServer, mount: Mounter, *options: str) -> Mount:
    """A mount of a server whose answers from now on take so long that requests sent together are in flight together."""
    mounted = mount(f"{server.url}/bucket/h", *options)
    server.forget()
    server.delay_s = 0.1
    return mounted


def test_a_walk_has_many_requests_in_flight_and_repeats_none(server: DistantServer, mount: Mounter) -> None:
    mounted = mounted_far(server, mount)
    paths = find(mounted.arrays)
    wait_for_rest(server)
    assert server.most_at_once > 40
    assert len(set(server.requests)) == len(server.requests)
    listings = 1 + GROUPS + 27
    assert len(server.requests) <= listings + 1 + GROUPS * (1 + ARRAYS) + 28 + 6
    assert mounted.stats()["walked_ahead"] > ARRAYS * (GROUPS - 2)
    server.forget()
    assert sorted(find(mounted.arrays)) == sorted(paths)
    assert len(find(mounted.path / "zarr3")) > GROUPS * ARRAYS
    assert server.requests == [], "within the time to live"


def test_the_names_are_those_without_it(server: DistantServer, mount: Mounter) -> None:
    ahead, not_ahead = (
        mount(f"{server.url}/bucket/h", *options) for options in ([], ["-o", "no_metadata_prefetch"])
    )
    shown = [[path[len(str(one.path)) :] for path in find(one.arrays)] for one in (ahead, not_ahead)]
    assert shown[0] == shown[1]
    assert not_ahead.stats()["walked_ahead"] == 0


def test_a_program_that_does_not_walk_causes_no_further_requests(
    server: DistantServer, mount: Mounter
) -> None:
    mounted = mounted_far(server, mount)
    (mounted.arrays / "g1/a03/data.npy").read_bytes()
    assert "g3" in os.listdir(mounted.arrays)
    wait_for_rest(server)
    documents = [target for _, target in server.requests if target.endswith("/zarr.json")]
    assert len(documents) == 1 + (GROUPS + 1) + 1, "of the root, its groups, and the array"
    assert mounted.stats()["walked_ahead"] == 0


def test_unmounting_does_not_wait_for_it(root: Path, mount: Mounter) -> None:
    with distant_server(root) as server:
        mounted = mounted_far(server, mount, "--timeout", "600", "--retries", "0")
        daemon = mounted.daemon()
        os.listdir(mounted.arrays)
        os.listdir(mounted.arrays / "deep")
        wait_until(lambda: mounted.stats()["walked_ahead"] > 2, "it has begun")
        server.delay_s = 3600
        server.forget()
        wait_until(lambda: server.waiting > 0 and not server.requests, "a request is stuck")
        os.kill(daemon, signal.SIGTERM)
        wait_until(lambda: has_ended(daemon), "the daemon ends")


class Tree(ArraysTree):
    """The tree of the server's hierarchy."""

    def __init__(self, server: DistantServer, freshness: Freshness) -> None:
        super().__init__(
            lambda: zc.open_hierarchy(f"{server.url}/bucket/h", metadata_max_age_s=freshness.ttl_s), freshness
        )
        self.ahead = WalkAhead(self)
        self.when_listed = self.ahead.listed

    def listed(self, path: str) -> list[str]:
        group = self.node(path, wait=True)
        assert isinstance(group, Group)
        return [node.kind for node in self.children(group)]


def test_it_stays_within_what_programs_list(server: DistantServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk_ahead, "_FIRST_NODES", 0)
    monkeypatch.setattr(walk_ahead, "_NODES_FOR_EACH", 1)
    monkeypatch.setattr(walk_ahead, "_GROUPS_AT_ONCE", 1)
    tree = Tree(server, Freshness(60.0))
    tree.listed("/")
    tree.listed("/g0")
    wait_for_rest(server)
    assert ARRAYS < tree.ahead.nodes < 3 * ARRAYS + 27


def test_it_leaves_a_large_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hierarchy = zc.create(tmp_path / "bucket/h")
    for group, array in product(range(2), range(30)):
        hierarchy.create_array(f"g{group}/a{array:02}", shape=(4,), dtype="u1")
    monkeypatch.setattr(walk_ahead, "_FIRST_NODES", 5 - 2 - 30)
    monkeypatch.setattr(walk_ahead, "_NODES_FOR_EACH", 1)
    with distant_server(tmp_path) as server:
        tree = Tree(server, Freshness(60.0))
        tree.listed("/")
        tree.listed("/g0")
        wait_for_rest(server)
        assert tree.ahead.nodes == 2 * 5
        assert tree.listed("/g1") == ["array"] * 30
        documents = [target for _, target in server.requests if target.endswith("/zarr.json")]
        assert len(set(documents)) == len(documents)


def test_failures_are_the_programs_own(server: DistantServer) -> None:
    tree = Tree(server, Freshness(60.0))
    server.refused = {f"bucket/h/g{group}/a02/zarr.json": 403 for group in range(GROUPS)}
    tree.listed("/")
    assert tree.listed("/g0").count("broken") == 1
    wait_for_rest(server)
    server.refused.clear()
    for group in range(1, GROUPS):
        assert tree.listed(f"/g{group}") == ["array"] * ARRAYS
    server.refused = {"bucket/h/g3": 500}
    assert tree.listed("/g0").count("array") == ARRAYS - 1


def test_it_walks_again_after_the_time_to_live(server: DistantServer) -> None:
    clock = Clock()
    tree = Tree(server, Freshness(60.0, clock))
    for walked in (1, 2):
        for path in ("/", "/g0"):
            tree.listed(path)
        wait_for_rest(server)
        assert tree.ahead.nodes >= walked * (GROUPS - 1) * ARRAYS
        clock.s += 61
