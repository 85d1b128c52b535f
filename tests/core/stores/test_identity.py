"""Store.identity: equal for the same location, different for every other."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from zarrcore.stores import (
    ByteRange,
    BytesLike,
    LocalStore,
    MemoryStore,
    PrefixStore,
    ReadableStore,
    ZipStore,
    open_store,
)


class Plain(ReadableStore):
    url = "test://"

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return None


def test_a_store_without_an_identity_is_unique() -> None:
    store, other = Plain(), Plain()
    assert store.identity == store.identity
    assert store.identity != other.identity
    assert pickle.loads(pickle.dumps(store)).identity != store.identity


def test_the_identity_of_a_memory_store_is_its_values_not_its_url() -> None:
    assert MemoryStore().identity != MemoryStore().identity
    assert MemoryStore("a").identity == MemoryStore("a").identity
    assert MemoryStore("a").identity != MemoryStore("b").identity


def test_the_identity_of_a_directory_is_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    store = LocalStore(tmp_path / "a")
    assert store.identity == LocalStore(tmp_path / "link").identity
    assert store.identity == pickle.loads(pickle.dumps(store)).identity
    assert store.identity != LocalStore(tmp_path).identity
    assert store.identity != LocalStore(tmp_path / "a", follow_links=True).identity


@pytest.mark.parametrize(
    ("url", "options", "other_url", "other_options"),
    [
        ("s3://b/x", {}, "s3://b/y", {}),
        ("s3://b", {"endpoint_url": "http://h"}, "s3://b", {"endpoint_url": "http://i"}),
        ("s3://b", {"profile": "p"}, "s3://b", {"profile": "q"}),
        ("s3://b", {"treat_403_as_missing": True}, "s3://b", {}),
        ("http://h/x?v=geheim", {}, "http://h/x?v=other", {}),
        ("http://me:geheim@h", {}, "http://you:geheim@h", {}),
        ("http://h", {"headers": {"A": "geheim"}}, "http://h", {"headers": {"A": "other"}}),
        ("http://h/x.zip?v=geheim", {}, "http://h/x.zip", {}),
        ("gs://b/a.zip", {}, "gs://b/b.zip", {}),
        ("redis://h", {}, "redis://h/1", {}),
        ("redis://h", {}, "redis://h?prefix=x", {}),
        ("redis://geheim@h", {}, "redis://h", {}),
        ("redis://h", {}, "rediss://h", {}),
        ("ftp://h/x", {}, "ftp://h/y", {}),
        ("ftp://geheim@h/x", {}, "ftp://h/x", {}),
    ],
)
def test_the_identity_of_a_remote_store_includes_all_that_changes_its_answers(
    url: str, options: dict[str, object], other_url: str, other_options: dict[str, object]
) -> None:
    store = open_store(url, **options)
    assert store.identity == open_store(url, **options, timeout_s=5, retries=0).identity
    assert store.identity == pickle.loads(pickle.dumps(store)).identity
    assert store.identity != open_store(other_url, **other_options).identity
    assert hash(store.identity) is not None
    assert "geheim" not in repr(store.identity)


def test_the_identity_of_a_wrapper_is_that_of_its_store() -> None:
    inner = MemoryStore()
    assert PrefixStore(inner, "a/").identity == PrefixStore(inner, "a/").identity
    places = {PrefixStore(inner, "a/").identity, PrefixStore(inner, "b/").identity, inner.identity}
    places |= {ZipStore(inner, "a").identity, PrefixStore(MemoryStore(), "a/").identity}
    assert len(places) == 5
