"""Lines are where pyproj and the coordinates say, as often as the map comes round, and never across it."""

from __future__ import annotations

import numpy as np
import pyproj
import pytest

from zarrbrowser.maps.coastlines import Scale, coastlines
from zarrbrowser.maps.drawing import drawn
from zarrbrowser.maps.geography import AffineGrid, PlaneMap, SeparateGrid
from zarrbrowser.maps.lines import EarthLines

LINE = EarthLines(np.array([-20.0, -10.0]), np.array([0.0, 5.0]), np.array([True, False]))


def degrees(west: float, east: float) -> PlaneMap:
    x = np.arange(west, east)
    return PlaneMap(180, x.size, SeparateGrid(np.arange(-90.0, 90), x), far=(west - 0.5, east - 0.5))


@pytest.mark.parametrize(
    ("west", "east", "columns"),
    [
        (-180, 180, {160}),
        (0, 360, {340}),
        (-180, 540, {160, 520}),
        (300, 720, {40, 400}),
        (0, 90, set()),
    ],
)
def test_a_line_is_drawn_each_time_that_the_map_comes_round(west: int, east: int, columns: set[int]) -> None:
    found = drawn(LINE, degrees(west, east))
    inside = found.within(-0.5, -0.5, 179.5, east - west - 0.5)
    assert set(inside.columns[::2].tolist()) == columns
    assert (inside.rows[::2] == 90).all()


def metres(crs: str, side: float, steps: int = 400, latitude: float = 0.0) -> PlaneMap:
    transformer = pyproj.Transformer.from_crs(crs, "OGC:CRS84", always_xy=True)
    size = 2 * side / steps
    grid = AffineGrid((size, 0, -side, 0, -size, side + latitude))
    return PlaneMap(steps, steps, grid, transformer=transformer)


@pytest.mark.parametrize(
    ("crs", "side"),
    [
        ("EPSG:3413", 4e6),
        ("EPSG:3857", 2e7),
        ("EPSG:32633", 1e6),
        ("ESRI:54030", 1.7e7),
        ("+proj=ortho +lat_0=40 +lon_0=10", 6.4e6),
        ("EPSG:3031", 4e6),
        ("ESRI:54009", 1.8e7),
    ],
)
def test_no_line_crosses_a_projected_map(crs: str, side: float) -> None:
    plane = metres(crs, side)
    lines = coastlines(Scale.COARSE)
    found = drawn(lines, plane)
    at = np.flatnonzero(found.connected)
    assert at.size > 1000
    inverse = pyproj.Transformer.from_crs("OGC:CRS84", crs, always_xy=True)
    x, y = inverse.transform(lines.longitudes[at], lines.latitudes[at])
    assert np.allclose((found.columns[at] + 0.5) * plane.grid.transform[0] - side, x, atol=1e-3)  # type: ignore[attr-defined]
    assert np.allclose(side - (found.rows[at] + 0.5) * plane.grid.transform[0], y, atol=1e-3)  # type: ignore[attr-defined]
    inside = found.within(-0.5, -0.5, 399.5, 399.5)
    at = np.flatnonzero(inside.connected)
    steps = np.hypot(np.diff(inside.rows)[at], np.diff(inside.columns)[at])
    assert np.isfinite(steps).all()
    limit = 40 if crs == "EPSG:32633" else 120  # its elements are small
    assert steps.max() < limit
