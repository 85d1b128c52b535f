"""Elements of variable length as text."""

from __future__ import annotations

from pathlib import Path

import pytest
import zarr

import zarrcore as zc
from tests.zfs.trees.entries import Clock, arrays, content, fresh, walk
from zarrcore.errors import ChangedError, UnsupportedError
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.errors import WouldBlockError


def test_elements_of_variable_length_are_text(small: Path) -> None:
    text = walk(arrays(small), "text")
    with pytest.raises(WouldBlockError):
        text.lookup("data.json", wait=False)
    assert content(walk(text, "data.json")) == b'["", ""]\n'
    # From then on it is in memory.
    assert content(text.lookup("data.json", wait=False)) == b'["", ""]\n'
    assert content(walk(text, "[1:].json")) == b'[""]\n'
    assert walk(text, "[5].json") is None
    assert walk(arrays(small), "cube", "data.json") is None


def test_a_text_that_changes_is_stale(tmp_path: Path) -> None:
    values = zarr.create_array(tmp_path / "a.zarr", shape=(2,), dtype=str)
    clock = Clock()
    root = ArraysTree(lambda: zc.open_hierarchy(tmp_path / "a.zarr"), fresh(60.0, clock)).root(True)
    file = walk(root, "data.json")
    values[0] = "longer"
    assert content(file) == b'["", ""]\n'
    clock.s += 61
    with pytest.raises(ChangedError):
        file.open(True)
    assert content(walk(root, "data.json")) == b'["longer", ""]\n'


def test_a_text_that_is_too_long_is_refused(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(9 << 20,), chunks=(1 << 20,), dtype=str)
    root = arrays(tmp_path / "a.zarr")
    with pytest.raises(UnsupportedError, match="too large for text"):
        walk(root, "data.json")
    assert content(walk(root, "[7:9].json")) == b'["", ""]\n'
