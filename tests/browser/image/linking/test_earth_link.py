"""Two planes at the same place on Earth, each as stored or on a map."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.maps.grids import tripolar, turned
from zarrbrowser.image.linking.earth_link import Sheet, is_same_grid, place_in, prepare, ranges_in
from zarrbrowser.maps.curved_grid import CurvedGrid
from zarrbrowser.maps.geography import PlaneMap, SeparateGrid
from zarrbrowser.maps.projection import Projection
from zarrbrowser.maps.projections import projected


def plane(north: np.ndarray, east: np.ndarray) -> PlaneMap:
    far = (float(min(east) - 0.5 * abs(east[1] - east[0])), float(max(east) + 0.5 * abs(east[1] - east[0])))
    return PlaneMap(north.size, east.size, SeparateGrid(north, east), far=far)


def curved(grid: tuple[np.ndarray, np.ndarray]) -> PlaneMap:
    height, width = grid[0].shape
    return PlaneMap(height, width, CurvedGrid(*grid))


PACIFIC = plane(np.arange(89.5, -90, -1.0), np.arange(0.5, 360, 1.0))
ATLANTIC = plane(np.arange(-89.0, 90, 2.0), np.arange(-179.0, 180, 2.0))
EUROPE = plane(np.arange(35.0, 70, 0.5), np.arange(-10.0, 40, 0.5))


def on_map(flat: PlaneMap, projection: Projection, east: float = 10.0, north: float = 50.0) -> Sheet:
    return Sheet(flat, projected(projection, flat, east, north))


@pytest.mark.parametrize(("east", "north"), [(10.5, 50.5), (350.5, 0.5), (180.5, -70.5)])
def test_a_place_is_at_the_same_longitude_and_latitude(east: float, north: float) -> None:
    row, column = (float(one[0]) for one in PACIFIC.to_plane(np.array([east]), np.array([north])))
    there, shown = place_in(Sheet(PACIFIC), (row, column), Sheet(ATLANTIC))
    assert there == shown is not None
    found = [float(one) for one in ATLANTIC.to_earth(*there)]
    assert found == pytest.approx([(east + 180) % 360 - 180, north])
    on = on_map(ATLANTIC, Projection.ROBINSON)
    there, shown = place_in(Sheet(PACIFIC), (row, column), on)
    assert shown is not None
    assert on.chart is not None
    assert [float(one) for one in on.chart.to_earth(*shown)] == pytest.approx(found, abs=1e-6)


def test_a_place_that_the_other_cannot_show_has_none() -> None:
    behind = PACIFIC.to_plane(np.array([190.0]), np.array([-50.0]))
    place = float(behind[0][0]), float(behind[1][0])
    globe = on_map(ATLANTIC, Projection.ORTHOGRAPHIC)
    there, shown = place_in(Sheet(PACIFIC), place, globe)
    assert there is not None  # its value is known
    assert shown is None  # on the far side of the globe
    assert place_in(Sheet(PACIFIC), place, Sheet(EUROPE)) == (None, None)
    assert place_in(Sheet(PACIFIC), (-3.0, 5.0), Sheet(ATLANTIC)) == (None, None)


def test_an_element_at_a_pole_has_its_place_up_to_its_edge() -> None:
    with_poles = plane(np.arange(-90.0, 91, 5.0), np.arange(0.0, 360, 5.0))
    there, _shown = place_in(Sheet(with_poles), (-0.4, 20.0), Sheet(PACIFIC))
    assert there == pytest.approx((179.5, 99.5))


def test_a_part_in_view_is_the_same_part_of_the_other() -> None:
    # 0–20 °E, 40–60 °N: rows 30 to 49 of the one, 65 to 74 of the other, columns 90 to 99.
    found = ranges_in(Sheet(PACIFIC), (29.5, 49.5), (-0.5, 19.5), Sheet(ATLANTIC))
    assert found == (pytest.approx((64.5, 74.5)), pytest.approx((89.5, 99.5)))
    # Across the seam of the other plane: 170–190 °E.
    found = ranges_in(Sheet(PACIFIC), (29.5, 49.5), (169.5, 189.5), Sheet(ATLANTIC))
    assert found is not None
    assert found[1][1] - found[1][0] == pytest.approx(10.0)
    whole = ranges_in(Sheet(PACIFIC), (-9.0, 200.0), (-20.0, 380.0), Sheet(ATLANTIC))
    assert whole == (pytest.approx((-0.5, 89.5)), pytest.approx((-0.5, 179.5), abs=5))


@pytest.mark.parametrize("other", [Projection.ORTHOGRAPHIC, Projection.NORTH, Projection.LAMBERT])
def test_maps_in_other_projections_show_the_same_part(other: Projection) -> None:
    one, two = on_map(PACIFIC, Projection.ROBINSON), on_map(ATLANTIC, other)
    assert one.chart is not None
    row, column = (float(part[0]) for part in one.chart.to_plane(np.array([10.0]), np.array([50.0])))
    found = ranges_in(one, (row - 30, row + 30), (column - 30, column + 30), two)
    assert found is not None
    assert two.chart is not None
    middle = [float(part[0]) for part in two.chart.to_plane(np.array([10.0]), np.array([50.0]))]
    assert [sum(part) / 2 for part in found] == pytest.approx(middle, abs=6)
    back = ranges_in(two, *found, one)
    assert back is not None
    assert back[0][0] <= row - 25
    assert back[1][1] >= column + 25


def test_without_a_common_part_there_are_no_ranges() -> None:
    south = on_map(PACIFIC, Projection.SOUTH)
    assert south.chart is not None
    north = on_map(ATLANTIC, Projection.NORTH)
    size = south.chart.size
    assert ranges_in(south, (0, size[0]), (0, size[1]), north) is None
    assert ranges_in(Sheet(PACIFIC), (-30.0, -10.0), (0.0, 9.0), Sheet(ATLANTIC)) is None
    # The corner of a map of the world is not on Earth.
    robinson = on_map(PACIFIC, Projection.ROBINSON)
    assert ranges_in(robinson, (0.0, 3.0), (0.0, 3.0), Sheet(ATLANTIC)) is None


def test_curved_grids_take_part() -> None:
    model, other = Sheet(curved(turned(60, 120))), Sheet(ATLANTIC)
    prepare(model, other)
    place = (30.0, 60.0)
    there, _shown = place_in(model, place, other)
    assert there is not None
    back, _shown = place_in(other, there, model)
    assert back == pytest.approx(place, abs=0.2)
    assert not is_same_grid(model, other)
    assert not is_same_grid(model, Sheet(curved(tripolar())))
    assert is_same_grid(model, Sheet(curved(turned(60, 120, 10.0))))
