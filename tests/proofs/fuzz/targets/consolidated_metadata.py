"""Consolidated metadata, v2's ``.zmetadata`` and v3's inline: MetadataError, or what the nodes' own documents mean."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.proofs.fuzz.documents import Choices, changed_document
from tests.proofs.fuzz.nodes import same, small_array
from tests.proofs.fuzz.targets import documents_v2, documents_v3
from zarrcore.errors import (
    HierarchyNotFoundError,
    MetadataError,
    NodeNotFoundError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.formats import Format
from zarrcore.hierarchy import ArrayNode, Group, open_hierarchy
from zarrcore.stores import MemoryStore

_V2 = {
    "zarr_consolidated_format": 1,
    "metadata": {
        ".zgroup": {"zarr_format": 2},
        ".zattrs": {"a": 1},
        "b/.zarray": documents_v2.array("<f4", "NaN"),
        "b/.zattrs": {"_ARRAY_DIMENSIONS": ["y", "x"]},
        "c/.zgroup": {"zarr_format": 2},
        "c/d/.zarray": documents_v2.array("|i1"),
    },
}
_V3 = {
    "zarr_format": 3,
    "node_type": "group",
    "attributes": {},
    "consolidated_metadata": {
        "kind": "inline",
        "must_understand": False,
        "metadata": {
            "b": documents_v3.array("float32", "NaN"),
            "c": {"zarr_format": 3, "node_type": "group", "attributes": {"x": 1}},
            "c/d": documents_v3.array("int8"),
        },
    },
}
EXAMPLES: list[dict[str, Any]] = [_V2, _V3]
MAX_LENGTH = 80
WORDS = (
    *(
        "consolidated_metadata",
        "metadata",
        "kind",
        "inline",
        "zarr_consolidated_format",
        ".zarray",
        ".zgroup",
        ".zattrs",
    ),
    *(
        "b",
        "c/d",
        "/",
        "//",
        "c//d",
        "../x",
        "b/.zarray",
        "c/d/.zattrs",
        "e/.zattrs",
        "zarr_format",
        "node_type",
        "array",
    ),
)


def check(data: bytes) -> None:
    """The library opens what is there, and the nodes are those of the documents themselves."""
    document = changed_document(Choices(data), EXAMPLES, WORDS)
    if not isinstance(document, dict):
        return
    if "zarr_consolidated_format" in document or "node_type" not in document:
        values = {".zgroup": b'{"zarr_format": 2}', ".zmetadata": json.dumps(document).encode()}
        form = Format.V2
    else:
        values, form = {"zarr.json": json.dumps(document).encode()}, Format.V3
    root = form.fetch(values.get, "/")
    try:
        told = form.consolidated_documents(values.get, root)
    except MetadataError:
        told = None
    for entry in (told or {}).values():
        _check_entry(form, entry)
    _check_opened(form, values)


def _check_entry(form: Format, entry: dict[str, Any]) -> None:
    """An entry means what its documents mean by themselves."""
    try:
        found = form.parse_consolidated(entry)
    except (MetadataError, UnsupportedError):
        found = None
    try:
        own = form.parse(form.split_documents(entry))
    except (MetadataError, UnsupportedError):
        own = None
    assert found is None or own is None or same(found, own)


def _check_opened(form: Format, values: dict[str, bytes]) -> None:
    """The hierarchy lists and opens its nodes, with consolidated metadata."""
    try:
        hierarchy = open_hierarchy(MemoryStore("", values), format=form, believe_consolidated=True)
        nodes = [*hierarchy.walk("/")]
    except (HierarchyNotFoundError, MetadataError, UnsupportedError):
        return
    for node in nodes[:20]:
        small_array(node)
        try:
            again = hierarchy.node(node.path)
        except NodeNotFoundError:
            raise AssertionError(f"{node.path} is listed, but cannot be opened") from None
        except ZarrError:
            continue
        assert again.kind == node.kind
        if isinstance(node, ArrayNode | Group):
            json.dumps(dict(node.attributes))


def examples() -> Iterable[bytes]:
    """One of each format."""
    return [bytes([number]) for number in range(len(EXAMPLES))]
