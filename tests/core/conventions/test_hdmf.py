"""Objects and links of NWB, with the attributes that hdmf-zarr writes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.conventions.described import described
from zarrcore.conventions import Link, TypedObject, links_of, meaning, recognise

LINK = {"name": "timestamps", "path": "/acquisition/series/timestamps", "source": ".", "object_id": "1"}


def read(attributes: dict[str, Any], kind: str = "group") -> TypedObject:
    found = meaning(described("/a", attributes, kind=kind), lambda path: pytest.fail(path))
    assert isinstance(found, TypedObject)
    return found


def test_a_file() -> None:
    attributes = {
        "namespace": "core",
        "neurodata_type": "NWBFile",
        "nwb_version": "2.9.0",
        ".specloc": "specifications",
    }
    assert read(attributes).summary == "NWB NWBFile, version 2.9.0"


def test_an_object_with_links() -> None:
    elsewhere = {"name": "image", "path": "/images/0", "source": "../other.zarr"}
    found = read(
        {
            "namespace": "core",
            "neurodata_type": "TimeSeries",
            "description": "voltage",
            "zarr_link": [LINK, elsewhere, 7],
        }
    )
    assert found.summary == "NWB TimeSeries, 2 links"
    assert dict(found.facts()) == {
        "namespace": "core",
        "description": "voltage",
        "links": "timestamps → /acquisition/series/timestamps\nimage → ../other.zarr#/images/0",
    }


def test_an_array_of_another_namespace() -> None:
    assert read({"namespace": "hdmf-common", "data_type": "VectorData"}, "array").summary == "HDMF VectorData"


@pytest.mark.parametrize("member", ["zarr_link", "_LINKS"])
def test_a_group_that_has_only_links(member: str) -> None:
    assert read({member: [LINK]}).summary == "HDMF object, 1 link"


@pytest.mark.parametrize("told", [None, 7, [{"name": "a"}], [{"path": "/a"}], [{"name": 1, "path": "/a"}]])
def test_invalid_links_are_ignored(told: Any) -> None:
    assert links_of({"zarr_link": told}) == ()
    assert recognise(described("/a", {"zarr_link": told})) is None


def test_a_link_without_a_source_is_within_the_file() -> None:
    assert links_of({"zarr_link": [{"name": "a", "path": "/b"}]}) == (Link("a", "/b", "."),)
