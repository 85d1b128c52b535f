"""Lines and pixels end at the edges of a box."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from zarrbrowser.drawing.clipping import pixels_within, polylines_within

BOX = QRectF(0, 0, 10, 10)


def cut(*places: tuple[float, float], connected: tuple[bool, ...] | None = None) -> list[list[list[float]]]:
    x, y = np.array(places, float).T
    wholes = np.array(connected or (True,) * len(places))
    return [[[p.x(), p.y()] for p in one.toList()] for one in polylines_within(x, y, wholes, BOX)]


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        (((1, 1), (5, 5), (9, 1)), [[[1, 1], [5, 5], [9, 1]]]),
        (((-5, 5), (15, 5)), [[[0, 5], [10, 5]]]),
        (((5, 5), (5, 15), (7, 15), (7, 5)), [[[5, 5], [5, 10]], [[7, 10], [7, 5]]]),
        (((-5, 12), (15, 12)), []),
        (((-5, 2), (2, -5)), []),
        (((-5, 5), (5, -5)), [[[0, 0], [0, 0]]]),
        (((3, -1), (3, 20)), [[[3, 0], [3, 10]]]),
    ],
)
def test_lines_are_cut(places: tuple[tuple[float, float], ...], wanted: list[object]) -> None:
    assert cut(*places) == wanted


def test_gaps_stay_gaps_also_with_points_that_are_not_finite() -> None:
    found = cut((1, 1), (2, 2), (np.nan, 3), (4, 4), (5, 5), connected=(True, False, False, True, False))
    assert found == [[[1, 1], [2, 2]], [[4, 4], [5, 5]]]
    assert cut((1, 1)) == []
    assert np.allclose(cut((5, -1e306), (5, 1e306)), [[[5, 0], [5, 10]]], atol=1e-5)


def test_pixels_outside_are_left_out() -> None:
    pixels = np.arange(6 * 4 * 4, dtype=np.uint8).reshape(6, 4, 4)
    some, place = pixels_within(pixels, QRectF(-5, -10, 20, 30), BOX)
    assert np.array_equal(some, pixels[2:4, 1:3])
    assert place == BOX
    some, place = pixels_within(pixels, QRectF(2, 2, 4, 6), BOX)
    assert some.shape == pixels.shape
    assert place == QRectF(2, 2, 4, 6)
    assert pixels_within(pixels, QRectF(20, 20, 4, 6), BOX)[0].size == 0
