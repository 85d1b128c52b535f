"""Groups, and nodes that cannot be shown, as directories."""

from __future__ import annotations

import json
from pathlib import Path

from tests.zfs.trees.entries import arrays, content, names, walk
from zarrfs.trees.entry import Directory


def test_a_group_is_a_directory_of_nodes_and_documents(small: Path) -> None:
    root = arrays(small)
    assert sorted(names(root)) == ["attributes.json", "broken", "cube", "metadata.json", "text"]
    assert json.loads(content(walk(root, "attributes.json"))) == {"title": "é"}
    # A node wins over a virtual file of the same name.
    assert isinstance(walk(root, "metadata.json"), Directory)
    assert walk(root, "nothing") is None


def test_a_broken_array_says_why(small: Path) -> None:
    broken = walk(arrays(small), "broken")
    assert names(broken) == ["document.json", "error.txt"]
    assert content(walk(broken, "document.json")) == (small / "broken" / "zarr.json").read_bytes()
    reason = content(walk(broken, "error.txt")).decode()
    assert "no-such-codec" in reason
    assert reason.count("\n") == 1
