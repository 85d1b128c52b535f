"""The metadata of nodes for extended attributes."""

from __future__ import annotations

from pathlib import Path

import zarrcore as zc
from tests.zfs.trees.entries import Remote, fresh, walk
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.root import LazyTree, WithControl


def test_nodes_have_metadata_for_extended_attributes(small: Path) -> None:
    root = ArraysTree(lambda: zc.open_hierarchy(small), fresh()).root(True)
    tree = WithControl(LazyTree(lambda wait: root), root)
    assert tree.metadata(False) == {"kind": "group", "format": "v3", "attributes.title": "é"}
    assert walk(root, "cube").metadata(False) == {
        "kind": "array",
        "format": "v3",
        "shape": [3, 4, 5, 6],
        "data_type": "int32",
        "fill_value": 0,
        "dimension_names": ["t", "z", "y", "x"],
        "chunk_shape": [2, 2, 3, 3],
        "numpy_dtype": "int32",
    }
    assert walk(root, "broken").metadata(False)["kind"] == "broken"
    assert walk(root, "cube", "data.npy").metadata(False) == {}
    keys = KeysTree(Remote({"k": b"1"}), fresh()).root()
    assert walk(keys, "k").metadata(False) == {"etag": str(hash(b"1"))}
