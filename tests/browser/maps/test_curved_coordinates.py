"""Two-dimensional longitudes and latitudes as models write them, in files of xarray."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from tests.browser.maps.grids import tripolar
from tests.browser.maps.places import EAST, NORTH, geography, opened, projected, written
from zarrbrowser.image.axes import Axes
from zarrbrowser.maps import curved_coordinates
from zarrbrowser.maps.curved_coordinates import curved_grid_of
from zarrbrowser.maps.curved_grid import CurvedGrid
from zarrbrowser.maps.unknown_place import UnknownPlaceError
from zarrbrowser.nodes.read_cost import Cancelled

LON, LAT = tripolar(72, 40, 12)


def ocean(
    lon: object = LON, lat: object = LAT, dims: tuple[str, ...] = ("j", "i"), **more: object
) -> xr.Dataset:
    values = np.zeros((3, *LON.shape), np.float32)
    coordinates = {"nav_lat": (dims, lat, NORTH), "nav_lon": (dims, lon, EAST), **more}
    return xr.Dataset({"v": (("time", "j", "i"), values)}, coordinates)


def grid_of(folder: Path, data: xr.Dataset) -> CurvedGrid:
    found = geography(written(folder, data)).grid
    assert isinstance(found, CurvedGrid)
    return found


def test_the_coordinates_that_an_attribute_names_are_the_places_of_elements(tmp_path: Path) -> None:
    found = geography(written(tmp_path, ocean()))
    assert found.axes == (1, 2)
    for rows, columns in ((1, 2), (2, 1)):
        plane = found.plane(Axes((3, *LON.shape), ("time", "j", "i"), rows, columns, None, (0, 0, 0)))
        assert plane is not None
        assert plane.is_curved
        assert not plane.is_plain
        at = plane.to_plane(LON[7, 5], LAT[7, 5])
        wanted = (7, 5) if rows == 1 else (5, 7)
        assert np.allclose([float(one) for one in at], wanted, atol=0.1)
        east, north = plane.to_earth(*map(np.array, wanted))
        assert (float(east) % 360, float(north)) == pytest.approx((LON[7, 5], LAT[7, 5]), abs=0.8)
    assert found.plane(Axes((3, *LON.shape), ("time", "j", "i"), 0, 1, None, (0, 0, 0))) is None


def test_the_geography_tells_the_coordinates_of_an_element(tmp_path: Path) -> None:
    found = geography(written(tmp_path, ocean()))
    text = found.text((2, 7, 5))
    assert text.startswith("lat -53.8")
    assert "°N, lon -119.5" in text
    assert found.text((2, 700, 5)) == ""


def test_missing_and_impossible_coordinates_are_holes(tmp_path: Path) -> None:
    lon, lat = LON.copy(), LAT.copy()
    lat[4, 4], lon[6, 6], lat[8, 8] = np.nan, 1e20, 999.0
    cells = grid_of(tmp_path, ocean(lon, lat)).cells
    holes = np.argwhere(np.isnan(cells).all(axis=(2, 3)))
    assert holes.tolist() == [[4, 4], [6, 6], [8, 8]]


def test_zeros_for_both_coordinates_are_holes_unless_there_are_few(tmp_path: Path) -> None:
    lon, lat = LON.copy(), LAT.copy()
    lon[20:23, 30:33] = lat[20:23, 30:33] = 0
    cells = grid_of(tmp_path / "many", ocean(lon, lat)).cells
    assert np.argwhere(np.isnan(cells).all(axis=(2, 3))).tolist() == [
        [row, column] for row in range(20, 23) for column in range(30, 33)
    ]
    east, north = np.meshgrid(np.arange(-36.0, 36), np.arange(-26.0, 26))
    assert np.isfinite(grid_of(tmp_path / "one", ocean(east, north)).cells).all()


def test_coordinates_that_cannot_be_read_are_a_reason(tmp_path: Path) -> None:
    address = written(tmp_path, ocean())
    for chunk in (tmp_path / "data.zarr/nav_lat/c").glob("*/*"):
        chunk.write_bytes(b"no chunk")
    with pytest.raises(UnknownPlaceError, match="No map: the coordinates in /nav_lat cannot be read"):
        geography(address)


def test_coordinates_may_repeat_for_each_time_but_must_not_move(tmp_path: Path) -> None:
    repeated = [np.broadcast_to(one, (3, *LON.shape)) for one in (LON, LAT)]
    grid = grid_of(tmp_path / "still", ocean(*repeated, dims=("time", "j", "i")))
    assert np.array_equal(grid.cells, CurvedGrid(LON, LAT).cells)
    moving = repeated[0] + np.arange(3)[:, None, None]
    with pytest.raises(UnknownPlaceError, match="No map: the grid moves along time"):
        geography(written(tmp_path / "moving", ocean(moving, repeated[1], dims=("time", "j", "i"))))


def test_cells_have_the_corners_of_their_bounds(tmp_path: Path) -> None:
    east, north = np.meshgrid(np.arange(10.0, 20), np.arange(40.0, 46))
    around = [(-0.5, -0.4), (0.5, -0.4), (0.5, 0.6), (-0.5, 0.6)]
    bounds = {
        "lon_b": (("j", "i", "n"), np.stack([east + x for x, _ in around], axis=-1)),
        "lat_b": (("j", "i", "n"), np.stack([north + y for _, y in around], axis=-1)),
    }
    coordinates = {
        "lat": (("j", "i"), north, {**NORTH, "bounds": "lat_b"}),
        "lon": (("j", "i"), east, {**EAST, "bounds": "lon_b"}),
    }
    data = xr.Dataset({"v": (("j", "i"), north), **bounds}, coordinates)
    grid = grid_of(tmp_path, data)
    assert grid.coordinates(np.array([-0.5]), np.array([-0.5])) == pytest.approx((9.5, 39.6), abs=1e-4)
    without = grid_of(tmp_path / "without", data.drop_vars("lat_b"))
    assert without.coordinates(np.array([-0.5]), np.array([-0.5])) == pytest.approx((9.5, 39.5), abs=0.01)


def test_of_large_grids_a_part_of_the_coordinates_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curved_coordinates, "MOST_CELLS", 1000)
    grid = grid_of(tmp_path, ocean())
    assert grid.cells.shape[0] * grid.cells.shape[1] <= 1100
    assert grid.shape == LON.shape
    rows, columns = grid.places(LON[5:15, 5:10], LAT[5:15, 5:10])
    assert np.abs(rows - np.arange(5, 15)[:, None]).max() < 0.5
    assert np.abs(columns - np.arange(5, 10)).max() < 0.5


def test_larger_coordinates_than_may_be_read_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = written(tmp_path, ocean())
    monkeypatch.setattr(curved_coordinates, "ASK_ABOVE_BYTES", 1000)
    with pytest.raises(
        UnknownPlaceError, match=r"No map: the coordinates of this image are too large \(58.5 KiB\)."
    ):
        geography(address)


def test_images_without_such_coordinates_have_no_curved_grid(tmp_path: Path) -> None:
    plain = xr.Dataset({"v": (("j", "i"), np.zeros((3, 4)))})
    assert curved_grid_of(*opened(written(tmp_path / "none", plain))) is None
    lost = xr.Dataset({"v": (("j", "i"), np.zeros((3, 4)), {"coordinates": "lat lon"})})
    assert curved_grid_of(*opened(written(tmp_path / "lost", lost))) is None
    other = ocean().drop_vars("nav_lat")
    assert curved_grid_of(*opened(written(tmp_path / "other", other))) is None
    with pytest.raises(UnknownPlaceError, match="coordinates of this image are missing"):
        geography(written(tmp_path / "missing", ocean(np.full_like(LON, np.nan))))


def test_a_crs_that_is_not_known_gives_way_to_coordinates(tmp_path: Path) -> None:
    x, y = np.arange(0.0, 40) * 1e5, np.arange(0.0, 30) * 1e5
    data = projected("EPSG:3413", x, y)
    lon, lat = np.meshgrid(np.linspace(0, 50, 40), np.linspace(50, 80, 30))
    data = data.assign_coords(lon=(("y", "x"), lon, EAST), lat=(("y", "x"), lat, NORTH))
    assert not isinstance(geography(written(tmp_path / "known", data)).grid, CurvedGrid)
    data["crs"].attrs = {"grid_mapping_name": "of_another_planet"}
    assert isinstance(geography(written(tmp_path / "unknown", data)).grid, CurvedGrid)


def test_reading_stops_when_it_is_cancelled(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        curved_grid_of(*opened(written(tmp_path, ocean())), lambda: True)
