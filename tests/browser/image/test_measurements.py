"""Profiles and statistics, compared with NumPy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray
from zarrbrowser.image import measurements
from zarrbrowser.image.levels import Channel, Image, image_of_array, level_of, whole
from zarrbrowser.image.measurements import read_profile, read_region
from zarrbrowser.image.view_settings import initial_settings

PLANE = np.random.default_rng(2).normal(size=(40, 60)).astype(np.float32)


@given(st.integers(0, 38), st.integers(1, 40), st.integers(0, 58), st.integers(1, 60))
def test_statistics_of_whole_elements(top: int, height: int, left: int, width: int) -> None:
    image = image_of_array(FakeArray(PLANE, chunks=(16, 16)))
    rows, columns = (top, min(40, top + height)), (left, min(60, left + width))
    facts = read_region(
        image, initial_settings(image), (rows[0] - 0.5, rows[1] - 0.5), (columns[0] - 0.5, columns[1] - 0.5)
    )
    part = PLANE[slice(*rows), slice(*columns)].astype(np.float64)
    assert (facts.rows, facts.columns, facts.size, facts.known) == (rows, columns, part.size, part.size)
    assert (facts.minimum, facts.maximum) == (part.min(), part.max())
    for found, expected in (
        (facts.mean, part.mean()),
        (facts.deviation, part.std()),
        (facts.total, part.sum()),
    ):
        assert found == pytest.approx(expected, abs=1e-9)
    assert facts.median == pytest.approx(np.median(part))


def test_missing_values_do_not_count() -> None:
    values = PLANE.copy()
    values[0, :5] = np.nan
    values[1, :5] = -1
    image = image_of_array(FakeArray(values))
    settings = initial_settings(image)
    settings = replace(settings, elements=replace(settings.elements, fill=(-1.0,)))
    facts = read_region(image, settings, (-0.5, 1.5), (-0.5, 5.5))
    assert (facts.size, facts.known) == (12, 2)
    assert "10 of them without a value" in facts.text()
    nothing = read_region(image, settings, (-0.5, 0.5), (-0.5, 2.5))
    assert nothing.known == 0
    assert math.isnan(nothing.mean)
    assert "mean" not in nothing.text()


@pytest.mark.parametrize("turned", [False, True])
@given(st.tuples(*[st.integers(0, 39)] * 4), st.sampled_from([-0.5, 0.0, 0.3]))
def test_profiles(turned: bool, ends: tuple[int, int, int, int], shift: float) -> None:
    image = image_of_array(FakeArray(PLANE[:, :40]))
    settings = initial_settings(image)
    if turned:
        settings = replace(settings, axes=settings.axes.with_rows(1))
    plane = PLANE[:, :40].T if turned else PLANE[:, :40]
    start, end = ends[:2], ends[2:]
    profile = read_profile(image, settings, (start[0] + shift, start[1]), (end[0] + shift, end[1]))
    assert profile.numbers[0] == plane[start]
    assert profile.numbers[-1] == plane[end]
    assert profile.distances[-1] == pytest.approx(math.dist(start, end))
    if start[0] == end[0] and start[1] < end[1]:
        assert np.array_equal(profile.numbers, plane[start[0], start[1] : end[1] + 1])


def test_the_first_channel_of_a_blend_is_measured() -> None:
    channels = (Channel("one", (255, 0, 0), is_on=False), Channel("two", (0, 255, 0)))
    array = FakeArray(np.stack([PLANE, PLANE * 2]))
    image = Image("/i", (whole(array),), ("c", "y", "x"), channel_axis=0, channels=channels, is_blended=True)
    facts = read_region(image, initial_settings(image), (-0.5, 9.5), (-0.5, 9.5))
    assert facts.text().startswith("two, 10 × 10 = 100 elements")
    assert facts.maximum == 2 * PLANE[:10, :10].max()
    assert read_profile(image, initial_settings(image), (0, 0), (0, 5)).channel == "two"


def test_large_regions_are_measured_at_a_coarser_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements, "ASK_ABOVE_BYTES", 2000)
    base, coarse = FakeArray(PLANE), FakeArray(PLANE[::4, ::4])
    image = Image(
        "/i",
        (whole(base), level_of(base.shape, coarse)),
        ("y", "x"),
        ("micrometer",) * 2,
        (2.0, 2.0),
        (0.0, 0.0),
    )
    facts = read_region(image, initial_settings(image), (-0.5, 39.5), (-0.5, 59.5))
    assert facts.level == 1
    assert facts.mean == pytest.approx(float(PLANE[::4, ::4].mean()), abs=1e-6)
    assert "of level 1" in facts.text()
    profile = read_profile(image, initial_settings(image), (2, 2), (2, 42))
    assert (profile.level, profile.units, profile.distances[-1]) == (1, "micrometer", 80)
    assert np.array_equal(profile.numbers, PLANE[0, :44:4])
    assert base.selections == []
