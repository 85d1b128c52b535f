"""Paths in a tree, without a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.zfs.trees.entries import Remote, content, fresh
from zarrcore.errors import ChangedError
from zarrfs.trees.entry import Directory, File
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.opening import open_trees
from zarrfs.trees.paths import find, open_file
from zarrfs.trees.store_trees import TreeOptions


@pytest.fixture
def root(ocean: Path) -> Directory:
    return open_trees(ocean, TreeOptions()).root()


def test_a_path_leads_to_an_entry_or_nowhere(root: Directory) -> None:
    assert find(root, []) is root
    assert isinstance(find(root, ["arrays", "sea", "wave"]), Directory)
    assert isinstance(find(root, ["arrays", "sea", "wave", "data.raw"]), File)
    for path in (
        "arrays/none",
        "arrays/sea/wave/data.raw/more",
        "arrays/",
        "arrays/..",
        "keys/../arrays",
        "keys/.",
    ):
        assert find(root, path.split("/")) is None, path
    assert find(root, ["arrays", "sea/wave"]) is None  # a slash is in no name


def test_only_files_open(root: Directory) -> None:
    opened = open_file(root, ["arrays", "sea", "wave", "data.raw"])
    assert opened is not None
    assert opened[1].read(0, opened[1].size, True) == content(opened[0])
    assert open_file(root, ["arrays", "sea"]) is None
    assert open_file(root, ["arrays", "none"]) is None


def test_what_must_wait_says_so() -> None:
    root = KeysTree(Remote({"a": b"1"}), fresh()).root()
    with pytest.raises(WouldBlockError):
        find(root, ["a"], wait=False)
    assert find(root, ["a"]) is not None
    assert find(root, ["a"], wait=False) is not None


def test_a_file_that_has_changed_is_looked_up_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"1")
    root = open_trees(tmp_path, TreeOptions(view="keys")).root()
    entry = find(root, ["a"])
    (tmp_path / "a").write_bytes(b"22")
    assert isinstance(entry, File)
    with pytest.raises(ChangedError):
        entry.open(True)

    known, look_up = [entry], type(root).lookup
    monkeypatch.setattr(type(root), "lookup", lambda *asked: known.pop() if known else look_up(*asked))
    opened = open_file(root, ["a"])
    assert opened is not None
    assert opened[1].read(0, 9, True) == b"22"
