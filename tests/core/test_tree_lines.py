"""A hierarchy as lines of text."""

from __future__ import annotations

from pathlib import Path

import h5py

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


def test_a_node_that_no_document_describes_has_its_path_once(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["g/y"] = h5py.SoftLink("/nowhere")
    with zarrcore.open_hierarchy(tmp_path / "a.h5").branch() as top:
        (line,) = [line for node, line in tree_lines(top) if node.path == "/g/y"]
    assert line == "    └── y  the soft link leads to /nowhere, which does not exist"


def test_each_file_of_a_folder_shows_what_it_is_stored_as(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["y"] = [1, 2]
    zarrcore.create(tmp_path / "b.zarr")
    with zarrcore.open(tmp_path).branch() as top:
        lines = [line for _, line in tree_lines(top)]
    assert [lines[1], lines[-1]] == ["├── a.h5  HDF5", "└── b.zarr  Zarr v3"]
    assert repr(zarrcore.open_hierarchy(tmp_path / "a.h5")) == f"<Hierarchy {tmp_path / 'a.h5'} (HDF5)>"
