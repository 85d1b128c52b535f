"""Groups, arrays and broken nodes."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.hierarchy.stores import ARRAY, GROUP, V2_ARRAY, V2_GROUP, memory
from zarrcore.errors import MetadataError, NodeNotFoundError, ReadOnlyError, UnsupportedError, ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores import MemoryStore


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (b"{", MetadataError),
        (b"[]", MetadataError),
        (ARRAY.replace(b"int8", b"int9"), UnsupportedError),
        (ARRAY.replace(b'"bytes"', b'"mystery"'), UnsupportedError),
        (ARRAY.replace(b"[2]", b"[0]"), MetadataError),
        (b'{"zarr_format": 3, "node_type": "blob"}', MetadataError),
    ],
)
def test_broken_nodes_are_nodes_with_a_reason(document: bytes, kind: type[ZarrError]) -> None:
    hierarchy = zarrcore.open_hierarchy(
        memory(**{"zarr.json": GROUP, "x/zarr.json": document, "y/zarr.json": ARRAY})
    )
    nodes = {node.path: node for node in hierarchy.walk()}
    broken = nodes["/x"]
    assert isinstance(broken, zarrcore.BrokenNode)
    assert isinstance(broken.error, kind)
    assert isinstance(nodes["/y"], zarrcore.Array)
    assert broken.stored_bytes() == document
    assert isinstance(broken.stored_document(), dict)
    assert isinstance(broken.attributes, dict)
    with pytest.raises(kind):
        hierarchy["x"]


def test_a_node_knows_its_place() -> None:
    store = memory(**{"zarr.json": GROUP, "ä/b/zarr.json": ARRAY})
    hierarchy = zarrcore.open_hierarchy(store)
    implicit, array = hierarchy["ä"], hierarchy["ä/b"]
    assert (hierarchy.root.name, implicit.name, array.name) == ("", "ä", "b")
    assert (hierarchy.root.metadata_key, implicit.metadata_key) == ("zarr.json", "ä/zarr.json")
    assert array.uri == "memory://#/ä/b"
    stat = store.stat("ä/b/zarr.json")
    assert stat is not None
    assert (array.mtime_s, implicit.mtime_s) == (stat.mtime_s, None)
    assert array.stored_document() == json.loads(ARRAY)


def test_the_document_that_makes_a_node_is_the_stored_one() -> None:
    hierarchy = zarrcore.open_hierarchy(
        memory(**{".zgroup": V2_GROUP, "a/.zarray": V2_ARRAY, "a/.zattrs": b"{}"})
    )
    assert (hierarchy.root.metadata_key, hierarchy["a"].metadata_key) == (".zgroup", "a/.zarray")
    assert hierarchy["a"].documents == (V2_ARRAY, None, b"{}")
    assert hierarchy["a"].stored_document().keys() == {".zarray", ".zattrs"}


def test_nodes_of_consolidated_metadata_have_documents() -> None:
    told = {"kind": "inline", "must_understand": False, "metadata": {"x": json.loads(ARRAY)}}
    root = json.dumps({**json.loads(GROUP), "consolidated_metadata": told}).encode()
    node = zarrcore.open_hierarchy(
        memory(**{"zarr.json": root, "x/zarr.json": ARRAY}), believe_consolidated=True
    )["x"]
    assert [json.loads(document or b"") for document in node.documents] == [json.loads(ARRAY)]


def test_a_group_finds_nodes_relative_to_itself() -> None:
    group = zarrcore.open_hierarchy(
        memory(**{"zarr.json": GROUP, "a/zarr.json": GROUP, "a/b/c/zarr.json": ARRAY})
    )["a"]
    assert isinstance(group, zarrcore.Group)
    assert (group["b/c"].path, [*group], [node.path for node in group.children()]) == (
        "/a/b/c",
        ["b"],
        ["/a/b"],
    )
    assert group.metadata_document() == json.loads(GROUP)
    assert repr(group) == "<Group /a>"
    with pytest.raises(NodeNotFoundError):
        group["c"]


def test_assigned_attributes_are_stored_and_seen_by_all_holders() -> None:
    hierarchy = zarrcore.create(memory())
    array = hierarchy.create_array("/a", shape=(2,), dtype="int8")
    for node in (hierarchy.root, array):
        node.attributes = {"é": [1, None]}
        assert node.attributes == {"é": [1, None]}
        assert node.stored_document()["attributes"] == {"é": [1, None]}
    reading = zarrcore.open_hierarchy(hierarchy.store)
    with pytest.raises(ReadOnlyError):
        reading.root.attributes = {}


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((4,), "expected 2 lengths, found 1"),
        ((4, -1), "at least 0"),
        ((4, 1.5), "at least 0"),
        ("x", "expected integers"),
    ],
)
def test_an_array_keeps_its_number_of_dimensions(shape: Any, words: str) -> None:
    array = zarrcore.create(memory()).create_array("/a", shape=(2, 2), dtype="int8")
    with pytest.raises(MetadataError, match=words):
        array.resize(shape)
    array.resize(np.array([3, 0]))
    assert array.shape == (3, 0)


@pytest.mark.parametrize(
    ("document", "stored", "attributes"),
    [
        (b"{", {"text": "{"}, {}),
        (b"\xff" * 5000, {"text": "\N{REPLACEMENT CHARACTER}" * 4096}, {}),
        (b'{"node_type": "array", "attributes": {"a": 1}}', None, {"a": 1}),
        (b'{"node_type": "array", "attributes": 5}', None, {}),
    ],
)
def test_what_can_be_read_of_a_broken_node_is_shown(
    document: bytes, stored: dict[str, Any] | None, attributes: dict[str, Any]
) -> None:
    hierarchy = zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP, "x/zarr.json": document}))
    (broken,) = hierarchy.root.children()
    assert isinstance(broken, zarrcore.BrokenNode)
    assert broken.stored_document() == (json.loads(document) if stored is None else stored)
    assert broken.attributes == attributes
    assert broken.metadata_document() == {"error": str(broken.error)}
    assert repr(broken).startswith("<BrokenNode /x: ")


@pytest.mark.parametrize(
    ("format_name", "kind", "names", "fill", "expected"),
    [
        ("v2", "int16", ["x"], 7, True),
        ("v2", "int16", None, 7, False),
        ("v2", "bool", ["x"], False, False),
        ("v3", "int16", ["x"], 7, False),
    ],
)
def test_a_fill_value_means_missing_only_for_numbers_of_zarr_v2_that_xarray_named(
    format_name: str, kind: str, names: list[str] | None, fill: Any, expected: bool
) -> None:
    store = MemoryStore()
    zarrcore.create(store, format=format_name).create_array(
        "/a", shape=(3,), dtype=kind, fill_value=fill, dimension_names=names
    )
    assert zarrcore.open_hierarchy(store)["a"].fill_value_is_missing is expected


def test_an_array_without_a_fill_value_has_no_missing_value() -> None:
    values = {
        ".zarray": b'{"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "<i2", "compressor": null,'
        b' "fill_value": null, "order": "C", "filters": null}',
        ".zattrs": b'{"_ARRAY_DIMENSIONS": ["x"]}',
    }
    assert not zarrcore.open_hierarchy(MemoryStore(values=values))["/"].fill_value_is_missing


def test_a_pickled_array_knows_its_hierarchy_and_path() -> None:
    array = zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP, "a/zarr.json": ARRAY}))["a"]
    again = pickle.loads(pickle.dumps(array))
    assert isinstance(again, ArrayNode)
    assert (again.path, again.uri, again.documents) == (array.path, array.uri, array.documents)
    assert again[...].tolist() == [5, 5, 5, 5]
    assert repr(again) == "<Array /a (4,) int8>"
