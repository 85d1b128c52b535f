"""A hierarchy as lines of text."""

from __future__ import annotations

import zarrcore
from tests.core.hierarchy.stores import ARRAY, GROUP, memory
from zarrcore.tree_lines import tree_lines


def test_lines_lead_to_each_node_and_are_painted() -> None:
    hierarchy = zarrcore.open_hierarchy(
        memory(**{"zarr.json": GROUP, "g/zarr.json": GROUP, "g/a\nb/zarr.json": ARRAY, "x/zarr.json": b"{"})
    )
    with hierarchy.branch() as top:
        lines = [(node.path, line) for node, line in tree_lines(top, lambda text, style: f"<{style}:{text}>")]
    assert lines[:3] == [
        ("/", "<bold blue:/>"),
        ("/g", "├── <bold blue:g>"),
        ("/g/a\nb", "│   └── <bold:a\\nb>  4  <cyan:int8>  <dim:4 bytes>"),
    ]
    assert lines[3][1].startswith("└── <bold red:x>  <red:x/zarr.json: ")
    with hierarchy.branch("/g", 0) as top:
        assert [line for _, line in tree_lines(top)] == ["/g"]
