"""Places that planes and maps show, and places that they do not."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.maps.geography import PlaneMap, SeparateGrid
from zarrbrowser.maps.placement import on_earth, on_plane
from zarrbrowser.maps.projection import Projection
from zarrbrowser.maps.projections import projected

WORLD = PlaneMap(180, 360, SeparateGrid(np.arange(89.5, -90, -1.0), np.arange(0.5, 360)), far=(0.0, 360.0))


def test_a_plane_of_longitudes_has_each_place_once() -> None:
    rows, columns = on_plane(
        WORLD, np.array([-0.5, 359.5, 719.5, 10.0, np.nan]), np.array([0.5] * 3 + [91, 0])
    )
    assert rows[:3] == pytest.approx([89.0] * 3)
    assert columns[:3] == pytest.approx([359.0] * 3)
    assert np.isnan(rows[3:]).all()
    assert np.isnan(columns[3:]).all()


def test_off_the_plane_there_is_no_place() -> None:
    east, north = on_earth(WORLD, np.array([0.0, -1.0, 90.0, np.nan]), np.array([0.0, 0.0, 360.0, 0.0]))
    assert (east[0], north[0]) == (0.5, 89.5)
    assert np.isnan(east[1:]).all()
    assert np.isnan(north[1:]).all()


@pytest.mark.parametrize("projection", [Projection.ROBINSON, Projection.ORTHOGRAPHIC, Projection.MOLLWEIDE])
def test_a_map_shows_what_comes_back(projection: Projection) -> None:
    chart = projected(projection, WORLD, 0.0, 0.0)
    rows, columns = on_plane(chart, np.array([10.0, 30.0]), np.array([20.0, -40.0]))
    east, north = on_earth(chart, rows, columns)
    assert east == pytest.approx([10.0, 30.0], abs=1e-4)
    assert north == pytest.approx([20.0, -40.0], abs=1e-4)
    # The corner of the picture is beyond the edge of the Earth.
    assert np.isnan(on_earth(chart, np.array([1.0]), np.array([1.0]))[0]).all()


def test_the_far_side_of_a_globe_is_not_on_it() -> None:
    globe = projected(Projection.ORTHOGRAPHIC, WORLD, 0.0, 0.0)
    rows, _columns = on_plane(globe, np.array([180.0, 0.0]), np.array([0.0, 0.0]))
    assert np.isnan(rows[0])
    assert np.isfinite(rows[1])
