"""The tree of a hierarchy: its root, and what it remembers."""

from __future__ import annotations

from pathlib import Path

import pytest

import zarrcore as zc
from tests.zfs.trees.entries import arrays, content, fresh, names, walk
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores import MemoryStore
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.freshness import Freshness


def test_a_missing_hierarchy_is_reported_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    root = arrays(tmp_path)
    assert names(root) == ["error.txt"]
    assert b"holds no hierarchy" in content(walk(root, "error.txt"))


@pytest.mark.parametrize("error", [MetadataError("bad"), UnsupportedError("format", "x", "is unknown")])
def test_a_hierarchy_that_does_not_open_says_why(error: Exception) -> None:
    def broken() -> zc.Hierarchy:
        raise error

    root = ArraysTree(broken, fresh()).root(True)
    assert names(root) == ["error.txt"]
    assert content(walk(root, "error.txt")) == f"{error}\n".encode()


def test_a_changed_key_only_affects_data_made_from_it() -> None:
    store = MemoryStore(values={})
    zc.create(store).create_array("/a", shape=(4,), dtype="u1", chunks=(2,))[...] = 7
    cache = zc.ChunkCache(1 << 20)
    view = ArraysTree(lambda: zc.open_hierarchy(store, chunk_cache=cache), Freshness(1000.0), cache.clear)

    def decoded_again(key: str | None) -> int:
        before = cache.misses
        if key is not None:
            view.changed(key)
        node = view.node("/a", wait=True)
        assert isinstance(node, ArrayNode)
        assert node[...].tolist() == [7] * 4
        return cache.misses - before

    assert [decoded_again(None), decoded_again(None)] == [2, 0]
    assert [decoded_again(f"a/{name}") for name in ("c/0.123.partial", "c/1", "c/9")] == [0, 1, 0]
    assert [decoded_again(key) for key in ("a/zarr.json", "zarr.json", "b/zarr.json", "b/c/0")] == [2] * 4
