"""The areas of elements on Earth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from zarrbrowser.maps.areas import areas_km2
from zarrbrowser.maps.geography import AffineGrid, PlaneMap, SeparateGrid

WHOLE = 4 * math.pi * 6371.0088**2
NORTH, EAST = np.linspace(90, -90, 73), np.arange(0, 360, 5.0)


@pytest.mark.parametrize("is_transposed", [False, True])
def test_the_elements_of_a_global_grid_cover_the_earth(is_transposed: bool) -> None:
    size = (72, 73) if is_transposed else (73, 72)
    plane = PlaneMap(*size, SeparateGrid(NORTH, EAST), is_transposed)
    found = areas_km2(plane, (slice(0, size[0]), slice(0, size[1])))
    assert found.shape == size
    assert found.sum() == pytest.approx(WHOLE)
    rows = found.T if is_transposed else found
    assert rows[36, 0] == pytest.approx(rows[12, 0] / math.cos(math.radians(60)), rel=1e-3)


def test_elements_of_other_grids_are_flat_between_their_corners() -> None:
    class Halved:
        """Coordinates in half degrees."""

        @staticmethod
        def transform(x: np.ndarray, y: np.ndarray, **_options: object) -> tuple[np.ndarray, np.ndarray]:
            return x / 2, y / 2

    grid = AffineGrid((2.0, 0.0, 0.0, 0.0, -2.0, 100.0))
    plain = PlaneMap(20, 30, AffineGrid((1.0, 0.0, 0.0, 0.0, -1.0, 50.0)))
    other, window = PlaneMap(20, 30, grid, transformer=Halved()), (slice(3, 7), slice(10, 15))
    assert areas_km2(other, window) == pytest.approx(areas_km2(plain, window), rel=1e-3)
