"""Which of several statements about the place of an array counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zarrcore
from zarrcore.conventions import georeference_of

NORTH = [10.0, 0.0, 0.0, 0.0, -10.0, 0.0]
COARSE = [20.0, 0.0, 0.0, 0.0, -20.0, 0.0]
WKT = 'PROJCRS["UTM",ID["EPSG",32633]]'


def array_in(hierarchy: zarrcore.Hierarchy, path: str, **attributes: Any) -> Any:
    return hierarchy.create_array(
        path, shape=(4, 6), dtype="uint8", dimension_names=["y", "x"], attributes=attributes
    )


@pytest.fixture
def hierarchy() -> zarrcore.Hierarchy:
    return zarrcore.create("memory://")


def test_the_array_counts_before_its_group(hierarchy: zarrcore.Hierarchy) -> None:
    hierarchy.create_group("g").attributes = {"proj:code": "EPSG:1", "spatial:transform": NORTH}
    found = georeference_of(array_in(hierarchy, "g/a", **{"proj:code": "EPSG:2"}))
    assert found is not None
    assert found.crs is not None
    assert (found.crs.code, found.transform) == ("EPSG:2", tuple(NORTH))
    assert found.bounds == (0, -40, 60, 0)


def test_a_group_counts_only_for_its_own_arrays(hierarchy: zarrcore.Hierarchy) -> None:
    hierarchy["/"].attributes = {"proj:code": "EPSG:1", "spatial:transform": NORTH}
    assert georeference_of(array_in(hierarchy, "g/a")) is None


@pytest.mark.parametrize("asset", ["r20m", "r20m/b02"])
def test_a_level_of_a_pyramid_has_its_own_grid_and_the_pyramids_crs(
    hierarchy: zarrcore.Hierarchy, asset: str
) -> None:
    layout = [
        {"asset": asset.replace("20", "10"), "spatial:transform": NORTH},
        {"asset": asset, "spatial:transform": COARSE},
    ]
    hierarchy["/"].attributes = {
        "proj:code": "EPSG:32633",
        "spatial:transform": NORTH,
        "spatial:bbox": [1, 2, 3, 4],
        "multiscales": {"layout": layout},
    }
    found = georeference_of(array_in(hierarchy, "r20m/b02"))
    assert found is not None
    assert found.crs is not None
    assert (found.crs.code, found.transform, found.bounds) == ("EPSG:32633", tuple(COARSE), (0, -80, 120, 0))


def test_a_grid_mapping_and_coordinates_complete_each_other(hierarchy: zarrcore.Hierarchy) -> None:
    hierarchy.create_array("crs", shape=(), dtype="uint8", attributes={"crs_wkt": WKT})
    for name, length in (("y", 4), ("x", 6)):
        hierarchy.create_array(name, shape=(length,), dtype="float64", dimension_names=[name])[...] = (
            np.arange(length)
        )
    found = georeference_of(array_in(hierarchy, "a", grid_mapping="crs"))
    assert found is not None
    assert found.crs is not None
    assert (found.crs.code, found.transform) == ("EPSG:32633", (1, 0, -0.5, 0, 1, -0.5))


def test_an_array_without_any_statement(hierarchy: zarrcore.Hierarchy) -> None:
    assert georeference_of(array_in(hierarchy, "a")) is None
    root = zarrcore.create("memory://").create_array("/", shape=(4, 6), dtype="uint8")
    assert georeference_of(root) is None
