"""Arrays whose own attributes say where they are."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from zarrcore.conventions import Raster, meaning, recognise

NORTH = [10.0, 0.0, 0.0, 0.0, -10.0, 0.0]


def array(**attributes: Any) -> Any:
    return zarrcore.create("memory://").create_array(
        "a", shape=(4, 6), dtype="uint8", dimension_names=["y", "x"], attributes=attributes
    )


@pytest.mark.parametrize(
    ("attributes", "summary"),
    [
        (
            {"proj:code": "EPSG:3857", "spatial:transform": NORTH},
            "GeoZarr raster, EPSG:3857, cells of 10 × 10",
        ),
        ({"proj:wkt2": 'GEOGCRS["WGS 84"]'}, "GeoZarr raster, WGS 84"),
        ({"proj:projjson": {"type": "GeographicCRS"}}, "GeoZarr raster, CRS without a name"),
        ({"spatial:transform": NORTH}, "GeoZarr raster, cells of 10 × 10"),
    ],
)
def test_rasters(attributes: dict[str, Any], summary: str) -> None:
    found = meaning(array(**attributes))
    assert isinstance(found, Raster)
    assert found.summary == summary
    assert (("bounds", "x 0 to 60, y -40 to 0") in found.facts()) == ("spatial:transform" in attributes)


def test_other_arrays_are_not_rasters() -> None:
    assert recognise(array(title="plain")) is None
