"""How an image is viewed: at first, by channel, and which planes are read for it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tests.browser.fakes import FakeArray
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.image.colours.colour_maps import LABELS
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.levels import Channel, Image, image_of_array, whole
from zarrbrowser.image.view_settings import initial_settings

NAMES = ("t", "c", "z", "y", "x")


def film() -> Image:
    """Three channels; the second is off at first."""
    channels = (
        Channel("DAPI", (0, 0, 255), (10.0, 900.0)),
        Channel("GFP", (0, 255, 0), is_on=False),
        Channel("RFP", (255, 0, 0)),
    )
    array = FakeArray(np.broadcast_to(np.uint16(0), (4, 3, 1, 30, 40)))
    return Image("/film", (whole(array),), NAMES, channel_axis=1, channels=channels, is_blended=True)


def test_an_image_first_shows_what_its_author_wants() -> None:
    found = initial_settings(film())
    assert found.is_blended
    assert found.channels_on == [0, 2]
    assert found.channels[0].contrast == Contrast(ContrastMode.FIXED, 10.0, 900.0)
    assert found.channels[2].contrast == Contrast()
    assert [one.colour for one in found.channels] == [(0, 0, 255), (0, 255, 0), (255, 0, 0)]
    assert initial_settings(replace(film(), is_labels=True)).colour_map == LABELS


def test_one_plane_is_read_for_each_visible_channel() -> None:
    image = film()
    found = initial_settings(image)
    found = replace(found, axes=found.axes.at(0, 2))
    assert [plane.index for plane in found.planes(image)] == [(2, 0, 0, 0, 0), (2, 2, 0, 0, 0)]
    gray = replace(found, is_blended=False, axes=found.axes.at(1, 1))
    assert [plane.index for plane in gray.planes(image)] == [(2, 1, 0, 0, 0)]


def test_the_first_channel_stays_if_all_are_switched_off() -> None:
    image = film()
    found = initial_settings(image)
    for position in range(3):
        found = found.with_channel(position, is_on=False)
    assert found.channels_on == [0]
    assert len(found.planes(image)) == 1


def test_only_axes_with_other_planes_have_sliders_and_a_position() -> None:
    image = film()
    blended = initial_settings(image)
    blended = replace(blended, axes=blended.axes.at(0, 3))
    assert blended.sliders(image) == [0], "neither the blended channels nor an axis of length 1"
    assert blended.describe(image) == "t = 3"
    gray = replace(blended, is_blended=False)
    assert gray.sliders(image) == [0, 1]
    assert gray.describe(image) == "t = 3, c = 0"
    plane = image_of_array(FakeArray(np.zeros((3, 4))))
    assert initial_settings(plane).describe(plane) == ""


def test_channels_are_not_blended_along_an_axis_of_the_picture() -> None:
    image = film()
    found = initial_settings(image)
    assert not found.with_picture_axes(image, 1, 4).is_blended
    assert found.with_picture_axes(image, 0, 4).is_blended


def test_one_channel_changes_without_the_others() -> None:
    before = initial_settings(film())
    after = before.with_channel(1, is_on=True, colour=(1, 2, 3))
    assert (after.channels[1].is_on, after.channels[1].colour) == (True, (1, 2, 3))
    assert (after.channels[0], after.channels[2]) == (before.channels[0], before.channels[2])
    assert not before.channels[1].is_on


def test_packed_numbers_are_unpacked_and_missing_ones_marked() -> None:
    array = FakeArray(np.zeros((3, 4), np.int16))
    array.attributes = {"_FillValue": -999, "scale_factor": 0.5, "valid_max": 900}
    image = image_of_array(array)
    elements = initial_settings(image).elements
    assert elements.packing is not None
    assert (elements.packing.scale, elements.fill, elements.valid) == (0.5, (-999,), (-math.inf, 900))
    assert initial_settings(image, is_unpacked=False).elements == replace(elements, packing=None)
    table = FakeArray(np.zeros((3, 4), [("name", "S2"), ("height", "f4")]))
    assert initial_settings(image_of_array(table)).elements.field == "height", "names cannot be drawn"


def test_labels_are_never_masked_and_detectors_are_at_first() -> None:
    counts = image_of_array(FakeArray(np.full((3, 4), 2**32 - 1, np.uint32)))
    told = initial_settings(counts)
    assert told.elements.mask(counts.base.dtype) == "4,294,967,295"
    assert not initial_settings(replace(counts, is_labels=True)).elements.masks_largest
    as_labels = replace(told, colour_map=LABELS).settled(counts)
    assert not as_labels.elements.masks_largest, "the largest number may be a label"
    assert told.settled(counts) is told


def test_a_mean_along_latitudes_says_that_it_has_no_weights() -> None:
    image = image_of_array(FakeArray(np.zeros((3, 4, 5)), ("lat", "time", "x")))
    settings = initial_settings(image)
    for statistic, text in (
        (Statistic.MEAN, "mean along lat (not weighted by area)"),
        (Statistic.MAXIMUM, "maximum along lat"),
    ):
        assert replace(settings, reduction=Reduction(0, statistic)).place_along(0) == text
    assert replace(settings, reduction=Reduction(1, Statistic.MEAN)).place_along(1) == "mean along time"
