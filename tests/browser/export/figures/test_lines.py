"""Figures of plots."""

from __future__ import annotations

import numpy as np

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


def test_points_are_thinned_to_what_a_figure_can_show() -> None:
    x, y = np.random.default_rng(1).random((2, 200_000))
    (line,) = panel_of(shown(curve(x, y), has_lines=False)).lines
    assert not line.has_line
    assert 10_000 < line.x.size < 30_000
    assert set(zip(line.x.tolist(), line.y.tolist(), strict=True)) <= set(
        zip(x.tolist(), y.tolist(), strict=True)
    )


def test_a_line_that_would_cover_the_figure_becomes_points() -> None:
    x, y = np.random.default_rng(1).random((2, 2 * MOST_SEGMENTS))
    (line,) = panel_of(shown(curve(x, y), has_lines=True)).lines
    assert not line.has_line
    assert line.has_points


def test_several_curves_have_a_legend() -> None:
    x = np.arange(3.0)
    figure = shown(curve(x, x, "one"), curve(x, -x, "two"), has_lines=True).as_shown()
    assert figure.legend == (("one", (255, 0, 128)), ("two", (255, 0, 128)))
    assert figure.title == "table"
    assert shown(curve(x, x), has_lines=True).as_shown().legend == ()
