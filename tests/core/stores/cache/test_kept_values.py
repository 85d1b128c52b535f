"""The entries of a cache: facts about keys, and pieces of values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.stores.cache.test_store import Distant
from tests.servers import S3Server
from zarrcore.stores import (
    MemoryStore,
    open_store,
)
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.store import CacheStore


def test_stores_of_different_identity_share_no_entries(tmp_path: Path) -> None:
    directory = CacheDirectory(tmp_path, 1 << 30)
    stores = [Distant("one", {"a": b"1"}), Distant("two", {"a": b"2"}), MemoryStore(values={"a": b"3"})]
    for _ in range(2):
        assert [CacheStore(store, directory).get("a") for store in stores] == [b"1", b"2", b"3"]
    assert CacheStore(MemoryStore(values={"a": b"4"}), directory).get("a") == b"4"


def test_entries_are_not_shared_between_credentials(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3.put("bucket/kept/y", b"old")
    options = {**s3.options, "cache_dir": tmp_path}
    first = open_store("s3://bucket/kept", **options)
    assert first.get("y") == b"old"
    s3.put("bucket/kept/y", b"new")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody else")
    second = open_store("s3://bucket/kept", **options)
    assert second.identity != first.identity
    assert "somebody" not in repr(second.identity)
    assert second.get("y") == b"new"
