"""The levels of an image, the channels that can be blended, and the proportion of elements."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.browser.fakes import FakeArray
from zarrbrowser.image.levels import (
    Image,
    channel_axis,
    colour_of,
    has_colours,
    image_of_array,
    level_of,
    proportion,
    whole,
)
from zarrcore.stores import MemoryStore


@settings(max_examples=30)
@given(st.integers(1, 300), st.integers(1, 8))
def test_the_position_of_a_level_is_the_element_whose_centre_is_nearest(length: int, factor: int) -> None:
    coarse = FakeArray(np.zeros(-(-length // factor)))
    level = level_of((length,), coarse, [factor])
    centres = [level.base(0, position) for position in range(coarse.shape[0])]
    for base in range(length):
        distance = abs(centres[level.position(0, base)] - base)
        assert distance == min(abs(centre - base) for centre in centres)


def test_positions_outside_a_level_are_clipped_to_it() -> None:
    level = level_of((40,), FakeArray(np.zeros(10)))
    assert (level.position(0, -5), level.position(0, 1e9)) == (0, 9)
    assert whole(FakeArray(np.zeros(0))).position(0, 3) == 0


def test_a_level_without_metadata_has_the_whole_ratio_of_the_shapes() -> None:
    level = level_of((101, 50, 3), FakeArray(np.zeros((26, 25, 3))))
    assert level.factors == (4, 2, 1)
    assert level.offsets == (1.5, 0.5, 0)
    told = level_of((101, 50, 3), FakeArray(np.zeros((26, 25, 3))), [3, 2, 1], [0, 0, 0])
    assert (told.factors, told.offsets) == ((3, 2, 1), (0, 0, 0))
    assert level_of((7, 0), FakeArray(np.zeros((0, 0)))).factors == (7, 1)


def test_an_image_at_the_root_has_the_name_of_its_source() -> None:
    array = FakeArray(np.zeros((4, 5)))
    array.name, array.path = "0", "/0"
    assert Image("/a/cells", (whole(array),), ("y", "x")).name == "cells"
    assert Image("/", (whole(array),), ("y", "x")).name == "0"
    array.hierarchy = SimpleNamespace(url="/data/cells.zarr")  # type: ignore[attr-defined]
    assert Image("/", (whole(array),), ("y", "x")).name == "cells"


@pytest.mark.parametrize(
    ("shape", "names", "given", "axis"),
    [
        ((2, 5, 6), ("c", "y", "x"), None, 0),
        ((9, 3, 5, 6), ("t", "Channel", "y", "x"), None, 1),
        ((9, 3, 5, 6), ("t", "a", "y", "x"), 1, 1),
        ((1, 5, 6), ("c", "y", "x"), None, None),
        ((17, 5, 6), ("c", "y", "x"), None, None),  # a spectrum
        ((5, 6, 3), ("y", "x", "c"), None, None),
        ((3, 6), ("c", "x"), None, None),
        ((2, 5, 6), ("z", "y", "x"), None, None),
    ],
)
def test_a_few_channels_before_the_picture_can_be_blended(
    shape: tuple[int, ...], names: tuple[str, ...], given: int | None, axis: int | None
) -> None:
    assert channel_axis(shape, names, given) == axis


def test_the_channels_of_an_array_are_named_and_coloured_by_position() -> None:
    image = image_of_array(FakeArray(np.zeros((8, 5, 6)), ("channel", "y", "x")))
    assert not image.is_blended, "only on request"
    assert [one.name for one in image.channels[:2]] == ["channel 0", "channel 1"]
    assert [one.colour for one in image.channels] == [colour_of(number) for number in range(8)]
    assert len({one.colour for one in image.channels[:6]}) == 6
    photo = image_of_array(FakeArray(np.zeros((2, 6, 7, 3), np.uint8), ("c", "y", "x", "rgb")))
    assert (photo.channels, has_colours(photo)) == ((), True)
    assert not has_colours(image)


def test_elements_have_the_proportion_of_their_spacing_in_one_unit() -> None:
    array = FakeArray(np.zeros((3, 4, 5)))

    def image(units: tuple[str, ...], spacing: tuple[float, ...]) -> Image:
        return Image("/i", (whole(array),), ("z", "y", "x"), units, spacing)

    volume = image(("um", "um", "um"), (2.0, 0.5, -0.25))
    assert volume.has_scale
    assert proportion(volume, 0, 1) == 0.25
    assert proportion(volume, 1, 2) == 0.5, "a scale may run downwards"
    assert proportion(volume, 2, 0) == 8
    assert proportion(image(("s", "um", "um"), (2.0, 0.5, 0.25)), 0, 1) == 1, "seconds are not micrometres"
    assert proportion(image((), ()), 0, 1) == 1
    assert proportion(image((), (1.0, 2.0, 0.0)), 0, 2) == 1


def test_an_array_of_n5_has_the_scale_that_its_attributes_state() -> None:
    array = zarrcore.create(MemoryStore(), format="n5").create_array("a", shape=(2, 40, 50), dtype="uint8")
    told = {"pixelWidth": 0.25, "pixelHeight": 0.5, "pixelUnit": "µm", "numChannels": 2}
    array.attributes = told
    image = image_of_array(array)
    assert (image.names, image.units, image.spacing) == (("c", "y", "x"), ("", "µm", "µm"), (1, 0.5, 0.25))
    assert (image.channel_axis, proportion(image, 1, 2)) == (0, 0.5)
    array.attributes = {}
    assert not image_of_array(array).has_scale
