"""The parts around the panels: title, legend, colour bar."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from tests.browser.drawing.figures import OPTIONS, figure, picture
from zarrbrowser.drawing.figure_files import frame_of
from zarrbrowser.drawing.figure_painter import size_in_units
from zarrbrowser.drawing.png import png_of_pixels
from zarrbrowser.export.figures.figure import Figure, FigureOptions

pytestmark = pytest.mark.usefixtures("application")
BARE = replace(OPTIONS, title="", has_axes=False, has_colour_bar=False, has_scale_bar=False)


def red_rows(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The rows that have the red element."""
    found: NDArray[np.int64] = np.nonzero((pixels == (255, 0, 0)).all(axis=2).sum(axis=1) > 5)[0]
    return found


def test_a_figure_has_tenths_of_points() -> None:
    assert size_in_units(FigureOptions(25.4, 50.8)) == pytest.approx((720, 1440))


def test_a_title_moves_the_panels_down_and_a_long_one_is_wrapped() -> None:
    tops = []
    for title in ("", "A title", "A title " * 40):
        pixels = frame_of(figure(), replace(BARE, title=title))
        tops.append(int(red_rows(pixels).min()))
    assert tops[0] < tops[1] < tops[2]


def test_a_legend_with_many_names_has_more_lines() -> None:
    def height(number: int) -> int:
        legend = tuple((f"channel {one}", (one, 0, 0)) for one in range(number))
        shown = replace(BARE, has_colour_bar=True)
        return int(red_rows(frame_of(Figure(figure().panels, legend=legend), shown)).min())

    assert height(2) < height(12)


def test_the_colour_bar_has_the_highest_value_at_the_top() -> None:
    pixels = frame_of(figure(), replace(BARE, has_colour_bar=True)).astype(int)
    yellow = np.abs(pixels - (253, 231, 36)).max(axis=2) < 12
    purple = np.abs(pixels - (68, 1, 84)).max(axis=2) < 12
    assert np.nonzero(yellow)[0].mean() < np.nonzero(purple)[0].mean()


def test_a_frame_is_an_array_and_a_png_file() -> None:
    pixels = frame_of(figure(), OPTIONS)
    assert pixels.shape == (OPTIONS.pixels[1], OPTIONS.pixels[0], 3)
    image = QImage.fromData(png_of_pixels(pixels))
    assert (image.width(), image.height()) == OPTIONS.pixels
    assert image.pixelColor(3, 3).getRgb()[:3] == tuple(pixels[3, 3])


def test_what_could_not_be_read_is_hatched() -> None:
    holey = replace(picture(), holes=((-0.5, 0.5, 0.5, 1.5),))
    plain, hatched = (frame_of(figure(one), BARE) for one in (picture(), holey))
    changed = (plain != hatched).any(axis=2)
    is_green = (plain == (0, 255, 0)).all(axis=2)
    assert (changed & is_green).sum() > 100
    assert not (changed & ~is_green).sum() > 100, "only the hole, up to its edge"
    assert (is_green & ~changed).sum() > 100, "between the lines"
