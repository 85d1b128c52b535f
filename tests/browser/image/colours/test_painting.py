"""From loaded tiles to colours: statistics, bounds, pictures, and what can be drawn again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from tests.browser.image.loading import frame_of, load, loaded, view_of
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.colours.painting import bounds, compose, displayed_slice, measure, paint, style_of
from zarrbrowser.image.colours.render import NOTHING, Style, blend, rgba
from zarrbrowser.image.levels import Channel, Image, image_of_array, level_of, whole
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings, initial_settings
from zarrbrowser.values.elements import Elements

PLANES = np.random.default_rng(5).normal(size=(4, 30, 40)).astype(np.float32)


def blended(*on: int) -> tuple[Image, Any]:
    """An image of four channels, some of them visible, and its settings."""
    colours = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0))
    channels = tuple(Channel(f"c{n}", colour, is_on=n in on) for n, colour in enumerate(colours))
    array = FakeArray(PLANES, ("c", "y", "x"))
    image = Image("/i", (whole(array),), ("c", "y", "x"), channel_axis=0, channels=channels, is_blended=True)
    return image, initial_settings(image)


def test_statistics_are_those_of_the_loaded_elements() -> None:
    values = np.arange(2 * 512 * 512.0).reshape(1024, 512)
    values[700, 3] = np.nan
    image = image_of_array(FakeArray(values, chunks=(512, 512)))
    settings, cache = initial_settings(image), TileCache()
    frame = frame_of(image, settings)
    load(next(tile for tile in frame.tiles if tile.row == 1), cache)
    mosaics = compose(frame, cache)
    (found,) = measure(settings, mosaics).statistics
    assert (found.minimum, found.maximum, found.nan_count) == (values[512, 0], values[-1, -1], 1)
    assert found.size == 512 * 512
    settings = replace(settings, contrast=Contrast(ContrastMode.FULL_RANGE))
    style = style_of(shown_as(image, settings, "viridis"), measure(settings, mosaics))
    assert (style.colour_map, style.levels) == ("viridis", (values[512, 0], values[-1, -1]))
    assert style_of(
        shown_as(image, replace(settings, colour_map="magma")), measure(settings, mosaics)
    ).colour_map == ("magma")
    picture = paint(settings, mosaics, measure(settings, mosaics), style)
    assert (picture[:512] == NOTHING).all(), "nothing is loaded there yet"
    assert np.array_equal(picture[512:], rgba(values[512:], style))


@pytest.mark.parametrize(
    ("values", "brightest"),
    [
        (np.full((3, 4, 3), 9, np.uint8), 255),
        (np.array([[[100, 4095, 3]] * 2] * 2, np.uint16), 4095),
        (np.array([[[100, 7, 3, 65535]] * 2] * 2, np.uint16), 100),
        (np.zeros((2, 2, 3), np.uint16), 1),
    ],
)
def test_red_green_and_blue_have_no_statistics_but_a_brightest_value(values: Any, brightest: float) -> None:
    image = image_of_array(FakeArray(values))
    settings, cache = initial_settings(image), TileCache()
    mosaics = compose(loaded(image, settings, cache), cache)
    found = measure(settings, mosaics)
    assert (found.statistics, found.brightest) == ((), brightest)
    assert bounds(settings, found) == []
    picture = paint(settings, mosaics, found, Style())
    expected = np.round(values[..., :3] / brightest * 255)
    assert np.abs(picture[..., :3] - expected).max() <= 1


def test_each_visible_channel_is_drawn_within_its_own_bounds() -> None:
    image, settings = blended(0, 2)
    settings = settings.with_channel(2, contrast=Contrast(ContrastMode.FIXED, -1.0, 3.0), colour=(9, 90, 200))
    settings = settings.with_channel(0, contrast=Contrast(ContrastMode.FULL_RANGE))
    cache = TileCache()
    mosaics = compose(loaded(image, settings, cache), cache)
    measured = measure(settings, mosaics)
    expected = [(float(PLANES[0].min()), float(PLANES[0].max())), (-1.0, 3.0)]
    assert bounds(settings, measured) == expected
    picture = paint(settings, mosaics, measured, Style())
    colours = [(255, 0, 0), (9, 90, 200)]
    assert np.array_equal(picture, blend([PLANES[0], PLANES[2]], Elements(), expected, colours, Style()))


def test_the_coarsest_level_fills_tiles_that_are_not_loaded() -> None:
    plane = np.add.outer(np.arange(1024.0), np.arange(1024.0))
    values = np.stack([plane * sign for sign in (1, 1, -1, -1)])
    base = FakeArray(values, ("z", "y", "x"), chunks=(1, 256, 256))
    coarse = FakeArray(values[::2, ::8, ::8], ("z", "y", "x"))
    image = Image("/i", (whole(base), level_of(base.shape, coarse)), ("z", "y", "x"))
    settings, cache = initial_settings(image), TileCache()
    settings = replace(settings, axes=settings.axes.at(0, 3))
    frame = frame_of(image, settings)
    assert compose(frame, cache)[0].is_there is not None
    load(frame.backdrop[0], cache)
    load(frame.tiles[0], cache)
    (mosaic,) = compose(frame, cache)
    assert mosaic.is_there is None
    rows, columns = frame.raster.samples(frame.tiles[0])
    assert np.array_equal(mosaic.values[rows, columns], -plane[rows, columns])
    assert np.abs(mosaic.values + plane).max() <= 16, "coarse, but in its place"


def shown_as(image: Image, settings: ViewSettings, colour_map: str = "gray") -> ImageState:
    return ImageState(image, settings, lambda _path: None, colour_map)


@pytest.mark.parametrize(
    ("on", "part"),
    [((2,), 2), ((1, 2), slice(1, 3)), ((0, 3), slice(None)), ((), 0)],
)
def test_the_selection_of_a_blend_has_its_visible_channels(on: tuple[int, ...], part: int | slice) -> None:
    image, settings = blended(*on)
    cache = TileCache()
    frame = loaded(image, settings, cache)
    measured = measure(settings, compose(frame, cache))
    shown = displayed_slice(shown_as(image, settings), frame, measured, view_of(image))
    assert shown.selection == (part, slice(0, 30), slice(0, 40))
    assert [one.position for one in shown.channels] == settings.channels_on
    assert shown.image is not None
    assert shown.image.channels == ("c0", "c1", "c2", "c3")


def test_a_displayed_slice_can_be_that_of_another_level() -> None:
    arrays = [FakeArray(np.zeros((4, 64 >> n, 96 >> n)), ("z", "y", "x")) for n in range(3)]
    for number, array in enumerate(arrays):
        array.path = f"/cells/{number}"
    levels = (
        whole(arrays[0]),
        *(level_of(arrays[0].shape, one, (1, 2**n, 2**n)) for n, one in enumerate(arrays) if n),
    )
    units = ("micrometer",) * 3
    image = Image("/cells", levels, ("z", "y", "x"), units, (3.0, 0.5, 0.25), (0.0,) * 3)
    settings, cache = initial_settings(image), TileCache()
    settings = replace(settings, axes=settings.axes.at(0, 3), norm=Norm.LOG, flip_rows=True)
    view = View((7.5, 31.5), (15.5, 47.5), 24, 32)
    frame = loaded(image, settings, cache, view)
    measured = measure(settings, compose(frame, cache))
    shown = displayed_slice(shown_as(image, settings, "magma"), frame, measured, view, number=1)
    assert (shown.path, shown.level) == ("/cells/1", 1)
    assert shown.selection == (3, slice(0, 32), slice(0, 48))
    assert shown.in_view == (3, slice(4, 16), slice(8, 24))
    assert (shown.flip_rows, shown.flip_columns) == (True, False)
    assert (shown.style.colour_map, shown.style.norm) == ("magma", Norm.LOG)
    assert shown.image is not None
    assert (shown.image.name, shown.image.levels) == ("cells", 3)
    assert shown.image.pixel_cm == pytest.approx((3e-4, 1e-4, 0.5e-4))
    assert displayed_slice(shown_as(image, settings), frame, measured, view).level == 0, (
        "the one on the screen"
    )


def test_an_array_by_itself_is_not_a_level_of_an_image() -> None:
    image = image_of_array(FakeArray(PLANES))
    settings, cache = initial_settings(image), TileCache()
    frame = loaded(image, settings, cache)
    measured = measure(settings, compose(frame, cache))
    shown = displayed_slice(shown_as(image, settings), frame, measured, view_of(image))
    assert (shown.image, shown.channels, shown.channel_axis) == (None, (), None)
