"""Profiles, compared with NumPy."""

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
from zarrbrowser.image.measurements import read_profile
from zarrbrowser.image.view_settings import initial_settings

PLANE = np.random.default_rng(2).normal(size=(40, 60)).astype(np.float32)


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


def test_rounding_adds_no_element_to_a_whole_length() -> None:
    image = image_of_array(FakeArray(PLANE))
    profile = read_profile(image, initial_settings(image), (6.0, 2.0), (6.0, 31.000000000001))
    assert np.array_equal(profile.numbers, PLANE[6, 2:32])
    image = image_of_array(FakeArray(np.broadcast_to(np.arange(4.0), (20_000_000, 4))))
    end = 10_000_029 + 2 * math.ulp(1e7)  # of the pixels of a long picture
    assert read_profile(image, initial_settings(image), (10_000_000.0, 1.0), (end, 1.0)).numbers.size == 30


def test_a_profile_has_a_curve_for_each_channel_that_is_shown() -> None:
    channels = (
        Channel("one", (255, 0, 0), is_on=False),
        Channel("two", (0, 255, 0)),
        Channel("three", (0, 0, 255)),
    )
    array = FakeArray(np.stack([PLANE, PLANE * 2, PLANE * 3]))
    image = Image("/i", (whole(array),), ("c", "y", "x"), channel_axis=0, channels=channels, is_blended=True)
    profile = read_profile(image, initial_settings(image), (0, 0), (0, 5))
    assert [(one.channel, one.colour) for one in profile.curves] == [
        ("two", (0, 255, 0)),
        ("three", (0, 0, 255)),
    ]
    for factor, one in zip((2, 3), profile.curves, strict=True):
        assert np.array_equal(one.numbers, (PLANE * np.float32(factor))[0, :6].astype(np.float64))


def test_a_profile_of_a_colour_picture_has_three_curves() -> None:
    picture = np.random.default_rng(1).integers(0, 255, (20, 30, 4), dtype=np.uint8)
    image = image_of_array(FakeArray(picture))
    profile = read_profile(image, initial_settings(image), (3, 2), (3, 9))
    assert [one.channel for one in profile.curves] == ["red", "green", "blue"]
    assert np.array_equal(profile.curves[1].numbers, picture[3, 2:10, 1])


def test_long_profiles_are_read_from_a_coarser_level(monkeypatch: pytest.MonkeyPatch) -> None:
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
    profile = read_profile(image, initial_settings(image), (2, 2), (2, 42))
    assert (profile.level, profile.units, profile.distances[-1]) == (1, "micrometer", 80)
    assert np.array_equal(profile.numbers, PLANE[0, :44:4])
    assert base.selections == []
