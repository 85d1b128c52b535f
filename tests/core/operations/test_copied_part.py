"""Parts of nodes as nodes of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from zarrcore.errors import MetadataError
from zarrcore.operations.copied_part import copied_part
from zarrcore.stores import MemoryStore


def made(store: MemoryStore) -> Any:
    """An array with a coordinate, and with the edges of bins, which are one more than its elements."""
    hierarchy = zc.create(store)
    attributes = {"coordinates": "edges"}
    hierarchy.create_array(
        "/g/a", data=np.arange(24).reshape(4, 6), dimension_names=["y", "x"], attributes=attributes
    )
    hierarchy.create_array("/g/y", data=np.arange(4) * 10, dimension_names=["y"])
    hierarchy.create_array("/g/edges", data=np.arange(7), dimension_names=["x"])
    hierarchy.create_array("/g/other", data=np.arange(4), dimension_names=["y"])
    return hierarchy


def test_only_what_an_array_names_is_copied_for_a_while(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    hierarchy = made(MemoryStore())
    with copied_part(hierarchy.array("g/a"), "1:3,::2") as part:
        assert [*tmp_path.iterdir()]
        assert part[...].tolist() == [[6, 8, 10], [12, 14, 16]]
        found = {node.name: node[...].tolist() for node in part.hierarchy.walk() if node.kind == "array"}
    assert found.keys() == {"a", "y", "edges"}
    assert found["y"] == [10, 20]
    assert found["edges"] == [*range(7)], "which elements they belong to is not known"
    assert not [*tmp_path.iterdir()]


def test_a_broken_coordinate_is_an_error() -> None:
    store = MemoryStore()
    hierarchy = made(store)
    store.set("g/y/zarr.json", b"{")
    hierarchy.refresh()
    with pytest.raises(MetadataError), copied_part(hierarchy.array("g/a"), "1:3"):
        pass


def test_an_array_at_the_root_is_cut() -> None:
    array = zc.create(MemoryStore()).create_array("/", data=np.arange(5), overwrite=True)
    with copied_part(array, "3") as part:
        assert part[...].tolist() == [3]
