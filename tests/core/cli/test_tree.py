"""``zarrscope tree``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command import Run
from tests.core.cli.arrays import DATA


def test_tree(zarrscope: Run, source: Path) -> None:
    shown = zarrscope("tree", source)
    assert shown.status == 1, "a node that cannot be opened"
    lines = shown.text.splitlines()
    assert lines[0] == "/"
    assert lines[1] == "├── images"
    assert lines[2] == "│   └── stack  4 × 30 × 40  int32  18.8 KiB"
    assert lines[3].startswith("└── odd  odd/zarr.json: shape: the member is missing")
    assert zarrscope("tree", source, "images", "--depth", "0").text == "/images\n"


def test_tree_json(zarrscope: Run, source: Path) -> None:
    nodes = [json.loads(line) for line in zarrscope("tree", source, "--json").text.splitlines()]
    assert [node["path"] for node in nodes] == ["/", "/images", "/images/stack", "/odd"]
    assert nodes[2] == {
        "path": "/images/stack",
        "kind": "array",
        "shape": [4, 30, 40],
        "dtype": "int32",
        "chunks": [1, 15, 20],
        "shards": None,
        "nbytes": DATA.nbytes,
    }
    assert "missing" in nodes[3]["error"]


def test_a_tree_of_a_thousand_levels(zarrscope: Run, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "deep.zip", "w") as archive:
        archive.writestr("zarr.json", '{"zarr_format": 3, "node_type": "group"}')
        archive.writestr("a/" * 1100 + "zarr.json", '{"zarr_format": 3, "node_type": "group"}')
    assert len(zarrscope("tree", tmp_path / "deep.zip").text.splitlines()) == 1101
