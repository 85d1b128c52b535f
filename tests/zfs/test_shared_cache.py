"""Mounts that share a cache: a directory, or a Redis server, as mounts on several machines do."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr
import zstandard

from tests.servers import FaultServer, fault_server
from tests.servers.processes import free_port
from tests.servers.redis import RedisServer, redis_server
from tests.waiting import wait_until
from tests.zfs.conftest import Mount, Mounter
from tests.zfs.forking import run_forked

MOUNTS = 8
VALUES = np.random.default_rng(1).integers(0, 1000, (8, 200, 200)).astype("<i4")


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("h")
    group = zarr.create_group(root)
    group.create_array("plain", data=VALUES, chunks=(1, 100, 100))
    group.create_array("sharded", data=VALUES, chunks=(1, 50, 50), shards=(4, 100, 100))
    files = (file for file in root.rglob("*") if file.is_file())
    return {f"h/{file.relative_to(root).as_posix()}": file.read_bytes() for file in files}


@pytest.fixture
def server(values: dict[str, bytes]) -> Iterator[FaultServer]:
    with fault_server() as running:
        running.values.update(values)
        running.delay_s = 0.02
        yield running


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path) as running:
        yield running


@pytest.fixture(params=["directory", "redis"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The options of a cache that several mounts share."""
    if request.param == "directory":
        return "--cache-dir", str(tmp_path / "cache")
    return "--cache-url", request.getfixturevalue("redis").url


def digests(mounts: list[Mount], name: str) -> set[bytes]:
    """What all mounts read at the same time."""
    readers = [
        subprocess.Popen(["sha256sum", mounted.arrays / name / "data.raw"], stdout=subprocess.PIPE)
        for mounted in mounts
    ]
    return {reader.communicate(timeout=60)[0].split()[0] for reader in readers}


def fetched(server: FaultServer) -> Counter[tuple[str, str]]:
    """How often each chunk, or each part of a shard, was fetched since the last call."""
    requests = [*server.requests]
    server.requests.clear()
    return Counter(
        (path, headers.get("range", ""))
        for method, path, headers in requests
        if method == "GET" and "/c/" in path
    )


def expected(values: np.ndarray) -> set[bytes]:
    digest = subprocess.run(["sha256sum"], input=values.tobytes(), capture_output=True, check=True)
    return {digest.stdout.split()[0]}


def test_eight_mounts_ask_the_source_once(
    server: FaultServer, mount: Mounter, shared: tuple[str, str]
) -> None:
    """S24: "Mounts that need the same bytes at the same time fetch them once"."""
    mounts = [mount(f"{server.url}/h", *shared) for _ in range(MOUNTS)]
    server.requests.clear()
    assert digests(mounts, "plain") == expected(VALUES)
    asked = fetched(server)
    assert len(asked) == 32
    # A process that is stopped for five seconds may lose its claim.
    assert sum(asked.values()) <= 32 + 2
    assert digests(mounts, "sharded") == expected(VALUES)
    assert max(fetched(server).values()) <= 2
    assert [mounted.log.read_text() for mounted in mounts] == [""] * MOUNTS


def test_all_mounts_see_a_change_of_the_source(
    server: FaultServer, mount: Mounter, shared: tuple[str, str]
) -> None:
    """S24: "then one request revalidates an entry"."""
    mounts = [mount(f"{server.url}/h", *shared, "--metadata-ttl", "2") for _ in range(MOUNTS)]
    assert digests(mounts, "plain") == expected(VALUES)
    changed = VALUES.copy()
    changed[2, :100, :100] = 7
    server.values["h/plain/c/2/0/0"] = zstandard.compress(changed[2, :100, :100].tobytes())
    fetched(server)
    wait_until(lambda: digests(mounts, "plain") == expected(changed), "all mounts show the new chunk")
    asked = fetched(server)
    assert {path for path, _ in asked} == {"/h/plain/c/2/0/0"}, "the others are only revalidated"


def test_a_cache_that_is_gone_is_reported_once(
    server: FaultServer, mount: Mounter, redis: RedisServer
) -> None:
    """S24: "A cache that is full, not writable or gone is reported once in the log"."""
    mounted = mount(f"{server.url}/h", "--cache-url", redis.url)
    assert digests([mounted], "plain") == expected(VALUES)
    redis.command("shutdown", "nosave")
    assert digests([mounted], "sharded") == expected(VALUES)
    assert mounted.log.read_text().count("\n") == 1
    assert f"the cache in {redis.url}" in mounted.log.read_text()
    assert "is skipped" in mounted.log.read_text()


def test_a_mount_starts_without_its_cache(server: FaultServer, mount: Mounter) -> None:
    mounted = mount(f"{server.url}/h", "--cache-url", f"redis://127.0.0.1:{free_port()}/0")
    assert digests([mounted], "plain") == expected(VALUES)
    assert mounted.log.read_text().count("\n") == 1


def test_a_full_cache_is_reported_once(server: FaultServer, mount: Mounter, tmp_path: Path) -> None:
    with redis_server(tmp_path, "--maxmemory", "2mb", "--maxmemory-policy", "noeviction") as redis:
        mounted = mount(f"{server.url}/h", "--cache-url", redis.url)
        assert digests([mounted], "plain") == digests([mounted], "sharded") == expected(VALUES)
        assert mounted.log.read_text().count("\n") == 1
        assert "no memory left" in mounted.log.read_text()


def test_a_directory_is_no_cache_url(server: FaultServer, tmp_path: Path) -> None:
    (tmp_path / "mnt").mkdir()
    done = run_forked("mount", f"{server.url}/h", tmp_path / "mnt", "--cache-url", tmp_path)
    assert (done.status, done.stderr.count("\n")) == (1, 1)
    assert "--cache-dir" in done.stderr
