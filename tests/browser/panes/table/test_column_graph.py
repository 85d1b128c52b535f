"""The graph of a plot of columns: what is drawn, and what is under the pointer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.table.column_plots import (
    choose,
    is_drawn,
    open_table,
    plot_of,
)


def test_a_click_goes_to_the_row_and_the_pointer_tells_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    choose(plot, 1, 2)
    qtbot.waitUntil(lambda: plot.points.isChecked() and is_drawn(plot))
    assert plot.graph.shown is not None
    curve = plot.graph.shown.curves[0]
    place = plot.graph.view.mapViewToScene(QPointF(curve.x[250], curve.y[250]))
    said: list[str] = []
    plot.pointed.connect(said.append)
    plot.graph.plot.scene().sigMouseMoved.emit(place)
    qtbot.waitUntil(lambda: bool(said and said[-1]))
    assert said[-1].startswith(f"row 250:  depth = {int(curve.x[250])}.0 mm, heat = 17.5")
    with qtbot.waitSignal(plot.row_chosen) as chosen:
        QTest.mouseClick(plot.graph.viewport(), Qt.MouseButton.LeftButton, pos=plot.graph.mapFromScene(place))
    assert chosen.args == [250]
    assert pane.table.current_cell == (250, 0)
    pane.go(3, 2)
    plot.row_chosen.emit(7)
    assert pane.table.current_cell == (7, 2), "the column stays"
    plot.graph.plot.scene().sigMouseMoved.emit(QPointF(-5, -5))
    assert said[-1] == ""


def test_a_zoomed_axis_stays_while_it_is_the_same(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    view = plot.graph.view
    whole = view.viewRange()[0]
    first = float(np.datetime64("2020-01-01", "D").astype(int))
    view.setXRange(first + 10, first + 40, padding=0)
    choose(plot, 0, 2)
    qtbot.waitUntil(lambda: plot.graph.up.labelText == "heat (mm)" and is_drawn(plot))
    assert view.viewRange()[0] == pytest.approx([first + 10, first + 40])
    assert view.viewRange()[1][1] > 20, "all values are in view"
    pane.arranger.filter("depth > 199")
    qtbot.waitUntil(lambda: plot.graph.shown is not None and plot.graph.shown.curves[0].x.size == 100)
    assert view.viewRange()[0] == pytest.approx([first + 10, first + 40])
    pane.arranger.filter("")
    choose(plot, 1, 2)
    qtbot.waitUntil(lambda: plot.graph.across.labelText == "depth (mm)" and is_drawn(plot))
    assert view.viewRange()[0][0] < 0 < 299 < view.viewRange()[0][1], "another axis is shown as a whole"
    choose(plot, 0, 2)
    qtbot.waitUntil(lambda: plot.graph.across.labelText == "time" and is_drawn(plot))
    assert view.viewRange()[0] == pytest.approx(whole)


def test_axes_of_large_integers_and_fine_dates_are_labelled(open_window: OpenWindow, qtbot: QtBot) -> None:
    columns = {
        "long": FakeArray(2**60 + np.arange(5)),
        "when": FakeArray(np.datetime64("2026-01-01", "ns") + np.arange(5).astype("m8[ns]")),
    }
    pane = open_table(open_window, qtbot, FakeGroup({"table": FakeGroup(columns)}))
    plot = plot_of(pane, qtbot)
    choose(plot, 1, 0)
    qtbot.waitUntil(lambda: plot.graph.shown is not None and plot.graph.shown.x.dates is not None)
    across, up = plot.graph.across, plot.graph.up
    assert up.tickStrings([0.0, 4.0], 1.0, 1.0) == ["1,152,921,504,606,846,976", "1,152,921,504,606,846,980"]
    assert up.tickSpacing(0.0, 0.5, 500)[-1][0] == 1, "integers have no fractions"
    source = pane.figure()
    assert source is not None
    ((_, _, drawn),) = source.read((800, 500)).panels
    long, when = (dict(scale.ticks(5)) for scale in (drawn.y, drawn.x))  # type: ignore[union-attr]
    assert long[4.0] == "1,152,921,504,606,846,980"
    assert when[4.0] == "2026-01-01T00:00:00.000000004"
    ((_, places),) = across.tickValues(0.0, 4.0, 900)
    assert across.tickStrings(places, 1, 1)[-1] == "2026-01-01T00:00:00.000000004"


@pytest.mark.parametrize("cells", [[np.nan] * 4, [np.inf, 1.0, 2.0, 3.0], [1.7e308, -1.7e308, 0, 1], [5] * 4])
def test_every_plot_has_a_range(cells: list[Any], open_window: OpenWindow, qtbot: QtBot) -> None:
    root = FakeGroup({"table": FakeGroup({"a": FakeArray(np.array(cells)), "b": FakeArray(np.arange(4.0))})})
    plot = plot_of(open_table(open_window, qtbot, root), qtbot)
    for across, label in ((None, "row"), (0, "a (mm)")):
        choose(plot, across, 0, 1)
        qtbot.waitUntil(lambda label=label: is_drawn(plot) and plot.graph.across.labelText == label)
        (left, right), (low, high) = plot.graph.view.viewRange()
        assert left < right
        assert low < high
        assert plot.graph.grab().toImage().width() > 0
