"""Figures of plots."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.export.figures.figure import Plot
from zarrbrowser.export.figures.lines import ShownColumns
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.plot.columns import ColumnPlot, PlotAxis
from zarrbrowser.plot.curves import MOST_SEGMENTS, Curve, fitting_range


def shown(*curves: Curve, has_lines: bool) -> ShownColumns:
    (left, right), (low, high) = ranges = fitting_range(curves)
    plot = ColumnPlot(curves, PlotAxis("a"), PlotAxis("b"), ranges)
    return ShownColumns(plot, Scale("a", left, right), Scale("b", high, low), has_lines, "table")


def curve(x: np.ndarray, y: np.ndarray, name: str = "b") -> Curve:
    return Curve.of(name, "#ff0080", x, y, np.arange(x.size))


def panel_of(source: ShownColumns, pixels: tuple[int, int] = (600, 400)) -> Plot:
    ((_, _, panel),) = source.read(pixels).panels
    assert isinstance(panel, Plot)
    return panel


def test_a_short_line_has_its_points() -> None:
    x = np.arange(5.0)
    (line,) = panel_of(shown(curve(x, x * x), has_lines=True)).lines
    assert line.y.tolist() == [0, 1, 4, 9, 16]
    assert (line.has_line, line.has_points, line.colour) == (True, True, (255, 0, 128))


def test_a_long_line_keeps_its_spike() -> None:
    y = np.zeros(100_000)
    y[77] = 9
    (line,) = panel_of(shown(curve(np.arange(1e5), y), has_lines=True)).lines
    assert line.y.max() == 9
    assert line.x.size < 3000
    assert not line.has_points


def test_few_points_are_drawn_one_by_one() -> None:
    x, y = np.random.default_rng(1).random((2, 1500))
    panel = panel_of(shown(curve(x, y), has_lines=False))
    assert not panel.lines[0].has_line
    assert sorted(panel.lines[0].x.tolist()) == sorted(set(x.tolist()) & set(panel.lines[0].x.tolist()))
    assert panel.lines[0].x.size > 1400, "some share a pixel"
    assert panel.points is None


@pytest.mark.parametrize("has_lines", [True, False])
def test_many_points_are_a_picture_with_their_density(has_lines: bool) -> None:
    x, y = np.random.default_rng(1).random((2, 2 * MOST_SEGMENTS))
    panel = panel_of(shown(curve(x, y), has_lines=has_lines))
    assert panel.lines == ()
    assert panel.points is not None
    bottom, left, top, right = panel.points.rect
    assert (bottom, left) < (0, 0)
    assert (top, right) > (1, 1)
    assert panel.points.pixels.shape == (400, 600, 4)
    assert len(np.unique(panel.points.pixels[..., 3])) > 5


def test_a_large_picture_of_points_has_limited_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrbrowser.export.figures.lines._MOST_PIXELS", 40_000)
    x, y = np.random.default_rng(1).random((2, 2 * MOST_SEGMENTS))
    large = panel_of(shown(curve(x, y), has_lines=False), (800, 600))
    assert large.points is not None
    assert large.points.pixels[..., 0].size < 4.1e4


def test_several_curves_have_a_legend() -> None:
    x = np.arange(3.0)
    figure = shown(curve(x, x, "one"), curve(x, -x, "two"), has_lines=True).as_shown()
    assert figure.legend == (("one", (255, 0, 128)), ("two", (255, 0, 128)))
    assert figure.title == "table"
    assert shown(curve(x, x), has_lines=True).as_shown().legend == ()
