"""Contrast bounds: exact extremes, percentiles, and never an empty range."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.image.colours.contrast import Contrast, ContrastMode, statistics
from zarrcore.typing import AnyArray


def test_bounds_of_an_ordinary_picture() -> None:
    picture = np.arange(1001, dtype=np.float32).reshape(7, 143)
    found = statistics(picture)
    assert found.levels(Contrast(ContrastMode.FULL_RANGE)) == (0, 1000)
    assert found.levels(Contrast(ContrastMode.PERCENTILES)) == pytest.approx((10, 990))
    assert found.levels(Contrast(ContrastMode.FIXED, 3, 5)) == (3, 5)
    assert found.histogram.sum() == 1001


def test_values_that_are_not_finite_are_counted_separately() -> None:
    picture = np.array([[np.nan, 1.0, np.inf], [np.nan, 3.0, -np.inf]])
    found = statistics(picture)
    assert (found.nan_count, found.minimum, found.maximum, found.size) == (2, 1.0, 3.0, 6)


@pytest.mark.parametrize(
    "picture", [np.full((3, 3), np.nan), np.full((3, 3), 7.0), np.zeros((2, 2), np.uint8)]
)
def test_the_range_is_never_empty(picture: np.ndarray) -> None:
    for mode in ContrastMode:
        low, high = statistics(picture).levels(Contrast(mode, 2.0, 2.0))
        assert low < high


def test_a_mostly_empty_picture_is_not_black() -> None:
    picture = np.zeros((100, 100))
    picture[50, 50] = 9.0
    assert statistics(picture).levels(Contrast()) == (0.0, 9.0)


LARGEST = np.finfo(np.float64).max


@pytest.mark.parametrize(
    "picture",
    [
        np.abs(np.exp(1j * np.linspace(0, 6, 400)).reshape(20, 20)),
        np.array([[1, np.nextafter(1.0, 0)]]),
        np.array([[-LARGEST, LARGEST]]),
        np.array([[LARGEST, LARGEST]]),
        np.array([[0.0, 5e-324]]),
        np.array([[0.0, 1e-44]], np.float32),
        np.array([[-LARGEST, 0.0, np.inf, np.nan]]),
    ],
)
def test_every_picture_can_be_measured(picture: np.ndarray) -> None:
    found = statistics(picture)
    assert found.histogram.sum() == np.isfinite(picture).sum()
    assert np.isfinite(np.diff(found.bin_edges)).all()
    assert (np.diff(found.bin_edges) > 0).all()
    for mode in ContrastMode:
        low, high = found.levels(Contrast(mode, -LARGEST, LARGEST))
        assert 0 < high - low < np.inf


@pytest.mark.parametrize(
    ("numbers", "centre", "expected"),
    [
        (np.linspace(-1, 3, 401), 0.0, (-2.96, 2.96)),
        (np.linspace(0.5, 1.25, 401), 1.0, (0.5075, 1.4925)),
        (np.zeros(9), 0.0, (-1.0, 1.0)),
        (np.r_[np.zeros(999), 7.0], 0.0, (-7.0, 7.0)),
        (np.full(4, np.nan), 0.0, (-1.0, 1.0)),
    ],
)
def test_symmetric_bounds_are_at_the_same_distance_from_the_centre(
    numbers: AnyArray, centre: float, expected: tuple[float, float]
) -> None:
    wish = Contrast(ContrastMode.SYMMETRIC, centre - 1, centre + 1)
    assert statistics(numbers).levels(wish) == pytest.approx(expected)
