"""The mount point: trees that open when they are used, and the hidden directory."""

from __future__ import annotations

import pytest

from tests.zfs.trees.entries import fresh, names, walk
from zarrcore.errors import ReadOnlyError
from zarrcore.stores import MemoryStore
from zarrfs.trees.entry import Directory
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.root import CONTROL, LazyTree, NamedTrees, WithControl


def test_a_lazy_tree_is_opened_each_time_it_is_used() -> None:
    inner = NamedTrees({}, None)
    made: list[bool] = []

    def make(wait: bool) -> Directory:
        made.append(wait)
        return NamedTrees({"a": inner}, None)

    lazy = LazyTree(make, 0o755)
    assert (lazy.mode, lazy.caching.never_expires, made) == (0o755, True, [])
    assert lazy.lookup("a", wait=False) is inner
    assert [name for name, _ in lazy.entries()] == ["a"]
    assert made == [False, True]
    for change in (lazy.remove, lazy.remove_directory, lazy.create, lazy.make_directory):
        with pytest.raises(ReadOnlyError):
            change("a", True)
    with pytest.raises(ReadOnlyError):
        lazy.rename("a", lazy, "b", True, True)
    with pytest.raises(ReadOnlyError):
        lazy.set_metadata("a", b"1")


def test_the_control_directory_hides_a_node_of_the_same_name() -> None:
    control, other, inner = (NamedTrees({}, None) for _ in range(3))
    tree = NamedTrees({CONTROL: other, "a": inner}, None)
    root = WithControl(tree, control)
    assert root.lookup(CONTROL, wait=False) is control
    assert root.lookup("a", wait=False) is inner
    assert [name for name, _ in root.entries()] == ["a"]
    assert (root.lists_at_once, root.mode, root.behind(wait=False)) == (True, tree.mode, tree)


def test_the_mount_point_shows_all_trees() -> None:
    def broken(wait: bool) -> Directory:
        raise OSError("an outage")

    keys = KeysTree(MemoryStore(values={}), fresh()).root()
    root = WithControl(NamedTrees({"keys": keys, "arrays": LazyTree(broken)}, 1.0), keys)
    assert names(root) == ["keys", "arrays"]
    assert root.lookup("arrays", False) is not None
    assert root.lookup(".zarrscope", False) is keys
    assert root.lookup("other", True) is None
    with pytest.raises(OSError, match="outage"):
        names(walk(root, "arrays"))
