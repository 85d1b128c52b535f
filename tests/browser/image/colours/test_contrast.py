"""Contrast bounds: exact extremes, percentiles, and never an empty range."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.image.colours.contrast import BINS, Contrast, ContrastMode, statistics
from zarrbrowser.image.colours.norm import Norm
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


def test_a_logarithm_starts_at_the_smallest_positive_value() -> None:
    found = statistics(np.array([0.0] * 50 + [3e-9, 2.0, 40.0]))
    for mode in (ContrastMode.PERCENTILES, ContrastMode.FULL_RANGE):
        low, high = found.levels(Contrast(mode), Norm.LOG)
        assert low == 3e-9
        assert high > 2
    assert found.levels(Contrast(ContrastMode.FIXED, -5.0, 7.0), Norm.LOG) == (3e-9, 7.0)
    assert found.levels(Contrast(ContrastMode.FIXED, 1.0, 7.0), Norm.LOG) == (1.0, 7.0)
    assert found.levels(Contrast(ContrastMode.FULL_RANGE)) == (0.0, 40.0)


def test_a_logarithm_of_no_positive_value_has_bounds() -> None:
    low, high = statistics(np.array([-3.0, -1.0])).levels(Contrast(), Norm.LOG)
    assert low < high


def test_the_logarithmic_histogram_counts_positive_values_by_their_exponents() -> None:
    counts, edges = statistics(np.array([-1.0, 0.0, 1e-3, 1.0, 1e3])).log_histogram()
    assert (counts.sum(), counts[0], counts[BINS // 2], counts[-1]) == (3, 1, 1, 1)
    assert edges[[0, -1]] == pytest.approx([-3, 3])
    counts, _edges = statistics(np.array([-1.0])).log_histogram()
    assert not counts.any()


def test_pooled_statistics_are_those_of_both_pictures() -> None:
    one, other = np.linspace(0, 1, 300_000), np.linspace(5, 9, 100_000)
    found, both = statistics(other).pooled(statistics(one)), statistics(np.concatenate([one, other]))
    assert (found.minimum, found.maximum) == (0, 9)
    assert found.percentiles == pytest.approx(both.percentiles, abs=0.1)
    assert found.histogram / found.histogram.sum() == pytest.approx(
        both.histogram / both.histogram.sum(), abs=0.01
    )
    assert (found.size, found.sampled_from) == (100_000, 400_000)


def test_pooled_counts_are_those_of_the_newer_picture() -> None:
    some, none = statistics(np.array([1.0, np.nan, 4.0])), statistics(np.array([np.nan, np.nan]))
    found = none.pooled(some)
    assert (found.minimum, found.maximum, found.nan_count, found.size) == (1, 4, 2, 2)
    found = some.pooled(none)
    assert (found.minimum, found.maximum, found.nan_count, found.size) == (1, 4, 1, 3)


def test_pooled_large_integers_keep_each_digit() -> None:
    first, second = (statistics(2**61 + np.array(part)) for part in ([0, 3], [9, 5]))
    found = second.pooled(first)
    assert found.levels(Contrast(ContrastMode.FULL_RANGE)) == (2**61, 2**61 + 9)
    assert sorted(found.sample + 0.0) == [0, 3, 5, 9]
    far = statistics(-(2**62) + np.array([0, 1])).pooled(first)
    assert far.offset == 0
    assert isinstance(far.minimum, float)
