"""Hierarchies and groups as mappings of the nodes in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.core.hierarchy.stores import ARRAY, GROUP, Remote, memory
from zarrcore.stores import MemoryStore


@pytest.fixture(params=["hierarchy", "group", "deep group"])
def members(request: pytest.FixtureRequest) -> Any:
    """A group ``g``, an array ``x`` with a chunk, a broken node ``broken``, and a file that is not a node."""
    base = "a/b/" if request.param == "deep group" else ""
    values = {
        "g/zarr.json": GROUP,
        "g/y/zarr.json": ARRAY,
        "x/zarr.json": ARRAY,
        "x/c/0": b"\1\2",
        "broken/zarr.json": b"{",
        "notes.txt": b"",
    }
    hierarchy = zc.open_hierarchy(
        memory(
            **{"zarr.json": GROUP, f"{base}zarr.json": GROUP}, **{base + key: values[key] for key in values}
        )
    )
    return hierarchy if request.param == "hierarchy" else hierarchy[base]


def test_members_are_the_nodes_directly_below(members: Any) -> None:
    assert issubclass(type(members), Mapping)
    assert [*members] == [*members.keys()] == ["broken", "g", "x"]
    assert len(members) == len(members.items()) == len(members.values()) == 3
    assert [node.name for node in members.values()] == ["broken", "g", "x"]
    assert {name: node.kind for name, node in members.items()} == {
        "broken": "broken",
        "g": "group",
        "x": "array",
    }
    assert [name for name, _ in members.arrays()] == ["x"]
    assert [(name, [*group]) for name, group in members.groups()] == [("g", ["y"])]
    assert ("x", members["x"]) in members.items()


def test_paths_lead_deeper(members: Any) -> None:
    assert members["g/y"].path.endswith("/g/y")
    assert members.get("g/y") is members["/g/y"]
    assert members.get("g/z") is None
    for name in ("x", "g/y", "/g/y", "broken"):
        assert name in members
    for name in ("z", "notes.txt", "..", 3, None):
        assert name not in members
    with pytest.raises(zc.MetadataError):
        members["broken"]


@pytest.mark.parametrize("index", [3, None, ..., ("g", "y"), slice(None), b"x"])
def test_other_indices_are_refused(members: Any, index: Any) -> None:
    with pytest.raises(TypeError, match="is indexed by names and paths of nodes, not by "):
        members[index]


def test_a_mapping_is_still_an_object() -> None:
    hierarchy = zc.create(MemoryStore())
    assert hierarchy
    assert hierarchy.root
    assert [len(hierarchy), len(hierarchy.root)] == [0, 0]
    assert len({hierarchy, hierarchy.root, zc.open_hierarchy(hierarchy.store)}) == 3


def test_they_are_those_of_zarr_python(tmp_path: Path) -> None:
    theirs = zarr.create_group(tmp_path)
    theirs.create_array("x", data=np.arange(3))
    theirs.create_group("g").create_array("y", data=np.arange(3))
    own = zc.open(tmp_path)
    for call in (sorted, len, lambda group: sorted(group.keys())):
        assert call(own) == call(theirs)
    for name in ("arrays", "groups"):
        found, expected = (
            sorted((key, node.name) for key, node in getattr(each, name)()) for each in (own, theirs)
        )
        assert [key for key, _ in found] == [key for key, _ in expected]
    for key in ("x", "g/y", "none", "g/none"):
        assert (key in own) == (key in theirs)


def test_an_array_at_the_root_has_no_members() -> None:
    hierarchy = zc.open_hierarchy(memory(**{"zarr.json": ARRAY}))
    assert [*hierarchy.items()] == []


def test_members_of_a_collection(tmp_path: Path) -> None:
    zc.create(tmp_path / "a.zarr").create_group("g")
    collection = zc.open(tmp_path)
    assert [*collection] == ["a.zarr"]
    assert [(name, [*group]) for name, group in collection.groups()] == [("a.zarr", ["g"])]
    member = collection["a.zarr"].hierarchy
    assert [member[name].path for name in member] == ["/a.zarr/g"]


def test_a_tree_is_what_the_command_prints(members: Any) -> None:
    top, *lines = members.tree().splitlines()
    assert top == getattr(members, "path", "/")
    assert lines[0].startswith("├── broken  ")
    assert lines[1:] == ["├── g", "│   └── y  4  int8  4 bytes", "└── x  4  int8  4 bytes"]
    assert len(members.tree(1).splitlines()) == 4
    assert members.group("g").tree(0).endswith("/g")


class TestNamesThatDoNotExist:
    @pytest.mark.parametrize(
        ("path", "meant"),
        [
            ("functionl", "/functional"),
            ("functionl/x", "/functional"),
            ("functional/mask", "/functional/masks"),
        ],
    )
    def test_a_similar_one_is_named(self, path: str, meant: str) -> None:
        hierarchy = zc.open(
            memory(**{"zarr.json": GROUP, "functional/zarr.json": GROUP, "functional/masks/zarr.json": ARRAY})
        )
        for members in (hierarchy, hierarchy.root):
            with pytest.raises(
                zc.NodeNotFoundError, match=f"no node /{path} in .*: did you mean {meant}\\?$"
            ) as caught:
                members[path]
        assert caught.value.path == f"/{path}"

    @pytest.mark.parametrize("path", ["other", "fil"])
    def test_only_nodes_are_named(self, path: str) -> None:
        hierarchy = zc.open(
            memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY, "x/c/0": b"\1\2", "file": b""})
        )
        with pytest.raises(zc.NodeNotFoundError, match=f"^no node /{path} in memory://$"):
            hierarchy[path]

    def test_no_request_is_made_for_it(self) -> None:
        store = Remote({"zarr.json": GROUP, "name/zarr.json": ARRAY})
        hierarchy = zc.open(store)
        asked = (*store.listed,)
        with pytest.raises(zc.NodeNotFoundError, match=r"/nam in memory://$"):
            hierarchy["nam"]
        assert set(store.listed) - {*asked} <= {"nam/"}, "whether it is an implicit group"

    def test_consolidated_names_are_known(self) -> None:
        told = {"kind": "inline", "must_understand": False, "metadata": {"name": json.loads(ARRAY)}}
        root = json.dumps({**json.loads(GROUP), "consolidated_metadata": told}).encode()
        with pytest.raises(zc.NodeNotFoundError, match=r"did you mean /name\?$"):
            zc.open(Remote({"zarr.json": root}))["nam"]
