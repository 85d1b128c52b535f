"""Rules of ``proj:``, ``spatial:`` and "multiscales", each broken once; the conventions' own examples break none."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from tests.core.operations.check.conventions.broken_rules import broken

UUIDS = {
    "proj:": "f17cb550-5864-4468-aeb7-f3180cfb622f",
    "spatial:": "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
    "multiscales": "d35379db-88df-4056-af3a-620245f8e347",
}
NORTH_UP = [10.0, 0.0, 500000.0, 0.0, -10.0, 5000000.0]
VALID: dict[str, Any] = {
    "zarr_conventions": [{"uuid": uuid} for uuid in UUIDS.values()],
    "proj:code": "EPSG:32633",
    "spatial:dimensions": ["Y", "X"],
    "spatial:transform": NORTH_UP,
    "spatial:shape": [4, 6],
    "spatial:bbox": [500000, 4999960, 500060, 5000000],
}


def of_array(**attributes: Any) -> list[str]:
    hierarchy = zarrcore.create("memory://")
    told = {name: value for name, value in {**VALID, **attributes}.items() if value is not ...}
    hierarchy.create_array("a", shape=(4, 6), dtype="uint8", dimension_names=["y", "x"], attributes=told)
    return broken(hierarchy, "a")


def test_a_valid_array() -> None:
    assert of_array() == []
    assert of_array(**{"spatial:registration": "node"}) == [], "another extent"


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (
            {"zarr_conventions": [{"uuid": UUIDS["spatial:"]}]},
            "zarr_conventions: does not list the convention proj:",
        ),
        ({"proj:code": "32633"}, "proj:code: expected an authority and a code"),
        ({"proj:wkt2": "utm"}, "proj:wkt2: expected well-known text, found 'utm'"),
        ({"proj:projjson": {"name": "x"}}, "proj:projjson: expected an object with a type"),
        (
            {"spatial:dimensions": ["lat", "lon"]},
            "spatial:dimensions: ['lat', 'lon'] are not dimensions of the array",
        ),
        (
            {"spatial:dimensions": 7, "spatial:bbox": ..., "spatial:shape": ...},
            "spatial:dimensions: expected names",
        ),
        ({"spatial:registration": "corner"}, "spatial:registration: expected pixel or node"),
        ({"spatial:transform": [1, 2]}, "spatial:transform: expected six numbers"),
        ({"spatial:bbox": [1, 2]}, "spatial:bbox: expected 4 numbers"),
        ({"spatial:bbox": [2, 2, 1, 3]}, "spatial:bbox: a minimum is above its maximum"),
        ({"spatial:bbox": [0, 0, 1, 1]}, "spatial:bbox: [0.0, 0.0, 1.0, 1.0] is not the extent of the grid"),
        ({"spatial:shape": [4]}, "spatial:shape: expected 2 lengths"),
    ],
)
def test_broken_rules(attributes: dict[str, Any], expected: str) -> None:
    found = of_array(**attributes)
    assert any(sentence.startswith(f"GeoZarr: {expected}") for sentence in found), found


def pyramid(*layout: dict[str, Any]) -> list[str]:
    hierarchy = zarrcore.create("memory://")
    hierarchy["/"].attributes = {"multiscales": {"layout": [*layout]}}
    for name, length in (("a", 8), ("b", 4)):
        hierarchy.create_array(name, shape=(length, length), dtype="uint8")
    return broken(hierarchy)


HALVED = {"asset": "b", "derived_from": "a", "transform": {"scale": [2, 2]}}


def test_a_valid_pyramid() -> None:
    assert pyramid({"asset": "a", "transform": {"scale": [1, 1]}}, HALVED) == []


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({**HALVED, "asset": "c"}, "multiscales.layout[1].asset: c does not exist"),
        ({**HALVED, "asset": "../b"}, "multiscales.layout[1].asset: expected a path below this group"),
        ({**HALVED, "derived_from": "z"}, "multiscales.layout[1].derived_from: 'z' is not a level"),
        (
            {"asset": "b", "derived_from": "a"},
            "multiscales.layout[1].transform: is required beside derived_from",
        ),
        ({**HALVED, "transform": {"scale": "2"}}, "multiscales.layout[1].transform.scale: expected numbers"),
    ],
)
def test_broken_pyramids(second: dict[str, Any], expected: str) -> None:
    found = pyramid({"asset": "a"}, second)
    assert any(expected in sentence for sentence in found), found
