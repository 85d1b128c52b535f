"""Names of coordinate reference systems, and bounds of grids."""

from __future__ import annotations

import pytest

from zarrcore.conventions.georeference import Affine, CoordinateReferenceSystem, Georeference, bounds_of


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ((10, 0, 100, 0, -10, 200), (100, 170, 140, 200)),
        ((10, 0, 100, 0, 10, 200), (100, 200, 140, 230)),
        ((0, 1, 0, 1, 0, 0), (0, 0, 3, 4)),
    ],
)
def test_bounds(transform: Affine, expected: tuple[float, ...]) -> None:
    assert bounds_of(transform, 3, 4) == expected


@pytest.mark.parametrize(
    ("crs", "title", "given"),
    [
        (CoordinateReferenceSystem("EPSG:4326"), "EPSG:4326", "EPSG:4326"),
        (CoordinateReferenceSystem(wkt='GEOGCS["WGS 84"]'), "WGS 84", 'GEOGCS["WGS 84"]'),
        (CoordinateReferenceSystem(projjson={"name": "local"}), "local", '{"name": "local"}'),
        (CoordinateReferenceSystem(parameters={"grid_mapping_name": "polar"}), "polar", ""),
    ],
)
def test_names(crs: CoordinateReferenceSystem, title: str, given: str) -> None:
    assert (crs.title, crs.input_text()) == (title, given)


def test_facts() -> None:
    turned = Georeference(CoordinateReferenceSystem(), (1, 0.5, 0, 0, 1, 0), (0, 0, 1, 1))
    assert turned.facts() == [
        ("CRS", "not named"),
        ("grid", "cells of 1 × 1 from 0, 0, rotated"),
        ("bounds", "x 0 to 1, y 0 to 1"),
    ]
    assert Georeference().facts() == []
