"""Copies within a service: the service copies chunks itself, and listings show if they are the same."""

from __future__ import annotations

import gzip
import uuid
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

import zarrcore as zc
from tests.core.operations.copy.copying import copy
from tests.servers import S3Server
from zarrcore.stores import open_store, writable
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.object.bucket import BucketStore

VALUES = np.arange(1, 401, dtype="i4").reshape(20, 20)


@pytest.fixture
def source(s3: S3Server) -> ReadableStore:
    """An array of 16 chunks, one of them missing, and one of another kind of name."""
    s3.create_bucket("other")
    store = open_store(f"s3://bucket/{uuid.uuid4()}/ä b", **s3.options)
    values = VALUES.copy()
    values[5:10, 5:10] = 0
    array = zc.create(store).create_array("x y", shape=(20, 20), dtype="int32", chunks=(5, 5))
    array[...] = values
    return store


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of chunks whose bytes passed through this process."""
    keys: list[str] = []
    for name in ("get", "get_with_stat", "set_attested"):
        method = getattr(BucketStore, name)

        def counted(self: Any, key: str, *args: Any, method: Any = method, **options: Any) -> Any:
            if "/c/" in key:
                keys.append(key)
            return method(self, key, *args, **options)

        monkeypatch.setattr(BucketStore, name, counted)
    return keys


@pytest.mark.parametrize("bucket", ["bucket", "other"])
def test_the_service_copies_chunks_itself(
    source: ReadableStore, s3: S3Server, passed: list[str], bucket: str
) -> None:
    target = open_store(f"s3://{bucket}/{uuid.uuid4()}", **s3.options)
    copy(source, target)
    assert passed == []
    found: Any = zc.open_hierarchy(target)["x y"]
    assert np.array_equal(found[...], zc.open_hierarchy(source)["x y"][...])
    assert target.get("x y/c/1/1") is None


@pytest.mark.parametrize("what", ["content", "size", "absent"])
def test_a_chunk_that_the_service_copied_wrongly_is_found(
    source: ReadableStore, s3: S3Server, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    target = open_store(f"s3://other/{uuid.uuid4()}", **s3.options)
    clone = BucketStore.clone

    def spoiling(self: BucketStore, store: ReadableStore, key: str, new: str) -> bool:
        done = clone(self, store, key, new)
        if new.endswith("c/2/3"):
            value = bytes(self.get(new) or b"")
            if what == "absent":
                self.erase(new)
            else:
                self.set(new, value[:-1] + (b"" if what == "size" else bytes([value[-1] ^ 1])))
        return done

    monkeypatch.setattr(BucketStore, "clone", spoiling)
    with pytest.raises(zc.BrokenBodyError, match=r"x y/c/2/3 in .* differs"):
        copy(source, target)
    assert target.get("x y/c/2/3") is None, "a resumed copy must copy it again"
    monkeypatch.setattr(BucketStore, "clone", clone)
    assert copy(source, target).resumed_nbytes == 14 * 100
    assert copy(source, open_store(f"s3://other/{uuid.uuid4()}", **s3.options), verify=False).arrays == 1


def test_equal_chunks_with_other_etags_are_read_and_compared(
    source: ReadableStore, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that encrypts values, or receives them in parts, gives them ETags that are not their digests."""
    target = open_store(f"s3://other/{uuid.uuid4()}", **s3.options)
    entry, compared = BucketStore._entry, []

    def another(self: BucketStore, facts: Any, path: str) -> Any:
        if self is target:
            facts = {**facts, "e_tag": "another"}
        return entry(self, facts, path)

    get = BucketStore.get

    def counting(self: BucketStore, key: str, *args: Any, **options: Any) -> Any:
        if self is target and "/c/" in key:
            compared.append(key)
        return get(self, key, *args, **options)

    stat = BucketStore.stat

    def without(self: BucketStore, key: str) -> Any:
        facts = stat(self, key)
        return None if facts is None else type(facts)(facts.size, facts.mtime_s, "another")

    monkeypatch.setattr(BucketStore, "_entry", another)
    monkeypatch.setattr(BucketStore, "get", counting)
    monkeypatch.setattr(BucketStore, "stat", without)
    copy(source, target)
    assert len(compared) == 15


def test_chunks_pass_through_memory_if_the_service_may_not_copy(
    source: ReadableStore, s3: S3Server, passed: list[str]
) -> None:
    options = {**s3.options, "headers": {"X-Other": "1"}}  # other options: perhaps another account
    target = open_store(f"s3://other/{uuid.uuid4()}", **options)
    copy(source, target)
    assert len(passed) == 2 * 15, "got and set, and not read back"
    found: Any = zc.open_hierarchy(target)["x y"]
    assert np.array_equal(found[...], zc.open_hierarchy(source)["x y"][...])


def test_chunks_that_are_stored_compressed_are_copied_as_they_are(
    source: ReadableStore, s3: S3Server
) -> None:
    """Their sizes in listings are not those of their values."""
    chunk = source.get("x y/c/0/0")
    assert chunk is not None
    place = quote(source.url.removeprefix("s3://") + "/x y/c/0/0")
    writable(source).erase("x y/c/0/0")
    headers = {"Content-Encoding": "gzip", "x-amz-acl": "public-read"}
    s3.request("PUT", place, gzip.compress(chunk), headers)
    target = open_store(f"s3://bucket/{uuid.uuid4()}", **s3.options)
    values = zc.open_hierarchy(source)["x y"][...]
    copy(source, target)
    assert np.array_equal(zc.open_hierarchy(target)["x y"][...], values)
