"""Entry points of the drafts."""

from __future__ import annotations

import json
from typing import Any

import pytest

import zarrcore
from tests.core.formats.drafts.draft_arrays import (
    ARRAY,
    UNKNOWN,
    VALUES,
    array_at,
    entry_point,
    store_of,
)
from tests.core.formats.drafts.draft_writer import (
    write,
)
from zarrcore.errors import MetadataError, UnsupportedError


@pytest.mark.parametrize(
    ("document", "kind", "words"),
    [
        (
            entry_point(extensions=[UNKNOWN]),
            UnsupportedError,
            "extension 'https://example.org/fancy' is unknown and must be understood",
        ),
        (
            entry_point(extensions=[{"extension": 3}]),
            MetadataError,
            r"extensions\[0\].extension: expected",
        ),
        (entry_point(extensions={}), MetadataError, "extensions: expected an array of objects"),
        (
            entry_point(extensions=[{**UNKNOWN, "must_understand": "yes"}]),
            MetadataError,
            r"extensions\[0\].must_understand: expected true or false",
        ),
        (
            entry_point(metadata_encoding=...),
            MetadataError,
            "metadata_encoding: expected a string",
        ),
        (
            entry_point(metadata_encoding="https://cbor.io"),
            UnsupportedError,
            "metadata encoding 'https://cbor.io'",
        ),
        (entry_point(metadata_encoding={"type": "cbor"}), UnsupportedError, "metadata encoding 'cbor'"),
        (
            entry_point(metadata_key_suffix=3),
            MetadataError,
            "metadata_key_suffix: expected the end",
        ),
        (
            entry_point(metadata_key_suffix="/x"),
            MetadataError,
            "metadata_key_suffix: expected the end",
        ),
    ],
)
def test_entry_points_that_cannot_be_used(document: Any, kind: type[Exception], words: str) -> None:
    store = store_of({"zarr.json": json.dumps(document).encode()})
    for format_ in (None, "draft-2020-10"):
        with pytest.raises(kind, match=words) as caught:
            zarrcore.open_hierarchy(store, format=format_)
        assert str(caught.value).startswith("zarr.json in memory://: ")


def test_an_unknown_version_is_reported_by_the_root() -> None:
    document = entry_point(zarr_format="https://example.org")
    root = zarrcore.open_hierarchy(store_of({"zarr.json": json.dumps(document).encode()})).node("/")
    assert isinstance(root, zarrcore.BrokenNode)
    assert (
        str(root.error)
        == "zarr.json in memory://: zarr_format: expected 3, found the string 'https://example.org'"
    )


def test_ignorable_extensions_are_ignored_and_named() -> None:
    extension = {**UNKNOWN, "must_understand": False}
    values = write("2020-10-16", {"/a": ARRAY})
    values["zarr.json"] = json.dumps(entry_point(extensions=[extension], later="member")).encode()
    document = {**json.loads(values["meta/root/a.array.json"]), "extensions": [extension], "later": 3}
    values["meta/root/a.array.json"] = json.dumps(document).encode()
    hierarchy = zarrcore.open_hierarchy(store_of(values))
    for node in hierarchy.walk():
        assert hierarchy.format.ignored(node.documents) == ("https://example.org/fancy",)
    assert (array_at(hierarchy, "a")[...] == VALUES).all()
