"""SpatialData, with the attributes that spatialdata 0.8 writes."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from tests.core.conventions.described import described
from zarrcore.conventions import SpatialData, SpatialElement, meaning, recognise


@pytest.mark.parametrize(
    "told", [{"version": "0.2", "spatialdata_software_version": "0.8.0"}, {"version": "0.1"}]
)
def test_the_whole(told: dict[str, str]) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy["/"].attributes = {"spatialdata_attrs": told}
    for path in (
        "images/he",
        "images/if",
        "labels/cells",
        "points/transcripts",
        "shapes/a",
        "shapes/b",
        "tables/table",
    ):
        hierarchy.create_group(path)
    found = meaning(hierarchy["/"])
    assert isinstance(found, SpatialData)
    assert found.summary == (
        f"SpatialData {told['version']} spatial data, 2 images, 1 label image, points: 1, shapes: 2, 1 table"
    )
    assert sorted(dict(found.facts())["images"].split(", ")) == ["he", "if"]


@pytest.mark.parametrize("what", ["shapes", "points"])
def test_elements(what: str) -> None:
    steps = [
        {"type": "identity", "output": {"name": "global"}},
        {"type": "scale", "output": {"name": "sample"}},
        {"type": "identity", "output": {"name": "global"}},
        {"type": "identity", "output": 7},
    ]
    attributes = {
        "encoding-type": f"ngff:{what}",
        "spatialdata_attrs": {"version": "0.2"},
        "coordinateTransformations": steps,
    }
    found = meaning(described("/shapes/a", attributes), lambda path: pytest.fail(path))
    assert isinstance(found, SpatialElement)
    assert found.summary == f"SpatialData 0.2 {what}, in global, sample"


@pytest.mark.parametrize(
    "attributes", [{"spatialdata_attrs": 7}, {"spatialdata_attrs": {}}, {"encoding-type": "ngff:x"}]
)
def test_other_groups(attributes: dict[str, Any]) -> None:
    assert recognise(described("/a", attributes)) is None
