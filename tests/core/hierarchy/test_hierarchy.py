"""Hierarchies: nodes by path, implicit groups, broken nodes."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import numpy as np
import pytest

import zarrcore
from tests.core.formats.drafts.draft_writer import DRAFTS, Array, write
from tests.core.hierarchy.stores import (
    ARRAY,
    GROUP,
    V2_GROUP,
    V2_NODES,
    V2_WITHOUT_GROUPS,
    memory,
)
from zarrcore.errors import (
    HierarchyNotFoundError,
    MetadataError,
    NodeNotFoundError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.hierarchy import BrokenNode
from zarrcore.metadata import ChunkKeyEncoding
from zarrcore.stores import MemoryStore, PrefixStore


def test_a_root_array() -> None:
    hierarchy = zarrcore.open_hierarchy(memory(**{"zarr.json": ARRAY, "c/1": b"\1\2"}))
    assert hierarchy.root[...].tolist() == [5, 5, 1, 2]
    assert [node.path for node in hierarchy.walk()] == ["/"]


def test_implicit_groups_are_listed_and_opened() -> None:
    hierarchy = zarrcore.open_hierarchy(
        memory(
            **{
                "a/b/x/zarr.json": ARRAY,
                "zarr.json": GROUP,
                "__hidden/x/zarr.json": ARRAY,
                "__x/zarr.json": ARRAY,
            }
        )
    )
    assert [(node.path, node.kind) for node in hierarchy.walk()] == [
        ("/", "group"),
        ("/__x", "array"),
        ("/a", "group"),
        ("/a/b", "group"),
        ("/a/b/x", "array"),
    ]
    assert hierarchy["a/b"].attributes == {}


def test_version_2_has_implicit_groups_below_its_root() -> None:
    hierarchy = zarrcore.open_hierarchy(memory(**V2_WITHOUT_GROUPS))
    assert [node.path for node in hierarchy.walk()] == V2_NODES
    assert (hierarchy["A/1"].kind, hierarchy["A/1"].attributes) == ("group", {})
    assert hierarchy["A"].attributes == {"who": "me"}
    assert hierarchy["A"]["1/0"][...].tolist() == [1, 2]
    assert "junk" not in hierarchy
    assert "A/2" not in hierarchy


@pytest.mark.parametrize("format_", ["v3", "v2", "n5"])
@pytest.mark.parametrize("max_age_s", [None, 0])
def test_folders_of_chunks_are_no_nodes(format_: str, max_age_s: float | None) -> None:
    store = MemoryStore()
    keys = {"v2": ChunkKeyEncoding("v2", "/")}.get(format_)
    made = zarrcore.create(store, format_)
    made.create_array("/g/x", shape=(4, 4, 4), dtype="u1", chunks=(2, 2, 2), chunk_key_encoding=keys)[...] = 1
    folders = {"/".join(entry.key.split("/")[:end]) for entry in store.list_prefix("g/x/") for end in (3, 4)}
    folders -= {entry.key for entry in store.list_prefix("")}
    assert len(folders) > 2
    for folder in folders:
        hierarchy = zarrcore.open_hierarchy(store, metadata_max_age_s=max_age_s)
        assert folder not in hierarchy
        # Nothing is asked of the store for the hint alone.
        hint = "" if max_age_s == 0 or folder.count("/") > 2 else ": it is inside the array /g/x$"
        with pytest.raises(NodeNotFoundError, match=rf"no node /{folder} in .*{hint}"):
            hierarchy[folder]
        assert isinstance(hierarchy["g"], zarrcore.Group)


def test_a_folder_of_chunks_in_an_array_at_the_root_is_no_node() -> None:
    hierarchy = zarrcore.open_hierarchy(memory(**{"zarr.json": ARRAY, "c/1": b"\1\2"}))
    with pytest.raises(NodeNotFoundError, match=r": it is inside the array /$"):
        hierarchy["c"]


def test_a_deep_implicit_group_is_opened() -> None:
    path = "/".join(["a"] * 3000)
    hierarchy = zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP, f"{path}/x/zarr.json": ARRAY}))
    assert hierarchy[path].kind == "group"


def test_broken_attributes_of_an_implicit_group_are_reported() -> None:
    hierarchy = zarrcore.open_hierarchy(memory(**{**V2_WITHOUT_GROUPS, "A/.zattrs": b"["}))
    with pytest.raises(MetadataError, match="zattrs"):
        hierarchy["A"]
    assert "/A" in [node.path for node in hierarchy.walk() if node.kind == "broken"]


def test_an_implicit_group_of_version_2_becomes_a_group_when_it_is_changed() -> None:
    store = memory(**V2_WITHOUT_GROUPS)
    hierarchy = zarrcore.open_hierarchy(store, "r+")
    hierarchy["A/1"].attributes = {"new": 1}
    assert json.loads(store.get("A/1/.zgroup") or b"") == {"zarr_format": 2}
    hierarchy.create_array("A/1/new", shape=(2,), dtype="int8")
    assert store.get("A/.zgroup") is not None
    opened = zarrcore.open_hierarchy(store)
    assert (opened["A"].attributes, opened["A/1"].attributes) == ({"who": "me"}, {"new": 1})


def test_a_root_without_a_document() -> None:
    hierarchy = zarrcore.open_hierarchy(memory(**{"x/zarr.json": ARRAY}))
    assert hierarchy.format is zarrcore.Format.V3
    assert [node.path for node in hierarchy.walk()] == ["/", "/x"]


def test_the_newer_of_two_formats_wins() -> None:
    assert (
        zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP, ".zgroup": V2_GROUP})).format
        is zarrcore.Format.V3
    )
    assert zarrcore.open_hierarchy(memory(**{".zgroup": V2_GROUP})).format is zarrcore.Format.V2
    assert (
        zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP, ".zgroup": V2_GROUP}), format="v2").format.name
        == "v2"
    )


def test_the_error_without_a_hierarchy_names_the_keys_that_were_tried() -> None:
    with pytest.raises(
        HierarchyNotFoundError,
        match=r"none of zarr.json, .zarray, .zgroup, .zattrs, attributes.json, meta, meta/root.array, meta/root.group is there",
    ):
        zarrcore.open_hierarchy(memory(**{"readme.txt": b"hello"}))
    with pytest.raises(HierarchyNotFoundError):
        zarrcore.open_hierarchy(MemoryStore())
    with pytest.raises(UnsupportedError, match="format 'v9' is unknown; known are v3, v2"):
        zarrcore.open_hierarchy(MemoryStore(), format="v9")


@pytest.mark.parametrize("path", ["../x", "x/../../y", "x/./y", "x\0"])
def test_invalid_paths_are_refused(path: str) -> None:
    with pytest.raises(ZarrError):
        zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP}))[path]


def test_absent_nodes() -> None:
    hierarchy = zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP}))
    with pytest.raises(NodeNotFoundError, match="no node /x/y in memory://"):
        hierarchy["x/y"]


def test_version_2_attributes_and_xarray_dimensions() -> None:
    array = {
        "zarr_format": 2,
        "shape": [2, 3],
        "chunks": [2, 3],
        "dtype": "<i2",
        "compressor": None,
        "fill_value": None,
        "order": "C",
        "filters": None,
    }
    store = memory(
        **{
            ".zgroup": V2_GROUP,
            ".zattrs": b'{"title": "t"}',
            "x/.zarray": json.dumps(array).encode(),
            "x/.zattrs": b'{"_ARRAY_DIMENSIONS": ["y", "x"]}',
            "notes/readme.txt": b"no node",
        }
    )
    hierarchy = zarrcore.open_hierarchy(store)
    assert hierarchy.root.attributes == {"title": "t"}
    assert hierarchy["x"].dimension_names == ("y", "x")
    assert [node.path for node in hierarchy.walk()] == ["/", "/x"]
    assert hierarchy["x"].stored_document()[".zattrs"] == {"_ARRAY_DIMENSIONS": ["y", "x"]}
    assert (hierarchy["x"].metadata_key, hierarchy.root.metadata_key) == ("x/.zarray", ".zgroup")


VALUE_KEYS = {
    "v3": (("zarr.json", "g/zarr.json", "g/a/c/1/1", "g/a/zarr.json", "g/s/c"), ("g", "g/a", "g/a/c", "g/a/c/1", "x/c/0")),
    "v2": ((".zgroup", "g/.zattrs", "g/a/1.1", "g/a/.zarray", "g/s/0"), ("g", "g/a", "x/0")),
    "n5": (("attributes.json", "g/a/1/1", "g/a/attributes.json", "g/s/0"), ("g", "g/a", "g/a/1")),
}  # fmt: skip


@pytest.mark.parametrize("format_name", VALUE_KEYS)
@pytest.mark.parametrize("above", ["", "folder/"])
def test_keys_that_may_hold_a_value(format_name: str, above: str) -> None:
    """At the root, and in a member of a collection."""
    store = MemoryStore()
    store.set("note.txt", b"")
    hierarchy = zarrcore.create(PrefixStore(store, above) if above else store, format_name)
    hierarchy.create_array("g/a", shape=(4, 4), dtype="int8", chunks=(2, 2))
    hierarchy.create_array("g/s", shape=() if format_name != "n5" else (1,), dtype="int8")
    opened = zarrcore.open_hierarchy(store)
    values, prefixes = VALUE_KEYS[format_name]
    for key in values:
        assert opened.may_be_value(above + key), key
    for key in prefixes:
        assert not opened.may_be_value(above + key), key
    document = next(key for key in values if key.startswith("g/a/") and store.get(above + key) is not None)
    store.set(above + document, b"{")
    opened.refresh()
    assert all(opened.may_be_value(f"{above}g/a/{name}") for name in ("c", "0", "anything"))


@pytest.mark.parametrize("day", DRAFTS)
def test_keys_of_a_draft_that_may_hold_a_value(day: str) -> None:
    """Every stored key may, and no folder of them."""
    values = write(day, {"/g": {}, "/g/a": Array(np.arange(16, dtype="int16").reshape(4, 4), (2, 2))})
    opened = zarrcore.open_hierarchy(MemoryStore(values=values))
    assert [key for key in values if not opened.may_be_value(key)] == []
    folders = {str(folder) for key in values for folder in PurePosixPath(key).parents} - {"."}
    assert [folder for folder in folders if opened.may_be_value(folder)] == []


def test_nothing_is_absent_below_a_member_that_cannot_be_opened() -> None:
    core = "https://purl.org/zarr/spec/protocol/core/3.0"
    unknown = {"extension": "https://example.org/x", "must_understand": True, "configuration": {}}
    entry_point = {
        "zarr_format": core,
        "metadata_encoding": core,
        "metadata_key_suffix": ".json",
        "extensions": [unknown],
    }
    values = {"a/zarr.json": json.dumps(entry_point).encode(), "b/zarr.json": GROUP}
    opened = zarrcore.open_hierarchy(MemoryStore(values=values))
    for path in ("/a", "/a/x/y"):
        assert isinstance(opened.node(path), BrokenNode)
    with pytest.raises(UnsupportedError):
        opened["/a/x"]
    with pytest.raises(NodeNotFoundError):
        opened["/c/x"]
    assert opened.may_be_value("a/x/c/0")
