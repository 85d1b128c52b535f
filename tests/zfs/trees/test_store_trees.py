"""All trees of a store: what they show, count and forget."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import zarrcore as zc
from tests.zfs.trees.entries import Remote, content, names, walk
from zarrcore.errors import HierarchyNotFoundError, ReadOnlyError
from zarrcore.stores import MemoryStore
from zarrfs.trees.opening import hierarchy_opener, open_trees
from zarrfs.trees.store_trees import StoreTrees, TreeOptions


def test_all_trees_or_one_of_them(ocean: Path) -> None:
    root = open_trees(ocean, TreeOptions()).root(12.0)
    assert (names(root), root.mtime_s) == (["keys", "arrays", "zarr3", "hdf5"], 12.0)
    assert "zarr.json" in names(open_trees(ocean, TreeOptions(view="zarr3")).root())
    assert "sea" in names(open_trees(ocean, TreeOptions(view="hdf5")).root())


def test_only_the_tree_of_keys_needs_no_hierarchy() -> None:
    for view in ("arrays", "zarr3", "hdf5"):
        with pytest.raises(HierarchyNotFoundError):
            open_trees(MemoryStore(values={}), TreeOptions(view=view)).root()
    assert names(open_trees(MemoryStore(values={}), TreeOptions(view="keys")).root()) == []


def test_they_count_what_they_do_and_the_requests_to_a_remote_store(ocean: Path) -> None:
    trees = open_trees(ocean, TreeOptions())
    content(walk(trees.root(), "arrays", "sea", "wave", "data.raw"))
    counted = trees.stats()
    assert (counted["url"], counted["format"], counted["decoded"]["chunks"]) == (str(ocean), "v3", 6)
    assert counted["store"] == {}
    remote = open_trees(Remote({"a": b"1"}), TreeOptions(view="keys"))
    content(walk(remote.root(), "a"))
    assert any(kind["requests"] for kind in remote.stats()["store"].values())


def test_a_refresh_forgets_everything() -> None:
    store = Remote({"a": b"1"})
    trees = open_trees(store, TreeOptions(view="keys", ttl_s=math.inf))
    root = trees.root()
    assert walk(root, "b") is None
    store.values["b"] = b"2"
    assert walk(root, "b") is None
    trees.refresh()
    assert content(walk(root, "b")) == b"2"


def test_writing_is_told_to_the_front_end_and_needs_memory_for_it(tmp_path: Path) -> None:
    zc.create(tmp_path / "a.zarr")
    told: list[bool] = []
    store = zc.open_store(tmp_path / "a.zarr")
    opener = hierarchy_opener(None, read_write=True)
    trees = StoreTrees(store, opener, TreeOptions(written_bytes=1 << 20), lambda: told.append(True))
    assert trees.root().lookup("arrays", True).mode == 0o755
    file = walk(trees.root(), "keys").create("new", True)
    file.write(0, b"1", True)
    file.store(closing=True)
    assert told
    assert content(walk(trees.root(), "keys", "new")) == b"1"
    with pytest.raises(ReadOnlyError):
        walk(open_trees(tmp_path / "a.zarr", TreeOptions()).root(), "keys").create("x", True)
