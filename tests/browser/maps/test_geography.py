"""Longitudes and latitudes of elements are those of the coordinates, or of pyproj; what cannot be used says why."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyproj
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.browser.maps.places import EAST, NORTH, angles, geography, opened, projected, written
from zarrbrowser.image.axes import Axes
from zarrbrowser.maps.geography import AffineGrid, SeparateGrid, geography_of
from zarrbrowser.maps.unknown_place import UnknownPlaceError

STEPS = arrays(np.float64, st.integers(1, 30), elements=st.floats(0.01, 5))


@given(STEPS, STEPS, st.booleans(), st.floats(-0.5, 1), st.floats(-0.5, 1))
def test_an_uneven_grid_goes_to_earth_and_back(
    down: np.ndarray, right: np.ndarray, falls: bool, row: float, column: float
) -> None:
    y, x = np.append(0, np.cumsum(down)), np.append(-50, np.cumsum(right) - 50)
    grid = SeparateGrid(y[::-1] if falls else y, x)
    rows, columns = np.array([row * y.size, 0.0]), np.array([column * x.size, x.size - 1.0])
    east, north = grid.coordinates(rows, columns)
    assert east[1] == x[-1]
    assert north[1] == (y[-1] if falls else y[0])
    assert np.allclose(grid.places(east, north), (rows, columns), atol=1e-6)


@given(*(st.floats(-5, 5) for _ in range(4)), st.floats(-10, 10), st.floats(-10, 10))
def test_a_turned_grid_goes_to_earth_and_back(
    a: float, b: float, d: float, e: float, row: float, column: float
) -> None:
    if abs(a * e - b * d) < 0.1:
        a, b, d, e = 1.0, 0.5, -0.5, 1.0
    grid = AffineGrid((a, b, 7.0, d, e, 9.0))
    x, y = grid.coordinates(np.array([row]), np.array([column]))
    assert x[0] == pytest.approx(a * (column + 0.5) + b * (row + 0.5) + 7)
    found = grid.places(x, y)
    assert (found[0][0], found[1][0]) == pytest.approx((row, column), abs=1e-9)


@pytest.mark.parametrize("longitudes", [np.arange(0, 360, 10), np.arange(-180, 180, 10), [0, 10, 15, 40]])
def test_cf_coordinates_are_the_places_of_elements(tmp_path: Path, longitudes: object) -> None:
    east = np.asarray(longitudes, np.float64)
    north = np.array([60.0, 20.0, 10.0, -30.0])
    found = geography(written(tmp_path, angles(north, east)))
    plane = found.plane(Axes((4, east.size), ("lat", "lon"), 0, 1, None, (0, 0)))
    assert plane is not None
    assert plane.to_earth(np.array([2]), np.array([3])) == (east[3], 10.0)
    assert plane.to_plane(east[3], np.array(10.0)) == (2.0, 3.0)
    turned = found.plane(Axes((4, east.size), ("lat", "lon"), 1, 0, None, (0, 0)))
    assert turned is not None
    assert turned.to_plane(east[3], np.array(10.0)) == (3.0, 2.0)


def test_longitudes_may_begin_again(tmp_path: Path) -> None:
    east = [350.0, 355.0, 0.0, 5.0]
    found = geography(written(tmp_path, angles([0.0, 1.0], east)))
    assert found.far == (347.5, 367.5)
    crossing = geography(written(tmp_path / "other", angles([0.0, 1.0], [170.0, 180.0, -170.0])))
    assert crossing.far == (165.0, 195.0)


def test_other_axes_are_no_map(tmp_path: Path) -> None:
    data = angles([0.0, 1.0, 2.0], [5.0, 6.0]).expand_dims(time=3)
    found = geography(written(tmp_path, data))
    assert found.axes == (1, 2)
    assert found.plane(Axes((3, 3, 2), ("time", "lat", "lon"), 0, 2, None, (0, 0, 0))) is None


@pytest.mark.parametrize(
    ("north", "east", "why"),
    [
        ([0.0, 2.0, 1.0], [0.0, 1.0], "the latitudes of this image neither only rise nor only fall"),
        ([0.0, 1.0, 1.0], [0.0, 1.0], "the latitudes of this image neither only rise nor only fall"),
        ([0.0, 1.0], [0.0, 5.0, 3.0], "the longitudes of this image neither only rise nor only fall"),
        ([0.0, np.nan], [0.0, 1.0], "some of the coordinates in /lat are missing"),
        ([0.0, 1.0], [0.0, np.inf], "some of the coordinates in /lon are missing"),
        ([0.0, 1.0], [-2000.0, 2000.0], "go around the Earth several times"),
    ],
)
def test_coordinates_that_cannot_be_used_say_why(
    tmp_path: Path, north: list[float], east: list[float], why: str
) -> None:
    with pytest.raises(UnknownPlaceError, match=why):
        geography(written(tmp_path, angles(north, east)))


def test_coordinates_of_another_length_are_none(tmp_path: Path) -> None:
    import zarr

    group = zarr.create_group(tmp_path / "data.zarr")
    group.create_array("v", shape=(3, 4), dtype="f4", dimension_names=("lat", "lon"))
    for name, attributes in (("lat", NORTH), ("lon", EAST)):
        one = group.create_array(name, data=np.arange(9.0), dimension_names=(name,))
        one.attrs.update(attributes)
    with pytest.raises(UnknownPlaceError, match=r"^$"):
        geography(f"{tmp_path / 'data.zarr'}#/v")


def test_plain_arrays_have_no_place(tmp_path: Path) -> None:
    with pytest.raises(UnknownPlaceError, match=r"^$"):
        geography(written(tmp_path, xr.Dataset({"v": (("a", "b"), np.zeros((3, 4)))})))


@pytest.mark.parametrize("crs", ["EPSG:32633", "EPSG:3413", "EPSG:3857"])
def test_coordinates_in_metres_are_those_of_pyproj(tmp_path: Path, crs: str) -> None:
    x, y = 4e5 + np.arange(20) * 1e3, 5e6 - np.arange(30) * 1e3
    image, find = opened(written(tmp_path, projected(crs, x, y)))
    plane = geography_of(image, find).plane(Axes.initial(image.base, image.names))
    assert plane is not None
    assert not plane.is_plain
    expected = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True).transform(x[7], y[11])
    east, north = plane.to_earth(np.array([11.0]), np.array([7.0]))
    assert (east[0], north[0]) == pytest.approx(expected, abs=1e-5)
    assert np.allclose(plane.to_plane(east, north), [[11.0], [7.0]], atol=1e-4)
    assert plane.degrees_per_element(11, 7) == pytest.approx(1e3 / 111e3, rel=0.5)


def test_a_rotated_pole_is_not_taken_for_plain_longitudes(tmp_path: Path) -> None:
    attributes = {
        "grid_mapping_name": "rotated_latitude_longitude",
        "grid_north_pole_latitude": 39.25,
        "grid_north_pole_longitude": -162.0,
    }
    x, y = np.arange(-20.0, 20.0, 2), np.arange(-18.0, 18.0, 2)
    data = xr.Dataset(
        {
            "v": (("rlat", "rlon"), np.zeros((y.size, x.size)), {"grid_mapping": "pole"}),
            "pole": ((), 0, attributes),
        },
        {
            "rlon": ("rlon", x, {"units": "degrees", "standard_name": "grid_longitude"}),
            "rlat": ("rlat", y, {"units": "degrees", "standard_name": "grid_latitude"}),
        },
    )
    image, find = opened(written(tmp_path, data))
    plane = geography_of(image, find).plane(Axes.initial(image.base, image.names))
    assert plane is not None
    east, north = plane.to_earth(np.array([9.0]), np.array([10.0]))
    assert (east[0], north[0]) == pytest.approx((18.0, 50.75), abs=0.01)


def test_projections_need_pyproj_and_degrees_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metres = written(tmp_path / "metres", projected("EPSG:32633", [4e5, 5e5], [5e6, 6e6]))
    grid = projected("EPSG:4326", [4.0, 5.0, 6.0], [50.0, 49.0])
    degrees = written(tmp_path / "degrees", grid)
    monkeypatch.setitem(sys.modules, "pyproj", None)
    with pytest.raises(UnknownPlaceError) as raised:
        geography(metres)
    assert str(raised.value).endswith("need the package pyproj: pip install 'zarrscope[gis]'")
    found = geography(degrees)
    assert found.far == (3.5, 6.5)


def test_a_system_that_proj_does_not_know_says_so(tmp_path: Path) -> None:
    data = projected("EPSG:32633", [4e5, 5e5], [5e6, 6e6])
    data["crs"].attrs = {"grid_mapping_name": "my own", "crs_wkt": "PROJCRS[nonsense"}
    with pytest.raises(UnknownPlaceError, match="PROJ does not know"):
        geography(written(tmp_path, data))
