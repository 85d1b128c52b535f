"""Where each version of OME-NGFF keeps its metadata."""

from __future__ import annotations

from typing import Any

import pytest

from zarrcore.conventions.ome.attributes import multiscales_entry, ome, titled


@pytest.mark.parametrize(
    ("attributes", "described", "expected"),
    [
        ({"ome": {"version": "0.5"}}, [], "OME-NGFF 0.5"),
        ({"multiscales": [{}]}, [{"version": "0.4"}], "OME-NGFF 0.4"),
        ({"ome": {"version": "0.5"}}, [{"version": "0.4"}], "OME-NGFF 0.5"),
        ({"ome": {"version": 5}}, [{}], "OME-NGFF"),
        ({"ome": 7}, [None], "OME-NGFF"),
    ],
)
def test_versions(attributes: dict[str, Any], described: list[Any], expected: str) -> None:
    assert titled(attributes, *described) == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"ome": {"multiscales": [{"name": "new"}]}, "multiscales": [{"name": "old"}]}, {"name": "new"}),
        ({"ome": {}, "multiscales": [{"name": "old"}]}, {"name": "old"}),
        ({"multiscales": {"layout": []}}, None),
        ({"multiscales": [7]}, None),
        ({"multiscales": "text"}, None),
        ({}, None),
    ],
)
def test_the_first_multiscale(attributes: dict[str, Any], expected: Any) -> None:
    assert multiscales_entry(attributes) == expected


def test_attributes_without_ome_are_the_metadata() -> None:
    assert ome({"ome": "x", "well": {}}) == {"ome": "x", "well": {}}
