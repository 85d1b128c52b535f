"""The tree finds the cells that brute force finds: on smooth grids, with holes, at poles, seams and folds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.browser.maps.grids import cells_with, tripolar, turned
from zarrbrowser.maps.cell_index import CellIndex
from zarrbrowser.maps.cells import cells_of
from zarrbrowser.maps.sphere import directions

ENDS = (0.5, 0.5)
GRIDS = {
    "turned": turned(24, 36),
    "tripolar": tripolar(48, 30, 12),
    "with a halo": tripolar(48, 30, 12, halo=2),
    "few columns": turned(40, 7),
}


def cells(name: str) -> np.ndarray:
    return cells_of(directions(*GRIDS[name]), ENDS, ENDS)


def check(grid: np.ndarray, places: np.ndarray) -> int:
    """Compare with brute force; returns how many places have a cell."""
    rows, columns = CellIndex(grid).find(places)
    for row, column, place in zip(rows, columns, places, strict=True):
        near = cells_with(grid, place, 1e-6)
        if np.isfinite(row):
            at = min(int(row), grid.shape[0] - 1), min(int(column), grid.shape[1] - 1)
            assert at in near, (at, near, place)
        else:
            assert not cells_with(grid, place, -1e-6), place
    return int(np.isfinite(rows).sum())


def anywhere(count: int, seed: int) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(count, 3))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.mark.parametrize("name", GRIDS)
def test_places_anywhere_have_the_cells_of_brute_force(name: str) -> None:
    found = check(cells(name), anywhere(400, 1))
    assert found > 300


@pytest.mark.parametrize("name", ["turned", "tripolar"])
def test_neighbouring_places_have_them_too(name: str) -> None:
    """They are found from one another, not by the tree."""
    east, north = np.meshgrid(np.linspace(-180, 180, 41), np.linspace(-89.9, 89.9, 15))
    check(cells(name), directions(east.ravel(), north.ravel()))
    check(cells(name), directions(np.linspace(20, 21, 200), np.linspace(59, 61, 200)))
    check(cells(name), directions(np.linspace(0, 360, 200), np.full(200, 90.0)))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_smooth_grid_with_holes_is_searched_like_by_brute_force(data: st.DataObject) -> None:
    rows, columns = data.draw(st.integers(2, 14)), data.draw(st.integers(2, 14))
    east, north = data.draw(st.floats(-180, 180)), data.draw(st.floats(-90, 90))
    step, shear = data.draw(st.floats(0.01, 4.0)), data.draw(st.floats(-0.6, 0.6))
    bend = data.draw(st.floats(-0.02, 0.02))
    down, along = np.meshgrid(np.arange(rows) - rows / 2, np.arange(columns) - columns / 2, indexing="ij")
    x, y = step * (along + shear * down + bend * down**2), step * (down + bend * along**2)
    flat = np.radians(np.stack([np.ones_like(x) * 57.29578, x, y], axis=-1))
    around, up = np.radians(east), np.radians(north)
    level = np.array([[np.cos(up), 0, -np.sin(up)], [0, 1, 0], [np.sin(up), 0, np.cos(up)]])
    spin = np.array([[np.cos(around), -np.sin(around), 0], [np.sin(around), np.cos(around), 0], [0, 0, 1]])
    centres = flat @ (spin @ level).T
    centres /= np.linalg.norm(centres, axis=-1, keepdims=True)
    holes = np.random.default_rng(data.draw(st.integers(0, 99))).random((rows, columns)) < data.draw(
        st.floats(0, 0.5)
    )
    centres[holes] = np.nan
    grid = cells_of(centres, ENDS, ENDS)
    assert np.isnan(grid[holes]).all()
    near = directions(*data.draw(st.just((east, north)))) + np.radians(step * 5) * anywhere(60, 3)
    check(grid, near / np.linalg.norm(near, axis=1, keepdims=True))


def test_the_centres_of_cells_are_in_their_middle() -> None:
    east, north = GRIDS["turned"]
    rows, columns = CellIndex(cells("turned")).find(directions(east, north).reshape(-1, 3))
    inner = np.s_[1:-1, 1:-1]
    assert np.abs(rows.reshape(east.shape) - np.arange(24)[:, None] - 0.5)[inner].max() < 0.05
    assert np.abs(columns.reshape(east.shape) - np.arange(36) - 0.5)[inner].max() < 0.05


def test_places_that_are_not_known_have_no_cell() -> None:
    rows, columns = CellIndex(cells("turned")).find(np.full((20, 3), np.nan))
    assert np.isnan(rows).all()
    assert np.isnan(columns).all()


def test_a_grid_of_holes_has_no_cells() -> None:
    rows, _ = CellIndex(np.full((5, 7, 4, 3), np.nan, np.float32)).find(anywhere(20, 0))
    assert np.isnan(rows).all()
