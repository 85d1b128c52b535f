"""Lines are at round degrees, their labels at the edges, and poles have all meridians."""

from __future__ import annotations

import numpy as np
import pyproj
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.maps.geography import AffineGrid, PlaneMap, SeparateGrid
from zarrbrowser.maps.graticule import Graticule, graticule, latitude_text, longitude_text

WORLD = PlaneMap(181, 360, SeparateGrid(np.arange(90.0, -91, -1), np.arange(0.0, 360)), far=(-0.5, 359.5))
ALL = (-0.5, -0.5, 180.5, 359.5)


def texts(found: Graticule, *, meridians: bool) -> list[str]:
    return [label.text for label in found.labels if label.is_meridian == meridians]


def test_the_world_has_lines_every_thirty_degrees() -> None:
    found = graticule(WORLD, ALL, (500, 1000))
    assert texts(found, meridians=True)[:8] == [
        "0°",
        "30°E",
        "60°E",
        "90°E",
        "120°E",
        "150°E",
        "180°",
        "150°W",
    ]
    assert texts(found, meridians=False) == ["60°S", "30°S", "0°", "30°N", "60°N"]
    equator = next(label for label in found.labels if label.text == "0°" and not label.is_meridian)
    assert (equator.row, equator.column) == (90.0, -0.5)
    east = next(label for label in found.labels if label.text == "30°E")
    assert (east.row, east.column) == (180.0, 30.0)


def test_labels_are_at_the_lower_and_the_left_edge_of_a_turned_picture() -> None:
    found = graticule(WORLD, ALL, (500, 1000), (True, True))
    assert {label.row for label in found.labels if label.is_meridian} == {0.0}
    assert {label.column for label in found.labels if not label.is_meridian} == {359.5}


@given(st.floats(0, 179), st.floats(0, 359), st.floats(0.001, 90))
def test_some_lines_are_in_view_at_any_zoom(row: float, column: float, side: float) -> None:
    found = graticule(WORLD, (row, column, min(180.5, row + side), min(359.5, column + side)), (800, 800))
    if min(row + side, 180.5) - row == side == min(column + side, 359.5) - column and 1 < row < 89:
        assert 2 <= len(texts(found, meridians=True)) <= 20
        assert len(texts(found, meridians=False)) <= 20


def test_a_polar_map_has_all_meridians_and_circles() -> None:
    transformer = pyproj.Transformer.from_crs("EPSG:3413", "OGC:CRS84", always_xy=True)
    plane = PlaneMap(200, 200, AffineGrid((4e4, 0, -4e6, 0, -4e4, 4e6)), transformer=transformer)
    found = graticule(plane, (-0.5, -0.5, 199.5, 199.5), (800, 800))
    meridians = texts(found, meridians=True)
    assert {"0°", "180°"} <= set(meridians)
    assert any(text.endswith("W") for text in meridians)
    assert any(text.endswith("E") for text in meridians)
    assert "80°N" in texts(found, meridians=False)
    at = np.flatnonzero(found.lines.connected)
    steps = np.hypot(np.diff(found.lines.rows)[at], np.diff(found.lines.columns)[at])
    assert steps.max() < 20, "circles close, and no line crosses the map"


@pytest.mark.parametrize("rect", [(0.0, 0.0, 0.0, 9.0), (9.0, 0.0, 3.0, 9.0), (0.0, np.nan, 9.0, 9.0)])
def test_a_view_without_an_extent_has_no_lines(rect: tuple[float, float, float, float]) -> None:
    assert graticule(WORLD, rect, (10, 10)).labels == ()


def test_a_part_off_the_earth_has_no_lines() -> None:
    transformer = pyproj.Transformer.from_crs("+proj=ortho", "OGC:CRS84", always_xy=True)
    plane = PlaneMap(20, 20, AffineGrid((1e6, 0, 9e6, 0, -1e6, 4e7)), transformer=transformer)
    assert graticule(plane, (-0.5, -0.5, 19.5, 19.5), (100, 100)).labels == ()


def test_degrees_have_the_digits_of_the_step() -> None:
    assert [longitude_text(one, 0.5) for one in (-190, -0.5, 0, 12.5, 540)] == [
        "170.0°E",
        "0.5°W",
        "0°",
        "12.5°E",
        "180°",
    ]
    assert [latitude_text(one, 10) for one in (-90, 0, 45)] == ["90°S", "0°", "45°N"]
