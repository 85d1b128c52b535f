"""The text about the element under the pointer, without a window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Channel, Image, image_of_array, level_of, whole
from zarrbrowser.image.probe import (
    describe,
    describe_number,
    element_at,
    exact,
    is_exact,
    probe,
    sample_at,
)
from zarrbrowser.image.tiles.frames import Mosaic
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.values.elements import Elements, Part
from zarrcore.conventions.cf import Packing

PLANE = np.arange(1200, dtype=np.int32).reshape(30, 40)


def mosaic_of(raster: Raster, is_there: Any = None) -> Mosaic:
    """All samples of a raster."""
    height, width = raster.shape
    window = (slice(0, height), slice(0, width))
    return Mosaic(raster, window, raster.read(window), is_there)


def test_an_element_covers_half_a_step_around_its_centre() -> None:
    assert element_at((0.49, -0.49)) == (0, 0)
    assert element_at((0.5, -0.51)) == (1, -1)


@pytest.mark.parametrize("steps", [(1, 1), (2, 4)])
def test_the_sample_at_a_position_is_the_one_drawn_there(steps: tuple[int, int]) -> None:
    array = FakeArray(PLANE)
    raster = Raster.of(whole(array), Axes.initial(array), steps)
    part = Mosaic(raster, (slice(2, 6), slice(3, 9)), raster.read((slice(2, 6), slice(3, 9))), None)
    for row in range(2, 6):
        for column in range(3, 9):
            place = raster.to_base(0, row), raster.to_base(1, column)
            assert sample_at(part, place) == PLANE[row * steps[0], column * steps[1]]
    assert sample_at(part, (raster.to_base(0, 1), raster.to_base(1, 4))) is None
    assert sample_at(part, (raster.to_base(0, 3), raster.to_base(1, 9))) is None


def test_a_sample_that_is_not_loaded_has_no_value() -> None:
    image = image_of_array(FakeArray(PLANE, ("y", "x")))
    raster = Raster.of(image.levels[0], initial_settings(image).axes)
    is_there = np.ones(PLANE.shape, bool)
    is_there[3, 4] = False
    mosaic = mosaic_of(raster, is_there)
    assert sample_at(mosaic, (3, 4)) is None
    assert probe(initial_settings(image), [mosaic], (3, 4)) == "y = 3, x = 4:  not read yet"
    assert (
        probe(initial_settings(image), [mosaic], (3.4, 4.6), array=array_in("mm")) == "y = 3, x = 5:  125 mm"
    )
    assert probe(initial_settings(image), [mosaic], (-1, 4)).endswith("not read yet")


def test_sampled_and_coarse_pictures_are_not_exact() -> None:
    base, coarse = FakeArray(PLANE, ("y", "x")), FakeArray(PLANE[::2, ::2], ("y", "x"))
    axes = Axes.initial(base)
    sampled = Raster.of(whole(base), axes, (4, 2))
    assert is_exact(mosaic_of(Raster.of(whole(base), axes)))
    assert not is_exact(mosaic_of(sampled))
    assert exact(sampled, (7, 9), lambda: False) == PLANE[7, 9]
    level = mosaic_of(Raster.of(level_of(base.shape, coarse), axes))
    assert not is_exact(level)
    text = probe(initial_settings(image_of_array(base)), [level], (2, 2))
    assert text == f"y = 2, x = 2:  {PLANE[2, 2]}  (coarse)"


def test_each_channel_of_a_blend_keeps_its_name_while_another_is_loading() -> None:
    array = FakeArray(np.stack([PLANE, PLANE + 5000]), ("c", "y", "x"))
    channels = (Channel("one", (255, 0, 0)), Channel("two", (0, 255, 0)))
    image = Image("/i", (whole(array),), ("c", "y", "x"), channel_axis=0, channels=channels, is_blended=True)
    settings = initial_settings(image)
    mosaics = [mosaic_of(Raster.of(whole(array), plane)) for plane in settings.planes(image)]
    assert probe(settings, mosaics, (0, 7)) == "y = 0, x = 7:  one 7, two 5,007"
    mosaics[0] = replace(mosaics[0], is_there=np.zeros(PLANE.shape, bool))
    assert probe(settings, mosaics, (0, 7)) == "y = 0, x = 7:  two 5,007"


def array_in(units: str, **attributes: Any) -> FakeArray:
    array = FakeArray(PLANE)
    array.attributes = {"units": units, **attributes}
    return array


def test_flags_are_told_with_their_meanings() -> None:
    array = array_in("", flag_values=[0, 1], flag_meanings="land sea")
    assert [describe(Elements(), np.uint8(value), array) for value in range(3)] == [
        "0  (land)",
        "1  (sea)",
        "2",
    ]
    assert describe(Elements(), np.float32(1), array) == "1.0"


@pytest.mark.parametrize(
    ("elements", "value", "text"),
    [
        (Elements(valid=(0, 5)), np.int16(7), "7  (outside the valid range)"),
        (Elements(), np.float32(0.1), "0.1 K"),
        (Elements(fill=(7.0,)), np.int16(7), "7  (fill value)"),
        (Elements(fill=(7.0,)), np.int16(8), "8 K"),
        (Elements(part=Part.REAL), np.complex64(3 + 4j), "(3+4j) K  (real part 3.0)"),
        (Elements(packing=Packing(0.1, 0.0, (-9.0,))), np.int16(3), "0.3 K  (stored 3)"),
        (Elements(packing=Packing(0.1, 0.0, (-9.0,))), np.int16(-9), "no value  (stored -9)"),
        (Elements(packing=Packing(1.0, 0.0, (-9.0,))), np.int16(3), "3 K"),
        (Elements(packing=Packing(0.5, kind="u")), np.int8(-56), "100.0 K  (stored -56)"),
        (Elements(packing=Packing(kind="u")), np.int8(-56), "200 K  (stored -56)"),
        (Elements(packing=Packing(kind="u"), fill=(-1,)), np.int8(-1), "255 K  (fill value)"),
        (Elements("b"), np.array((1, 2.5), "i4,f8").astype([("a", "i4"), ("b", "f8")])[()], "2.5 K"),
        (Elements(), "naïve", "naïve"),
        (Elements(), np.array([1, 2, 3], np.uint8), "(1, 2, 3) K"),
    ],
)
def test_a_value_is_described_with_its_unit_and_the_number_that_is_drawn(
    elements: Elements, value: Any, text: str
) -> None:
    assert describe(elements, value, array_in("K")) == text


def test_the_ends_of_the_cell_are_told() -> None:
    image = image_of_array(FakeArray(PLANE, ("lat", "x")))
    settings = initial_settings(image)
    mosaic = mosaic_of(Raster.of(image.levels[0], settings.axes))
    middles = np.arange(30.0)
    latitude = Coordinate("lat", "°N", middles, bounds=np.stack([middles - 0.5, middles + 0.5], axis=1))
    text = probe(settings, [mosaic], (3, 4), {0: latitude})
    assert text == "lat = 3 (3 °N, cell 2.5 to 3.5), x = 4:  124"


def test_a_computed_number_has_a_unit_and_may_be_missing() -> None:
    assert describe_number(0.1 + 0.2, "K") == "0.3 K"
    assert describe_number(np.float64(2), "") == "2.0"
    assert describe_number(np.nan, "K") == "no value"


def test_colours_that_are_drawn_as_missing_say_why() -> None:
    elements = Elements(fill=(7,), valid=(0, 199))
    assert describe(elements, np.array([7, 7, 7], np.uint8)).endswith("(fill value)")
    assert describe(elements, np.array([200, 201, 202, 9], np.uint8)).endswith("(outside the valid range)")
    assert not describe(elements, np.array([7, 7, 8, 7], np.uint8)).endswith("value)")
