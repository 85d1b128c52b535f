"""The hidden directory that controls a mount."""

from __future__ import annotations

import json

import pytest

from tests.zfs.trees.entries import content, fresh, names, walk
from zarrcore.errors import ReadOnlyError
from zarrcore.stores import MemoryStore
from zarrfs.trees.control import Control
from zarrfs.trees.entry import File
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.root import NamedTrees, WithControl


def test_statistics_are_current_and_writing_refreshes() -> None:
    counts = {"reads": 1}
    refreshed: list[int] = []
    keys = NamedTrees({}, None)
    control = Control(lambda: counts, lambda: refreshed.append(1), keys)
    assert [name for name, _ in control.entries()] == ["stats.json", "refresh", "keys"]
    assert control.lookup("keys", wait=False) is keys
    stats, refresh = (control.lookup(name, wait=False) for name in ("stats.json", "refresh"))
    assert isinstance(stats, File)
    assert isinstance(refresh, File)
    counts["reads"] = 2
    opened = stats.open(wait=False)
    assert json.loads(bytes(opened.read(0, 999, wait=False))) == {"reads": 2}
    assert (stats.caching.uses_pages, refresh.caching.uses_pages) == (False, False)
    refresh.resize(0, wait=False)
    assert refresh.open_to_write(truncate=True, wait=False).write(0, b"now", wait=False) == 3
    assert refreshed == [1]
    with pytest.raises(ReadOnlyError):
        stats.open_to_write(truncate=False, wait=False)


def test_the_control_directory_is_hidden_and_reserved() -> None:
    refreshed = []
    values = {"a": b"1", ".zarrscope": b"real"}
    keys = KeysTree(MemoryStore(values=values), fresh()).root()
    control = Control(lambda: {"n": 1}, lambda: refreshed.append(1), keys)
    root = WithControl(keys, control)
    assert names(root) == ["a"]
    assert json.loads(content(walk(root, ".zarrscope", "stats.json"))) == {"n": 1}
    walk(root, ".zarrscope", "refresh").open(True).write(0, b"x", True)
    assert refreshed == [1]
    assert content(walk(root, ".zarrscope", "keys", ".zarrscope")) == b"real"
