"""Coordinates in other units than those of the CRS; PROJ tells what a geostationary satellite sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyproj
import pytest

import zarrcore
from zarrcore.conventions import CoordinateReferenceSystem, georeference_of
from zarrcore.conventions.geo.linear_units import factor_to

GEOSTATIONARY = "+proj=geos +h=35786023 +lon_0=-75 +sweep=x +ellps=GRS80"
IN_KILOMETRES = "+proj=laea +lat_0=90 +lon_0=0 +units=km"
CF = {
    "grid_mapping_name": "geostationary",
    "perspective_point_height": 35786023.0,
    "longitude_of_projection_origin": -75.0,
    "sweep_angle_axis": "x",
}


def crs(text: str, version: str = "WKT2_2019") -> CoordinateReferenceSystem:
    return CoordinateReferenceSystem(wkt=pyproj.CRS(text).to_wkt(version))


@pytest.mark.parametrize("version", ["WKT2_2019", "WKT1_GDAL"])
@pytest.mark.parametrize(
    ("text", "units", "factor"),
    [
        ("EPSG:32633", "m", 1),
        ("EPSG:32633", "km", 1000),
        ("EPSG:32633", "degrees_north", 1),
        ("EPSG:32633", "", 1),
        (IN_KILOMETRES, "km", 1),
        (IN_KILOMETRES, "m", 0.001),
        ("EPSG:2263", "m", 1 / 0.304800609601219),  # US survey feet
        ("EPSG:2263", "US_survey_foot", 1),
    ],
)
def test_lengths(version: str, text: str, units: str, factor: float) -> None:
    assert factor_to(crs(text, version), units) == pytest.approx(factor, rel=1e-12)


def test_lengths_in_projjson() -> None:
    def found(text: str) -> float | None:
        return factor_to(CoordinateReferenceSystem(projjson=pyproj.CRS(text).to_json_dict()), "km")

    assert (found("EPSG:32633"), found(IN_KILOMETRES)) == (1000, 1)


@pytest.mark.parametrize(
    "known", [CoordinateReferenceSystem(parameters=CF), crs(GEOSTATIONARY)], ids=["parameters", "text"]
)
def test_angles_of_a_satellite(known: CoordinateReferenceSystem) -> None:
    assert factor_to(known, "rad") == 35786023
    assert factor_to(CoordinateReferenceSystem("EPSG:32633"), "radians") is None


def stored(units: str, grid_mapping: dict[str, Any]) -> Any:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_array("crs", shape=(), dtype="i4", attributes=grid_mapping)
    for name, values in (("y", [3.0, 2.0, 1.0]), ("x", [1.0, 2.0])):
        hierarchy.create_array(
            name, shape=(len(values),), dtype="f8", dimension_names=[name], attributes={"units": units}
        )[...] = np.array(values)
    return hierarchy.create_array(
        "a", shape=(3, 2), dtype="u1", dimension_names=["y", "x"], attributes={"grid_mapping": "crs"}
    )


def test_a_grid_is_in_the_unit_of_its_crs() -> None:
    found = georeference_of(stored("km", {"crs_wkt": pyproj.CRS("EPSG:32633").to_wkt()}))
    assert found is not None
    assert found.transform == (1000, 0, 500, 0, -1000, 3500)
    assert found.bounds == (500, 500, 2500, 3500)


def test_a_grid_in_an_unknown_unit_is_not_placed() -> None:
    found = georeference_of(stored("rad", {"crs_wkt": pyproj.CRS("EPSG:32633").to_wkt()}))
    assert found is not None
    assert found.transform is None
