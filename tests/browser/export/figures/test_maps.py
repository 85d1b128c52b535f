"""Figures in a projection show the element at each pixel, as finely as the figure is, with the lines of the map."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.browser.export.figures.test_planes import picture, planes_of
from tests.browser.fakes import FakeArray
from tests.browser.maps.grids import turned
from zarrbrowser.export.figures.figure import Picture
from zarrbrowser.export.figures.maps import ShownMap
from zarrbrowser.export.figures.planes import ShownPlanes
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.curved_grid import CurvedGrid
from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.lines import PlaneLines
from zarrbrowser.maps.projection import Projection
from zarrbrowser.maps.projections import projected, sampling
from zarrbrowser.maps.sketch import NOTHING, Sketch
from zarrbrowser.nodes.read_cost import Cancelled

VALUES = np.arange(3 * 90 * 180, dtype=np.float32).reshape(3, 90, 180)
LINES = Sketch(PlaneLines(np.arange(2.0), np.arange(2.0), np.array([True, False])), NOTHING.graticule)


def map_of(part: View | None = None) -> ShownMap:
    plane = PlaneMap(90, 180, CurvedGrid(*turned(90, 180)))
    chart = projected(Projection.ROBINSON, plane, 10.0, 0.0)
    seen = sampling(chart, plane, part or View((0, chart.height), (0, chart.width), 40, 80))
    assert seen is not None
    return ShownMap(chart, plane, seen, LINES)


def planes(part: View | None = None) -> ShownPlanes:
    whole = planes_of(FakeArray(VALUES, ("t", "y", "x")), View((-0.5, 89.5), (-0.5, 179.5), 90, 180))
    return replace(whole, planes=(replace(whole.main, projected=map_of(part)),))


def test_the_figure_has_the_projection_and_its_lines() -> None:
    found = picture(planes())
    assert found.map_lines is LINES
    assert not found.has_axes
    assert found.proportion == 1.0
    seen = planes().main.projected
    assert seen is not None
    assert (found.rows.low, found.columns.high) == (seen.seen.rect[0], seen.seen.rect[3])
    pixels = found.layers[0].pixels
    assert (pixels[..., 3] == 255)[np.isfinite(seen.seen.rows)].all()
    assert not pixels[0, 0].any(), "beyond the edge of the world"


def test_a_figure_is_read_as_finely_as_it_is() -> None:
    figure = planes().read((400, 300))
    found = figure.panels[0][2]
    assert isinstance(found, Picture)
    assert found.layers[0].pixels.shape[1] == pytest.approx(400, abs=1)
    assert not figure.note
    coarse = picture(planes())
    assert found.layers[0].rect == coarse.layers[0].rect
    share = [(one.layers[0].pixels[..., 3] > 0).mean() for one in (found, coarse)]
    assert share[0] == pytest.approx(share[1], abs=0.03)


def test_only_the_part_in_view_is_read() -> None:
    whole = map_of()
    part = map_of(View((whole.chart.height / 2, whole.chart.height / 2 + 50), (600, 700), 30, 60))
    view = part.view((100, 100))
    assert view is not None
    assert view.rows[1] - view.rows[0] < 15
    assert view.columns[1] - view.columns[0] < 25


def test_frames_of_a_movie_find_their_elements_once() -> None:
    shown = planes()
    axes = shown.main.state.settings.axes
    first, second = (shown.frame(axes.at(0, at), (90, 60)).panels[0][2] for at in (0, 2))
    assert isinstance(first, Picture)
    assert isinstance(second, Picture)
    assert first.map_lines is second.map_lines is LINES
    assert not np.array_equal(first.layers[0].pixels, second.layers[0].pixels)
    found = shown.main.projected
    assert found is not None
    assert found.finer((90, 60)) is found.finer((90, 60))


def test_a_figure_that_is_cancelled_stops() -> None:
    with pytest.raises(Cancelled):
        map_of().finer((400, 300), lambda: True)
