"""Projected maps show the elements that pyproj finds at each pixel."""

from __future__ import annotations

import numpy as np
import pyproj
import pytest

from tests.browser.maps.grids import tripolar, turned
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.curved_grid import CurvedGrid
from zarrbrowser.maps.geography import AffineGrid, PlaneMap, SeparateGrid
from zarrbrowser.maps.projection import Projection
from zarrbrowser.maps.projections import is_available, middle_of, places, projected, sampling
from zarrbrowser.maps.sphere import directions
from zarrbrowser.nodes.read_cost import Cancelled

WORLD = PlaneMap(181, 360, SeparateGrid(np.arange(90.0, -91, -1), np.arange(0.0, 360)), far=(-0.5, 359.5))
ALL = [one for one in Projection if one is not Projection.NONE]
NAMES = {
    Projection.PLATE_CARREE: "+proj=eqc +lon_0=20 +R=6371000",
    Projection.ROBINSON: "+proj=robin +lon_0=20 +R=6371000",
    Projection.MOLLWEIDE: "+proj=moll +lon_0=20 +R=6371000",
    Projection.ORTHOGRAPHIC: "+proj=ortho +lat_0=40 +lon_0=20 +R=6371000",
    Projection.NORTH: "+proj=stere +lat_0=90 +lon_0=20 +R=6371000",
    Projection.SOUTH: "+proj=stere +lat_0=-90 +lon_0=20 +R=6371000",
    Projection.MERCATOR: "+proj=merc +lon_0=20 +R=6371000",
    Projection.LAMBERT: "+proj=lcc +lat_1=25 +lat_2=55 +lat_0=40 +lon_0=20 +R=6371000",
    Projection.ALBERS: "+proj=aea +lat_1=25 +lat_2=55 +lat_0=40 +lon_0=20 +R=6371000",
}


def chart_of(projection: Projection, plane: PlaneMap = WORLD) -> PlaneMap:
    return projected(projection, plane, 20.0, 40.0)


@pytest.mark.parametrize("projection", ALL)
def test_places_are_those_of_pyproj(projection: Projection) -> None:
    chart = chart_of(projection)
    assert max(chart.height, chart.width) in (1999, 2000, 2001)
    latitude = {Projection.SOUTH: -60.0}.get(projection, 60.0)
    for longitude in (20.0, 50.0, -40.0):
        x, y = pyproj.Proj(NAMES[projection])(longitude, latitude)
        assert isinstance(chart.grid, AffineGrid)
        rows, columns = chart.grid.places(np.array([x]), np.array([y]))
        found = places(chart, WORLD, rows, columns)
        assert found[0][0] == pytest.approx(90 - latitude, abs=1e-3)
        assert found[1][0] == pytest.approx(longitude % 360, abs=1e-3)


@pytest.mark.parametrize("projection", [Projection.ROBINSON, Projection.MOLLWEIDE, Projection.ORTHOGRAPHIC])
def test_nothing_is_beyond_the_edge_of_the_world(projection: Projection) -> None:
    chart = chart_of(projection)
    corners = np.array([0.0, 0.0, chart.height - 1.0, chart.height - 1.0])
    sides = np.array([0.0, chart.width - 1.0, 0.0, chart.width - 1.0])
    rows, columns = places(chart, WORLD, corners, sides)
    assert np.isnan(rows).all()
    assert np.isnan(columns).all()
    found = sampling(chart, WORLD, View((-0.5, chart.height), (-0.5, chart.width), 200, 200))
    assert found is not None
    share = np.isfinite(found.rows).mean()
    assert 0.7 < share < 0.93, "an ellipse or a circle in a rectangle"


def test_a_sampling_takes_the_nearest_colours() -> None:
    chart = chart_of(Projection.ROBINSON)
    found = sampling(chart, WORLD, View((0, chart.height), (0, chart.width), 150, 300))
    assert found is not None
    colours = np.zeros((181, 360, 4), np.uint8)
    colours[..., 0], colours[..., 1] = np.arange(181)[:, None], np.arange(360)[None, :] // 2
    colours[..., 3] = 255
    picture = found.picture(colours, (-0.5, -0.5, 180.5, 359.5))
    inside = picture[..., 3] == 255
    assert (inside == np.isfinite(found.rows)).all()
    assert (picture[inside][:, 0] == np.floor(found.rows[inside] + 0.5)).all()
    assert (picture[inside][:, 1] == np.floor(found.columns[inside] + 0.5) // 2).all()
    half = found.picture(colours[:91], (-0.5, -0.5, 90.5, 359.5))
    assert not half[found.rows > 91].any(), "rows that are not loaded are transparent"
    box = found.box()
    assert box is not None
    assert box[0] == pytest.approx((0, 180), abs=2)


CURVED = PlaneMap(90, 180, CurvedGrid(*np.meshgrid(np.arange(0.0, 360, 2) + 0.5, np.arange(89.0, -90, -2))))


@pytest.mark.parametrize("projection", ALL)
def test_a_curved_grid_is_drawn_as_the_same_grid_of_rows_and_columns(projection: Projection) -> None:
    plain = PlaneMap(
        90, 180, SeparateGrid(np.arange(89.0, -90, -2), np.arange(0.0, 360, 2) + 0.5), far=(-0.5, 359.5)
    )
    chart, same = chart_of(projection, CURVED), chart_of(projection, plain)
    assert (chart.height, chart.width) == pytest.approx((same.height, same.width), abs=8)
    view = View((0, same.height), (0, same.width), 120, 160)
    found, wanted = sampling(same, CURVED, view), sampling(same, plain, view)
    assert found is not None
    assert wanted is not None
    assert (np.isfinite(found.rows) != np.isfinite(wanted.rows)).mean() < 2e-4
    there = np.isfinite(found.rows) & np.isfinite(wanted.rows)
    assert np.abs(found.rows - wanted.rows)[there].max() < 0.02
    away = np.abs(found.columns - wanted.columns)[there]
    assert np.minimum(away, 180 - away).max() < 0.02


@pytest.mark.parametrize("projection", ALL)
def test_a_fold_and_two_poles_leave_no_gaps_on_maps_of_the_world(projection: Projection) -> None:
    lon, lat = tripolar(120, 70, 25)
    plane = PlaneMap(95, 120, CurvedGrid(lon, lat))
    chart = chart_of(projection, plane)
    found = sampling(chart, plane, View((0, chart.height), (0, chart.width), 150, 200))
    assert found is not None
    top, left, bottom, right = found.rect
    down = top + (np.arange(150) + 0.5) * (bottom - top) / 150
    along = left + (np.arange(200) + 0.5) * (right - left) / 200
    rows, columns = np.meshgrid(down, along, indexing="ij")
    east, north = chart.to_earth(rows.ravel(), columns.ravel())
    # Everything that the projection shows north of the grid's southern edge has an element.
    same = sampling(chart, WORLD, View((0, chart.height), (0, chart.width), 150, 200))
    assert same is not None
    shown = np.isfinite(same.rows) & (np.nan_to_num(same.rows, nan=999) < 90 + 79)
    assert (shown & ~np.isfinite(found.rows)).sum() <= 2
    there = np.isfinite(found.rows)
    row, column = (np.floor(one[there] + 0.5).astype(int) for one in (found.rows, found.columns))
    places_shown = directions(east, north).reshape(150, 200, 3)[there]
    away = np.linalg.norm(places_shown - directions(lon[row, column], lat[row, column]), axis=1)
    assert np.degrees(away).max() < 3.5, "no element is drawn far from its centre"


def test_holes_of_a_curved_grid_stay_holes() -> None:
    lon, lat = turned(60, 120)
    lat[20:30, 30:50] = np.nan
    plane = PlaneMap(60, 120, CurvedGrid(lon, lat))
    chart = chart_of(Projection.MOLLWEIDE, plane)
    found = sampling(chart, plane, View((0, chart.height), (0, chart.width), 200, 300))
    assert found is not None
    there = np.isfinite(found.rows)
    row, column = (np.floor(one[there] + 0.5).astype(int) for one in (found.rows, found.columns))
    assert not ((row >= 20) & (row < 30) & (column >= 30) & (column < 50)).any()
    whole = sampling(
        chart,
        PlaneMap(60, 120, CurvedGrid(*turned(60, 120))),
        View((0, chart.height), (0, chart.width), 200, 300),
    )
    assert whole is not None
    missing = np.isfinite(whole.rows) & ~there
    assert 0.005 < missing.mean() < 0.1


def test_a_sampling_stops_when_it_is_cancelled() -> None:
    chart = chart_of(Projection.ROBINSON)
    with pytest.raises(Cancelled):
        sampling(chart, WORLD, View((0, chart.height), (0, chart.width), 500, 500), lambda: True)


def test_the_middle_of_a_view_is_that_of_the_nearest_element_with_a_place() -> None:
    view = View((10, 20), (40, 60), 100, 100)
    assert middle_of(WORLD, view) == pytest.approx((50, 75))
    lon, lat = turned(60, 120, 0.0)
    lat[28:33, 58:63] = np.nan
    plane = PlaneMap(60, 120, CurvedGrid(lon, lat))
    east, north = middle_of(plane, View((-5, 70), (-0.5, 119.5), 100, 100))
    assert (east % 360, north) == pytest.approx((178, 0), abs=25)
    lat[:] = np.nan
    assert middle_of(PlaneMap(60, 120, CurvedGrid(lon, lat)), view) == (0.0, 0.0)


@pytest.mark.parametrize("latitude", [-90.0, -40.0, -1.0, 0.0, 1.0, 40.0, 90.0])
@pytest.mark.parametrize("projection", [Projection.LAMBERT, Projection.ALBERS])
def test_cones_are_of_the_hemisphere_of_their_centre(projection: Projection, latitude: float) -> None:
    chart = projected(projection, WORLD, 20.0, latitude)
    side = -1.0 if latitude < 0 else 1.0
    rows, columns = chart.to_plane(np.array([20.0, 60.0]), np.array([30.0, 70.0]) * side)
    found = places(chart, WORLD, np.asarray(rows), np.asarray(columns))
    assert found[0] == pytest.approx(90 - np.array([30.0, 70.0]) * side, abs=0.02)
    assert found[1] == pytest.approx([20.0, 60.0], abs=0.02)
    up, _ = chart.to_plane(np.array([20.0, 20.0]), np.array([30.0, 50.0]))
    assert up[1] < up[0], "the north is up"


@pytest.mark.parametrize("longitude", [-180.0, 0.0, 20.0, 179.0])
def test_a_map_of_the_world_has_both_its_edges(longitude: float) -> None:
    chart = projected(Projection.ROBINSON, WORLD, longitude, 0.0)
    rows, columns = chart.to_plane(longitude + np.array([-179.9, 179.9]), np.zeros(2))
    assert -0.5 <= columns[0] < 2
    assert chart.width - 3 < columns[1] <= chart.width
    assert rows[0] == pytest.approx(chart.height / 2, abs=2)


def test_only_the_part_in_view_is_sampled() -> None:
    chart = chart_of(Projection.MERCATOR)
    found = sampling(chart, WORLD, View((900, 1000), (900, 1100), 50, 100))
    assert found is not None
    assert found.rows.shape == (50, 100)
    assert sampling(chart, WORLD, View((9000, 9900), (900, 1100), 50, 100)) is None


def test_a_map_of_a_region_is_as_large_as_the_region() -> None:
    europe = PlaneMap(40, 50, SeparateGrid(np.arange(70.0, 30, -1), np.arange(-10.0, 40)), far=(-10.5, 39.5))
    chart = chart_of(Projection.ORTHOGRAPHIC, europe)
    found = sampling(chart, europe, View((0, chart.height), (0, chart.width), 100, 100))
    assert found is not None
    assert np.isfinite(found.rows).mean() > 0.6


def test_grids_of_a_projection_are_projected_again() -> None:
    transformer = pyproj.Transformer.from_crs("EPSG:3413", "OGC:CRS84", always_xy=True)
    polar = PlaneMap(80, 80, AffineGrid((1e5, 0, -4e6, 0, -1e5, 4e6)), transformer=transformer)
    chart = chart_of(Projection.ORTHOGRAPHIC, polar)
    rows, columns = np.array([10.0, 40.0]), np.array([30.0, 60.0])
    at = chart.to_plane(*polar.to_earth(rows, columns))
    assert np.allclose(places(chart, polar, *at), (rows, columns), atol=1e-6)


def test_what_a_projection_cannot_show_is_said() -> None:
    north = PlaneMap(30, 50, SeparateGrid(np.arange(80.0, 50, -1), np.arange(0.0, 50)), far=(-0.5, 49.5))
    with pytest.raises(ValueError, match="South polar stereographic maps do not show this part of the Earth"):
        chart_of(Projection.SOUTH, north)


def test_projections_are_available_with_pyproj(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_available()
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert not is_available()
