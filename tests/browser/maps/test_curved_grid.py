"""Places of curved grids go to Earth and back, also if only some of the coordinates are used."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.maps.grids import tripolar, turned
from zarrbrowser.maps.curved_grid import CurvedGrid
from zarrbrowser.maps.sphere import directions


@pytest.mark.parametrize(("east", "north"), [turned(30, 50), tripolar(60, 40, 15)])
def test_places_go_to_earth_and_back(east: np.ndarray, north: np.ndarray) -> None:
    grid = CurvedGrid(east, north)
    rng = np.random.default_rng(0)
    rows, columns = (rng.uniform(1, size - 2, 500) for size in east.shape)
    rows = np.minimum(rows, east.shape[0] - 3.0)
    there = grid.coordinates(rows, columns)
    assert np.allclose(grid.places(*there), (rows, columns), atol=1e-3)
    at = grid.coordinates(*(one.ravel() for one in np.indices(east.shape)))
    away = np.linalg.norm(directions(*at) - directions(east.ravel(), north.ravel()), axis=1)
    assert away.reshape(east.shape)[1:-1].max() < np.radians(0.8), "near the centres that are told"


def test_outside_the_plane_there_are_no_coordinates() -> None:
    grid = CurvedGrid(*turned(30, 50))
    east, north = grid.coordinates(np.array([-0.6, 5.0, np.nan, 29.5]), np.array([3.0, 49.6, 2.0, 49.5]))
    assert np.isfinite(east).tolist() == [False, False, False, True]
    assert np.isfinite(north).tolist() == [False, False, False, True]


def test_a_part_of_the_coordinates_tells_the_places_between_them() -> None:
    east, north = turned(91, 181)
    at = np.arange(2, 91, 5), np.arange(2, 181, 5)
    grid = CurvedGrid(east[2::5, 2::5], north[2::5, 2::5], east.shape, at)
    rows, columns = np.meshgrid(np.arange(10, 81), np.arange(10, 171), indexing="ij")
    found = grid.places(east[10:81, 10:171], north[10:81, 10:171])
    assert np.abs(found[0] - rows).max() < 0.3
    assert np.abs(found[1] - columns).max() < 0.3
    ends = grid.coordinates(np.array([-0.5, 90.5]), np.array([-0.5, 180.5]))
    assert np.isfinite(ends).all(), "the cells at the edge reach to it"
