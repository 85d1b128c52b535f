"""Grids of coordinate variables agree with rioxarray's rule: cells around their centres."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.conventions.geo.grids import GEOGRAPHIC, grid_of_coordinates


def hierarchy_of(y: Any, x: Any, names: tuple[str, str] = ("y", "x"), **units: str) -> zarrcore.Hierarchy:
    hierarchy = zarrcore.create("memory://")
    for name, values in zip(names, (y, x), strict=True):
        values = np.asarray(values)
        attributes = {"units": units[name]} if name in units else {}
        hierarchy.create_array(
            name, shape=values.shape, dtype=values.dtype, dimension_names=[name], attributes=attributes
        )[...] = values
    shape = (2, len(y), len(x))
    hierarchy.create_array("v", shape=shape, dtype="uint8", dimension_names=["time", *names])
    return hierarchy


@given(
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
    st.floats(0.01, 1e4),
    st.floats(0.01, 1e4),
    st.booleans(),
    st.integers(2, 20),
    st.integers(2, 20),
)
def test_even_coordinates(
    x0: float, y0: float, right: float, down: float, north_up: bool, rows: int, columns: int
) -> None:
    down = -down if north_up else down
    hierarchy = hierarchy_of(y0 + down * np.arange(rows), x0 + right * np.arange(columns))
    found = grid_of_coordinates(hierarchy["v"], hierarchy.node)
    assert found is not None
    assert found.crs is None
    assert found.transform == pytest.approx(
        (right, 0, x0 - right / 2, 0, down, y0 - down / 2), rel=1e-6, abs=1e-5
    )
    assert found.bounds is not None
    assert found.bounds[2] - found.bounds[0] == pytest.approx(right * columns, rel=1e-5)


def test_degrees_are_geographic() -> None:
    hierarchy = hierarchy_of(
        [50.0, 49.5], [5.0, 5.5], ("lat", "lon"), lat="degrees_north", lon="degrees_east"
    )
    found = grid_of_coordinates(hierarchy["v"], hierarchy.node)
    assert found is not None
    assert (found.crs, found.bounds) == (GEOGRAPHIC, (4.75, 49.25, 5.75, 50.25))


@pytest.mark.parametrize(
    ("y", "x"),
    [
        ([0.0, 1.0, 3.0], [0.0, 1.0]),
        ([0.0, 0.0], [0.0, 1.0]),
        ([0.0, np.nan], [0.0, 1.0]),
        ([0.0], [0.0, 1.0]),
        (np.array(["a", "b"]), [0.0, 1.0]),
    ],
)
def test_coordinates_that_are_not_even(y: Any, x: Any) -> None:
    hierarchy = hierarchy_of(y, x)
    assert grid_of_coordinates(hierarchy["v"], hierarchy.node) is None


def test_coordinates_in_float32_are_even_within_their_precision() -> None:
    hierarchy = hierarchy_of(np.linspace(60, 30, 301, dtype="f4"), np.linspace(-10, 40, 501, dtype="f4"))
    found = grid_of_coordinates(hierarchy["v"], hierarchy.node)
    assert found is not None
    assert found.transform is not None
    assert found.transform[0] == pytest.approx(0.1, rel=1e-6)


def test_without_coordinates_or_names_there_is_no_grid() -> None:
    hierarchy = hierarchy_of([0.0, 1.0], [0.0, 1.0])
    hierarchy.create_array("w", shape=(2, 2), dtype="uint8", dimension_names=["lat", "lon"])
    hierarchy.create_array("u", shape=(2, 2), dtype="uint8")
    hierarchy.create_array("z", shape=(3, 2), dtype="uint8", dimension_names=["y", "x"])
    for name in ("w", "u", "z"):
        assert grid_of_coordinates(hierarchy[name], hierarchy.node) is None
