"""The plane that is shown first, and its moves and transpositions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.image.axes import Axes


@pytest.mark.parametrize(
    ("shape", "names", "rows", "columns", "index"),
    [
        ((5, 6), None, 0, 1, (2, 3)),
        ((4, 5, 6), None, 1, 2, (2, 2, 3)),
        ((128, 96, 24, 2), ("x", "y", "z", "time"), 1, 0, (64, 48, 12, 0)),
        ((7, 180, 360), ("time", "lat", "lon"), 1, 2, (0, 90, 180)),
        ((5, 6, 1), None, 0, 1, (2, 3, 0)),
        ((1, 6, 1), None, 1, 2, (0, 3, 0)),
        ((50, 60, 3), None, 0, 1, (25, 30, 1)),
        ((2, 60, 3), None, 1, 2, (1, 30, 1)),
        ((0, 0), None, 0, 1, (0, 0)),
    ],
)
def test_the_first_plane_has_the_most_likely_axes(
    shape: tuple[int, ...], names: tuple[str, ...] | None, rows: int, columns: int, index: tuple[int, ...]
) -> None:
    axes = Axes.initial(FakeArray(np.zeros(shape), names))
    assert (axes.rows, axes.columns, axes.index) == (rows, columns, index)


def test_rgb_components_have_their_own_axis() -> None:
    axes = Axes.initial(FakeArray(np.zeros((9, 64, 80, 3), np.uint8)))
    assert (axes.rows, axes.columns, axes.channel, axes.further) == (1, 2, 3, (0,))
    assert Axes.initial(FakeArray(np.zeros((9, 64, 3), np.float32))).channel is None


def test_choosing_the_same_axis_twice_swaps_rows_and_columns() -> None:
    axes = Axes.initial(FakeArray(np.zeros((4, 5, 6))))
    assert (axes.with_rows(2).rows, axes.with_rows(2).columns) == (2, 1)
    assert (axes.with_columns(0).rows, axes.with_columns(0).columns) == (1, 0)
    assert axes.with_columns(0).further == (2,)


def test_positions_are_clipped_to_the_array() -> None:
    axes = Axes.initial(FakeArray(np.zeros((4, 5, 6)), ("z", "y", "x")))
    assert axes.at(0, 99).index[0] == 3
    assert axes.at(0, -1).index[0] == 0
    assert axes.at(0, 1).describe() == "z = 1"


def test_columns_are_not_taken_for_colours() -> None:
    strip = np.zeros((2, 9, 3), np.uint8)
    assert Axes.initial(FakeArray(strip)).channel == 2
    assert Axes.initial(FakeArray(strip, ("c", "y", "x"))).channel is None


def test_positions_of_axes_of_the_same_name_and_length_are_taken_over() -> None:
    shown = Axes.initial(FakeArray(np.zeros((4, 3, 5, 6)), ("time", "z", "y", "x"))).at(0, 3).at(1, 2)
    sibling = Axes.initial(FakeArray(np.zeros((3, 4, 5, 6)), ("z", "time", "y", "x")))
    assert sibling.at_positions_of(shown).index[:2] == (2, 3)
    shorter = Axes.initial(FakeArray(np.zeros((3, 2, 5, 6)), ("z", "time", "y", "x")))
    assert shorter.at_positions_of(shown).index[:2] == (2, 0)
    nameless = Axes.initial(FakeArray(np.zeros((4, 3, 5, 6))))
    assert nameless.at_positions_of(nameless.at(0, 1)) == nameless
