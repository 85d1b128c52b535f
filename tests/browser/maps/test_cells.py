"""Corners lie halfway between neighbours, or are those of bounds; holes and jumps of a grid have no cells across them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.maps.grids import tripolar, turned
from zarrbrowser.maps.cells import cells_of, edges, with_bounds
from zarrbrowser.maps.sphere import angles, directions

ENDS = (0.5, 0.5)
EAST, NORTH = np.meshgrid(np.arange(10.0, 20), np.arange(40.0, 46))


def corners(east: np.ndarray, north: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return angles(cells_of(directions(east, north), ENDS, ENDS).astype(np.float64))


def widths(cells: np.ndarray) -> np.ndarray:
    """The diagonals of cells."""
    return np.linalg.norm(cells[:, :, 0] - cells[:, :, 3], axis=-1)


def test_corners_are_halfway_between_the_centres() -> None:
    east, north = corners(EAST, NORTH)
    for at, (down, along) in enumerate([(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)]):
        assert np.allclose(east[:, :, at], EAST + along, atol=0.01)
        assert np.allclose(north[:, :, at], NORTH + down, atol=0.01)


def test_cells_of_the_whole_earth_meet_at_its_seam() -> None:
    cells = cells_of(directions(*turned(20, 30)), ENDS, ENDS)
    assert np.allclose(cells[:, -1, 1], cells[:, 0, 0], atol=1e-6)
    assert np.allclose(cells[:, -1, 3], cells[:, 0, 2], atol=1e-6)


def test_a_hole_stays_a_hole_and_its_neighbours_keep_their_size() -> None:
    whole = cells_of(directions(EAST, NORTH), ENDS, ENDS)
    north = NORTH.copy()
    north[2, 3] = np.nan
    cells = cells_of(directions(EAST, north), ENDS, ENDS)
    assert np.isnan(cells[2, 3]).all()
    assert np.isfinite(cells).all(axis=(2, 3)).sum() == NORTH.size - 1
    there = np.isfinite(cells)
    assert np.allclose(cells[there], whole[there], atol=3e-4)


@pytest.mark.parametrize("axis", [0, 1])
def test_nothing_is_drawn_across_a_jump(axis: int) -> None:
    """Two tiles in one array, as in grids of several faces."""
    east = np.concatenate([EAST, EAST + 120], axis=axis)
    north = np.concatenate([NORTH, NORTH - 60], axis=axis)
    cells = cells_of(directions(east, north), ENDS, ENDS)
    assert np.isfinite(cells).all()
    assert widths(cells).max() < np.radians(1.6)


def test_places_that_models_leave_out_are_not_joined_with_others() -> None:
    """NEMO writes 0 for the coordinates of processors without an ocean."""
    east, north = EAST.copy(), NORTH.copy()
    east[:, 4:7] = north[:, 4:7] = 0.0
    east[5, 9] = north[5, 9] = 0.0
    cells = cells_of(directions(east, north), ENDS, ENDS)
    assert np.nanmax(widths(cells)) < np.radians(1.6)
    assert np.isfinite(cells[:5, :4]).all()
    assert np.isnan(cells[5, 9]).all()


def test_cells_of_a_fold_do_not_smear() -> None:
    cells = cells_of(directions(*tripolar(120, 70, 25)), ENDS, ENDS)
    assert np.isfinite(cells).all()
    assert widths(cells).max() < np.radians(6)


@pytest.mark.parametrize("order", [(0, 1, 3, 2), (3, 2, 0, 1), (2, 3, 1, 0), (1, 3, 2, 0)])
def test_bounds_may_go_around_either_way_from_any_corner(order: tuple[int, ...]) -> None:
    cells = cells_of(directions(EAST, NORTH), ENDS, ENDS)
    moved = (cells + np.float32(0.001)).astype(np.float64)
    around = moved[:, :, list(order)]
    around[0, 0] = np.nan
    around[1, 1] = -around[1, 1]
    found = with_bounds(cells, around)
    assert np.allclose(found[2:], moved[2:], atol=1e-6)
    assert np.allclose(found[0, 0], cells[0, 0]), "bounds that are missing"
    assert np.allclose(found[1, 1], cells[1, 1]), "bounds on the other side of the Earth"


def test_edges_are_halfway_and_at_the_ends() -> None:
    assert edges(np.array([1.0, 4.0, 7.0]), 10).tolist() == [-0.5, 2.5, 5.5, 9.5]
