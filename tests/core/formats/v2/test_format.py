"""Zarr v2: which documents make a node, its chunk keys, and consolidated metadata."""

from __future__ import annotations

import json
from typing import Any

import pytest

from zarrcore.errors import MetadataError
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata, GroupMetadata

V2 = Format.V2
GROUP = b'{"zarr_format": 2}'


def array(**members: Any) -> bytes:
    document = {
        "zarr_format": 2,
        "shape": [4, 4],
        "chunks": [2, 2],
        "dtype": "<i2",
        "compressor": None,
        "fill_value": 0,
        "order": "C",
        "filters": None,
    }
    return json.dumps(document | members).encode()


def parsed(*documents: bytes | None) -> ArrayMetadata:
    found = V2.parse(documents)
    assert isinstance(found, ArrayMetadata)
    return found


def test_documents_that_can_no_longer_matter_are_not_requested() -> None:
    def requested(values: dict[str, bytes]) -> list[str]:
        asked: list[str] = []

        def get(key: str) -> bytes | None:
            asked.append(key)
            return values.get(key)

        V2.fetch(get, "/a")
        return asked

    assert requested({}) == ["a/.zarray", "a/.zgroup"]
    assert requested({"a/.zarray": array()}) == ["a/.zarray", "a/.zattrs"]
    assert requested({"a/.zgroup": GROUP}) == ["a/.zarray", "a/.zgroup", "a/.zattrs"]


def test_an_array_wins_over_a_group_and_attributes_alone_do_not_make_a_node() -> None:
    assert parsed(array(), GROUP, b'{"a": 1}').attributes == {"a": 1}
    assert V2.parse((None, GROUP, None)) == GroupMetadata({})
    assert V2.parse((None, None, b'{"a": 1}')) is None
    assert not V2.claims((None, None, b"{}"))
    assert V2.implied_group({"a/.zattrs": b'{"b": 2}'}.get, "/a").attributes == {"b": 2}


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ((array(zarr_format=3), None, None), "zarr_format: expected 2, found the number 3"),
        ((None, b"{}", None), "zarr_format: expected 2, found null"),
        ((None, GROUP, b"[]"), r"^\.zattrs: expected a JSON object"),
        ((array(), None, b"{"), r"^\.zattrs: "),
    ],
)
def test_a_broken_document_is_named(documents: tuple[bytes | None, ...], words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        V2.parse(documents)


@pytest.mark.parametrize(
    ("keys", "separator"),
    [
        ([], "."),
        (["a/0.0"], "."),
        (["a/0/0"], "/"),
        (["a/0/"], "/"),
        (["a/0.0", "a/0/0"], "."),
    ],
)
def test_the_stored_keys_decide_about_a_separator_that_no_document_names(
    keys: list[str], separator: str
) -> None:
    open_, told = parsed(array(), None, None), parsed(array(dimension_separator="."), None, None)
    assert V2.resolve("/a", open_, keys.__contains__).chunk_key_encoding.separator == separator
    assert V2.resolve("/a", told, keys.__contains__) is told


def test_one_dimension_needs_no_separator() -> None:
    one = parsed(array(shape=[4], chunks=[2]), None, None)
    assert V2.resolve("/a", one, lambda _: True) is one


def test_attributes_are_changed_beside_the_names_of_dimensions() -> None:
    stored = (array(), None, b'{"_ARRAY_DIMENSIONS": ["y", "x"], "old": 1}')
    changed = V2.with_attributes(stored, {"new": "ä"})
    assert changed[:2] == stored[:2]
    found = parsed(*changed)
    assert (found.attributes["new"], "old" in found.attributes, found.dimension_names) == (
        "ä",
        False,
        ("y", "x"),
    )
    assert V2.with_attributes((None, GROUP, b'{"a": 1}'), {}) == (None, GROUP, b"{}")
    assert V2.with_attributes((None, GROUP, None), {}) == (None, GROUP, None)
    made = V2.with_attributes((None, None, None), {"a": 1})
    assert V2.parse(made) == GroupMetadata({"a": 1})


def test_another_shape_leaves_every_other_member() -> None:
    changed = V2.with_shape((array(mine="kept"), None, b"{}"), (9, 9))
    assert json.loads(changed[0] or b"") == json.loads(array(shape=[9, 9], mine="kept"))
    for documents, shape in (
        ((array(), None, None), (9,)),
        ((array(), None, None), (-1, 2)),
        ((None, GROUP, None), (2,)),
    ):
        with pytest.raises(MetadataError):
            V2.with_shape(documents, shape)


def test_consolidated_metadata_leave_out_what_has_no_meaning() -> None:
    nodes = {"/": (None, GROUP, None), "/a": (array(), GROUP, b"{}"), "/g": (None, GROUP, b'{"b": 2}')}
    told = V2.consolidate(nodes)
    assert sorted(json.loads(told[".zmetadata"])["metadata"]) == [
        ".zgroup", "a/.zarray", "a/.zattrs", "a/.zgroup", "g/.zattrs", "g/.zgroup",
    ]  # fmt: skip
    found = V2.consolidated_documents(told.get, nodes["/"])
    assert found == {path: V2.normalize(documents) for path, documents in nodes.items()}
    assert found is not None
    assert found["/a"].keys() == {".zarray"}
    assert V2.parse_consolidated(found["/g"]) == GroupMetadata({"b": 2})
    assert isinstance(V2.parse_consolidated(found["/a"]), ArrayMetadata)
    assert V2.parse(V2.split_documents(found["/g"])) == GroupMetadata({"b": 2})
    assert V2.unconsolidate(nodes["/"]) == {".zmetadata": None}


def test_entries_of_consolidated_metadata_that_are_not_nodes_are_ignored() -> None:
    entries = {
        "lonely/.zattrs": {"a": 1},
        "notes": {},
        "g/.zgroup": {"zarr_format": 2, "consolidated_metadata": None},
    }
    stored = json.dumps({"zarr_consolidated_format": 1, "metadata": entries}).encode()
    found = V2.consolidated_documents({".zmetadata": stored}.get, (None, GROUP, None))
    assert found == {"/g": {".zgroup": {"zarr_format": 2}}}
    assert V2.consolidated_documents({}.get, (None, GROUP, None)) is None
    with pytest.raises(MetadataError, match="expected a JSON object"):
        V2.parse_consolidated({".zgroup": 5})
