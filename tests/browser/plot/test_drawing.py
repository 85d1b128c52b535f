"""Plots at the resolution of the screen."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.plot.columns import ColumnPlot, PlotAxis
from zarrbrowser.plot.curves import MOST_SEGMENTS, Curve, View, fitting_range
from zarrbrowser.plot.drawing import Drawing, row_at


def plot_of(x: np.ndarray, *ys: np.ndarray) -> ColumnPlot:
    curves = tuple(Curve.of("a", "#ff0000", x, y, np.arange(x.size)) for y in ys)
    return ColumnPlot(curves, PlotAxis("x"), PlotAxis("y"), fitting_range(curves))


def draw(plot: ColumnPlot, *, has_points: bool = False) -> Drawing:
    return Drawing.of(plot, View(*plot.ranges, 300, 200), has_points=has_points, diameter=5)


def test_few_rows_are_a_line_with_marked_points() -> None:
    drawing = draw(plot_of(np.arange(3.0), np.array([1.0, 2.0, 4.0])))
    (line,) = drawing.lines
    assert line is not None
    assert line.y.tolist() == [1, 2, 4]
    assert (drawing.dots[..., 3] > 0).sum() > 3 * 15
    assert drawing.notes == []


def test_many_rows_are_told_per_pixel() -> None:
    drawing = draw(plot_of(np.arange(60_000.0), np.zeros(60_000)))
    (note,) = drawing.notes
    assert note.startswith("minimum and maximum of about 2")
    assert not drawing.dots.any()


def test_points_are_drawn_where_they_are_wanted_or_lines_would_cover_the_plot() -> None:
    x, y = np.random.default_rng(1).random((2, 2 * MOST_SEGMENTS))
    plot = plot_of(x, y)
    assert draw(plot).lines == (None,)
    assert draw(plot).notes == ["points, as lines would cover the plot"]
    assert draw(plot, has_points=True).notes == []
    assert draw(plot).dots.any()


def test_what_is_left_out_is_told() -> None:
    plot = plot_of(np.arange(2.0), np.arange(2.0))
    without = ColumnPlot(plot.curves, plot.x, PlotAxis("y", is_log=True), plot.ranges, not_positive=3)
    assert draw(without).notes == ["the logarithmic axis leaves out 3 values ≤ 0"]


@pytest.mark.parametrize(
    ("place", "has_points", "row"),
    [((1.9, 0.0), False, 2), ((1.9, 0.0), True, None), ((2.0, 39.0), True, 2), ((2.0, 20.0), True, None)],
)
def test_a_row_is_found_by_its_place(place: tuple[float, float], has_points: bool, row: int | None) -> None:
    plot = plot_of(np.arange(3.0), np.array([0.0, 100.0, 40.0]), np.array([np.nan, np.nan, np.nan]))
    assert row_at(plot, place, View((0, 2), (0, 100), 300, 200), has_points=has_points) == row


def test_no_row_is_found_where_there_are_no_points() -> None:
    plot = plot_of(np.empty(0), np.empty(0))
    assert row_at(plot, (0.0, 0.0), View((0, 1), (0, 1), 300, 200), has_points=False) is None
