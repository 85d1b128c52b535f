"""CacheStore above other stores: zip files, arrays and shards, web servers, buckets, and the options that make it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.any_store import open_store
from tests.command import Outcome
from tests.core.stores.cache.distant import Distant, again
from tests.servers import FaultServer, S3Server
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    AccessDeniedError,
    UnreachableError,
)
from zarrcore.stores import (
    ByteRange,
    MemoryStore,
    ZipStore,
)
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.store import CacheStore


def test_a_zip_file_in_a_cached_store_is_read_from_the_cache(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "x.zip") as made:
        made.create_array("a", shape=(100, 100), dtype="int16", chunks=(10, 100))[...] = np.arange(100)
    remote = Distant("", {"x.zip": (tmp_path / "x.zip").read_bytes()})
    directory = CacheDirectory(tmp_path / "cache", 1 << 30)
    for _ in range(2):
        store = ZipStore(CacheStore(remote, directory), "x.zip")
        np.testing.assert_array_equal(zarrcore.open_hierarchy(store)["a"][50], np.arange(100))
        asked = remote.counts()
    assert asked == {}


@pytest.mark.parametrize("shards", [None, (64, 64)])
def test_cached_arrays_are_read_without_the_store(tmp_path: Path, shards: tuple[int, int] | None) -> None:
    remote = Distant()
    values = np.random.default_rng(1).integers(0, 1000, (128, 128)).astype("uint16")
    made = zarrcore.create(remote).create_array(
        "a", shape=values.shape, dtype="uint16", chunks=(16, 16), shards=shards
    )
    made[:100] = values[:100]
    directory = CacheDirectory(tmp_path, 1 << 30)
    cached = CacheStore(remote, directory)
    expected = np.where(np.arange(128)[:, None] < 100, values, 0)
    np.testing.assert_array_equal(zarrcore.open_hierarchy(cached)["a"][...], expected)
    remote.failure = UnreachableError("down")
    read = zarrcore.open_hierarchy(again(cached))["a"]
    np.testing.assert_array_equal(read[...], expected)
    np.testing.assert_array_equal(read[17:90, 33:35], expected[17:90, 33:35])
    assert pickle.loads(pickle.dumps(cached)).entries.path == str(tmp_path)


@pytest.mark.parametrize("keeps_chunks", [False, True])
def test_a_replaced_shard_is_read_again(tmp_path: Path, keeps_chunks: bool) -> None:
    def write(first: int) -> None:
        made = zarrcore.create(remote, overwrite=True) if first else zarrcore.create(remote)
        array = made.create_array("a", shape=(8, 8), dtype="uint8", chunks=(2, 2), shards=(8, 8), codecs=[])
        array[...] = np.where(np.arange(64).reshape(8, 8) < first, 0, expected + first)

    remote = Distant()
    expected = np.arange(64, dtype="uint8").reshape(8, 8)
    write(0)
    cached = CacheStore(remote, CacheDirectory(tmp_path, 1 << 30))
    chunks = zarrcore.ChunkCache(1 << 20) if keeps_chunks else None
    read = zarrcore.open_hierarchy(cached, chunk_cache=chunks)["a"]
    np.testing.assert_array_equal(read[6:, 6:], expected[6:, 6:])
    assert remote.asked["stat"] <= 1  # for the document, none for shards
    write(40)  # with fewer inner chunks, so that all are at other positions
    np.testing.assert_array_equal(read[6:, :2], expected[6:, :2] + 40)
    np.testing.assert_array_equal(read[:2, :2], 0)
    assert cached.stat("a/c/0/0") == remote.stat("a/c/0/0")


def test_a_value_of_a_web_server_costs_at_most_one_request(faults: FaultServer, tmp_path: Path) -> None:
    faults.values["a/x"] = bytes(range(100))
    kept = {"cache_dir": tmp_path, "timeout_s": PATIENCE_S, "retries": 0}
    for key, byte_range, expected in (
        ("x", None, bytes(range(100))),
        ("x", ByteRange(3, 9), bytes(range(3, 9))),
        ("x", ByteRange(-9), bytes(range(91, 100))),
        ("y", None, None),
    ):
        faults.requests.clear()
        store = open_store(f"{faults.url}/a", **kept, cache_max_age_s=1e9)
        assert store.get(key, byte_range) == expected
        assert len(faults.requests) <= 1
        faults.faults[f"a/{key}"] = "hang"
        assert store.get(key, byte_range) == expected
        assert open_store(f"{faults.url}/a", **kept).get(key, byte_range) == expected
        del faults.faults[f"a/{key}"]
    # Other credentials find nothing of it.
    faults.faults["a/x"] = 403
    stranger = open_store(f"{faults.url}/a", **kept, headers={"Authorization": "Bearer other"})
    with pytest.raises(AccessDeniedError):
        stranger.get("x")


def test_immutable_data_are_never_asked_for_twice(s3: S3Server, tmp_path: Path) -> None:
    s3.put("bucket/fixed/x", bytes(range(100)))
    options = {**s3.options, "cache_dir": tmp_path, "cache_max_age_s": 0.0}
    first = open_store("s3://bucket/fixed", **options, immutable=True)
    assert (first.get("x"), first.get("y")) == (bytes(range(100)), None)
    with s3.denying():
        again = open_store("s3://bucket/fixed", **options, immutable=True)
        assert (again.get("x", ByteRange(3, 9)), again.get("y")) == (bytes(range(3, 9)), None)
        with pytest.raises(AccessDeniedError):
            open_store("s3://bucket/fixed", **options).get("x")
        again.refresh()
        with pytest.raises(AccessDeniedError):
            again.get("x")


def test_values_of_a_bucket_are_revalidated(s3: S3Server, tmp_path: Path) -> None:
    s3.put("bucket/kept/x", bytes(range(100)))
    options = {**s3.options, "cache_dir": tmp_path}
    assert open_store("s3://bucket/kept", **options).get("x", ByteRange(-9)) == bytes(range(91, 100))
    assert open_store("s3://bucket/kept", **options).get("x") == bytes(range(100))
    s3.put("bucket/kept/x", b"new")
    assert open_store("s3://bucket/kept", **options).get("x") == bytes(range(100))
    assert open_store("s3://bucket/kept", **options, cache_max_age_s=0.0).get("x") == b"new"
    assert open_store("s3://bucket/kept", **options).get("x") == b"new"
    with s3.denying(), pytest.raises(AccessDeniedError):
        open_store("s3://bucket/kept", **options, cache_max_age_s=0.0).get("x")
    store = open_store("s3://bucket/kept", **options)
    store.set("x", b"newer")
    assert store.get("x") == open_store("s3://bucket/kept", **options).get("x") == b"newer"


def test_the_command_line_has_options_for_the_cache(
    faults: FaultServer, tmp_path: Path, zarrscope: Callable[..., Outcome]
) -> None:
    remote = MemoryStore()
    zarrcore.create(remote).create_array("a", shape=(9,), dtype="int16")[...] = np.arange(9)
    for entry in remote.list():
        faults.values[f"h/{entry.key}"] = bytes(remote.get(entry.key) or b"")
    command = (
        "cat",
        f"{faults.url}/h",
        "a",
        "--as",
        "csv",
        "--cache-dir",
        tmp_path,
        "--cache-dir-size",
        "1G",
    )
    first = zarrscope(*command)
    faults.faults.update(dict.fromkeys(faults.values, 503))
    assert zarrscope(*command, "--retries", "0") == first
    assert first.stdout == b"".join(b"%d\n" % number for number in range(9))
    assert open_store(tmp_path, cache_dir=tmp_path / "unused").get("x") is None  # needs no cache
    assert not (tmp_path / "unused").exists()
