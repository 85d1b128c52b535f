"""Georeferences in attributes, as the conventions' own examples and products write them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from zarrcore.conventions.geo.attributes import (
    stated_crs,
    stated_dimensions,
    stated_georeference,
    stated_transform,
)

TRANSFORM = [10.0, 0.0, 500000.0, 0.0, -10.0, 5000000.0]


@pytest.mark.parametrize(
    ("attributes", "code", "name"),
    [
        ({"proj:code": "EPSG:26711"}, "EPSG:26711", ""),
        ({"proj:epsg": 32633}, "EPSG:32633", ""),
        ({"proj:epsg": None, "proj:wkt2": 'GEOGCRS["WGS 84"]'}, "", "WGS 84"),
        ({"proj:code": None, "proj:projjson": {"name": "WGS 84 / UTM"}}, "", "WGS 84 / UTM"),
    ],
)
def test_crs(attributes: dict[str, Any], code: str, name: str) -> None:
    found = stated_crs(attributes)
    assert found is not None
    assert (found.code, found.name) == (code, name)


@pytest.mark.parametrize("attributes", [{}, {"proj:code": 4326}, {"proj:epsg": True}, {"proj:projjson": []}])
def test_no_crs(attributes: dict[str, Any]) -> None:
    assert stated_crs(attributes) is None


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"spatial:transform": TRANSFORM}, TRANSFORM),
        ({"spatial:transform": TRANSFORM, "spatial:transform_type": "affine"}, TRANSFORM),
        ({"spatial:transform": TRANSFORM, "spatial:transform_type": "rpc"}, None),
        ({"spatial:transform": TRANSFORM[:5]}, None),
        ({"proj:transform": [*TRANSFORM, 0, 0, 1]}, TRANSFORM),
        ({"proj:transform": TRANSFORM}, TRANSFORM),
        ({"proj:transform": [1, 2]}, None),
        ({}, None),
        # Registered at nodes, the first cell's centre is at (0, 0): the example of the convention, a DEM.
        (
            {"spatial:transform": [0.5, 0, -180, 0, -0.5, 90], "spatial:registration": "node"},
            [0.5, 0, -180.25, 0, -0.5, 90.25],
        ),
    ],
)
def test_grids(attributes: dict[str, Any], expected: list[float] | None) -> None:
    found = stated_transform(attributes)
    assert (None if found is None else list(found)) == expected


@pytest.mark.parametrize(
    ("told", "names", "expected"),
    [
        (["Y", "X"], ("band", "y", "x"), ("y", "x")),
        (["z", "y", "x"], ("z", "y", "x"), ("y", "x")),
        (["Y", "X"], ("row", "column"), None),
        (["Y"], ("y", "x"), None),
        ([1, 2], ("y", "x"), None),
        (None, ("y", "x"), None),
    ],
)
def test_dimensions(told: Any, names: tuple[str, ...], expected: Any) -> None:
    assert stated_dimensions({"spatial:dimensions": told}, names) == expected


def array(*names: str) -> Any:
    return SimpleNamespace(dimension_names=names or None, shape=(3, 100, 200))


def test_places_that_come_first_count_most() -> None:
    own = {"spatial:transform": [20, 0, 0, 0, -20, 0]}
    group = {"proj:code": "EPSG:4326", "spatial:transform": TRANSFORM}
    found = stated_georeference(
        array("band", "row", "column"), [own, {**group, "spatial:dimensions": ["row", "column"]}]
    )
    assert found is not None
    assert found.crs is not None
    assert (found.crs.code, found.transform, found.bounds) == (
        "EPSG:4326",
        (20, 0, 0, 0, -20, 0),
        (0, -2000, 4000, 0),
    )


@pytest.mark.parametrize("name", ["spatial:bbox", "proj:bbox"])
def test_a_box_without_a_grid(name: str) -> None:
    found = stated_georeference(array(), [{"proj:epsg": 4326, name: [1, 2, 3, 4]}])
    assert found is not None
    assert (found.bounds, found.dimensions) == ((1, 2, 3, 4), None)
    assert stated_georeference(array(), [{name: [1, 2, 3, 4]}]) is None
