"""From a source, as users write it, to its trees."""

from __future__ import annotations

from pathlib import Path

import pytest

import zarrcore as zc
from tests.zfs.trees.entries import Remote, content, names, walk
from zarrcore.errors import (
    AccessDeniedError,
    ChunkNotFoundError,
    ReadOnlyError,
    StoreNotFoundError,
    UnsupportedError,
)
from zarrcore.stores import MemoryStore
from zarrfs.trees.opening import absolute, hierarchy_opener, open_trees, part_of
from zarrfs.trees.store_trees import TreeOptions


def test_a_part_of_a_source_is_shown_as_a_whole(ocean: Path) -> None:
    trees = open_trees(f"{ocean}#/sea", TreeOptions(view="arrays"))
    assert "wave" in names(trees.root())
    assert content(walk(trees.root(), "time", "data.raw"))
    trees.close()


def test_what_is_not_there_is_told_at_once(tmp_path: Path, ocean: Path) -> None:
    with pytest.raises(StoreNotFoundError):
        open_trees(tmp_path / "none", TreeOptions())
    with pytest.raises(StoreNotFoundError, match="the store has no key below that path"):
        open_trees(f"{ocean}#/sea/none", TreeOptions())
    with pytest.raises(UnsupportedError):
        open_trees(ocean, TreeOptions(), format_name="v7")


def test_a_store_that_cannot_be_listed_may_have_any_part() -> None:
    store = Remote({"a/zarr.json": b"{}"}, listable=False)
    assert part_of(store, "/b").url == "test://far/b"

    class Denying(Remote):
        def has_prefix(self, prefix: str) -> bool:
            raise AccessDeniedError("no listings")

    assert part_of(Denying({}), "/b") is not None
    with pytest.raises(StoreNotFoundError):
        part_of(Remote({}), "/b")


def test_a_remote_store_is_asked_when_it_is_opened() -> None:
    store = Remote({})
    assert part_of(store, None) is store
    assert store.asked == [("stat", "zarr.json")]


def test_local_paths_become_absolute_whatever_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.zip").touch()
    assert absolute("a.zip") == f"{tmp_path}/a.zip"
    assert absolute("a.zip|zip:x|zarr3:") == f"{tmp_path}/a.zip|zip:x|zarr3:"
    assert absolute("a.zip?tag=v1") == f"{tmp_path}/a.zip?tag=v1"
    for url in ("s3://bucket/a", "none", ""):
        assert absolute(url) == url


def test_a_hierarchy_opens_for_writing_where_that_is_possible(tmp_path: Path) -> None:
    zc.create(tmp_path / "a.zarr")
    store, cache = zc.open_store(tmp_path / "a.zarr"), zc.ChunkCache(0)
    hierarchy_opener(None, read_write=True)(store, cache, 1.0).create_group("x")
    with pytest.raises(ReadOnlyError):
        hierarchy_opener(None)(store, cache, 1.0).create_group("y")
    folder = hierarchy_opener(None, read_write=True)(zc.open_store(tmp_path), cache, 1.0)
    assert "a.zarr" in folder


def test_an_open_store_is_shown_as_it_is() -> None:
    trees = open_trees(MemoryStore(values={"a": b"1"}), TreeOptions(view="keys"))
    assert content(walk(trees.root(), "a")) == b"1"


def test_missing_chunks_are_errors_where_that_is_wanted() -> None:
    store = MemoryStore(values={})
    zc.create(store).create_array("a", shape=(2,), dtype="u1", fill_value=9)
    usual, strict = (
        walk(open_trees(store, TreeOptions(view="arrays"), missing=how).root(), "a", "data.raw")
        for how in ("fill", "error")
    )
    assert content(usual) == b"\11\11"
    with pytest.raises(ChunkNotFoundError, match="a/c/0 in memory://"):
        content(strict)
