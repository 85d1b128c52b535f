"""A displayed slice is enough to read and draw the picture again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.colours.render import Style, blend, coloured, rgba
from zarrbrowser.image.displayed_slice import DisplayedChannel, DisplayedSlice
from zarrbrowser.image.levels import Channel, whole
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.values.elements import Elements

VOLUME = np.random.default_rng(0).normal(size=(4, 20, 30)).astype(np.float32)


def displayed_slice(array: FakeArray, axes: Axes, **more: object) -> DisplayedSlice:
    raster = Raster.of(whole(array), axes)
    height, width = raster.shape
    return DisplayedSlice(
        array,
        array.path,
        0,
        axes,
        raster.selection((slice(0, height), slice(0, width))),
        raster.selection((slice(2, 12), slice(3, 9))),
        **more,
    )


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("flips", [(False, False), (True, False), (True, True)])
def test_a_displayed_slice_reproduces_its_picture(turned: bool, flips: tuple[bool, bool]) -> None:
    array, style = FakeArray(VOLUME), Style("viridis", Norm.SQRT, (-1.0, 2.0))
    axes = Axes.initial(array)
    axes = axes.with_rows(2) if turned else axes
    shown = displayed_slice(array, axes, style=style, flip_rows=flips[0], flip_columns=flips[1])
    assert shown.transposed == turned
    plane = VOLUME[2].T if turned else VOLUME[2]
    turn = (slice(None, None, -1 if flips[0] else 1), slice(None, None, -1 if flips[1] else 1))
    assert np.array_equal(shown.rgba(shown.read(shown.selection)), rgba(plane[turn], style))
    assert np.array_equal(shown.rgba(shown.read()), rgba(plane[2:12, 3:9][turn], style))


def test_a_displayed_slice_reproduces_blends_and_rgb() -> None:
    array = FakeArray(VOLUME)
    axes = replace(Axes.initial(array), index=(3, 0, 0))
    channels = (
        DisplayedChannel(Channel("a", (255, 0, 0)), 0, (0.0, 1.0)),
        DisplayedChannel(Channel("b", (0, 255, 0)), 3, (-1.0, 1.0)),
    )
    shown = displayed_slice(array, axes, channels=channels, channel_axis=0)
    expected = blend(
        [VOLUME[0], VOLUME[3]], Elements(), [(0.0, 1.0), (-1.0, 1.0)], [(255, 0, 0), (0, 255, 0)], Style()
    )
    assert np.array_equal(shown.rgba(shown.read(shown.selection)), expected)
    photo = np.random.default_rng(1).integers(0, 255, (20, 30, 3), dtype=np.uint8)
    array = FakeArray(photo)
    shown = displayed_slice(array, Axes.initial(array).with_rows(1), flip_rows=True)
    assert np.array_equal(
        shown.rgba(shown.read(shown.selection)),
        coloured(photo.transpose(1, 0, 2)[::-1], 255.0, Elements(), Style()),
    )
