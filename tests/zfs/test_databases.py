"""Mounts of databases: SQLite, LMDB and Redis, filled by ``zarrscope copy``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.any_store import open_store
from tests.command import run_inside
from tests.servers.redis import RedisServer, redis_server
from tests.zfs.conftest import Mounter

VALUES = np.random.default_rng(1).integers(0, 1000, (6, 30, 40)).astype("<i4")


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.mark.parametrize("kind", ["sqlite", "lmdb", "redis"])
def test_a_database_is_filled_and_mounted(
    kind: str, redis: RedisServer, tmp_path: Path, mount: Mounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = zarr.open_group(tmp_path / "h.zarr", mode="w", attributes={"n": 1})
    group.create_array("a/x", shape=VALUES.shape, chunks=(2, 10, 10), dtype="i4")[...] = VALUES
    monkeypatch.chdir(tmp_path)
    place = f"{redis.url}?prefix=mounted" if kind == "redis" else f"{kind}://new/x.{kind}"
    done = run_inside("copy", "h.zarr", place)
    assert done.status == 0, done.stderr
    with open_store(place) as store:
        store.set("odd//c0", b"a key that no directory can hold")
        store.set("odd/c1", b"1")
    mounted = mount(place)  # a relative path, although the daemon changes its working directory
    x = mounted.arrays / "a" / "x"
    assert (x / "data.raw").read_bytes() == VALUES.tobytes()
    np.testing.assert_array_equal(np.load(x / "[2,:,0:10].npy"), VALUES[2, :, 0:10])
    assert sorted(os.listdir(mounted.keys)) == ["a", "odd", "zarr.json"]
    assert sorted(os.listdir(mounted.keys / "odd")) == ["%", "c1"]
    assert (mounted.keys / "odd" / "c1").read_bytes() == b"1"
    read = zarr.open_group(mounted.keys, mode="r")
    np.testing.assert_array_equal(read["a/x"][...], VALUES)
    assert not (mounted.keys / "nothing").exists()
    with open_store(place) as store:  # other programs can use a database while it is mounted
        assert store.set("later", b"1")
        assert store.get("later") == b"1"
    asked = mounted.stats()["store"]
    if kind == "redis":
        assert asked["get"]["requests"] > 0
        assert asked["get"]["bytes"] > 0
        assert asked["list"]["seconds"] > 0
        assert (asked["get"]["errors"], asked["set"]["requests"]) == (0, 0)
    else:
        assert asked == {}
    assert mounted.log.read_text() == ""
