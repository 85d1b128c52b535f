"""The plot below a table, as a part of its pane."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray
from tests.browser.panes.table.column_plots import (
    ROWS,
    choose,
    is_drawn,
    open_table,
    plot_of,
)


def test_the_plot_is_restored_with_the_view(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    choose(plot, 2, 1)
    plot.controls.log_y.click()
    qtbot.waitUntil(lambda: plot.graph.shown is not None and plot.graph.shown.y.is_log)
    document = pane.view_state()
    assert document["plot"] == {"x": "heat", "y": ["depth"], "log": [False, True]}
    pane.restore({"cell": None})
    assert not plot.isVisible()
    assert not pane.controls.plot.isChecked()
    assert "plot" not in pane.view_state()
    pane.restore(document)
    assert pane.controls.plot.isChecked()
    assert plot.isVisible()
    assert pane.view_state() == document
    pane.restore({"plot": {"x": "gone", "y": ["gone", "depth"], "log": [False, False]}})
    assert pane.view_state()["plot"]["y"] == ["depth"]
    pane.restore({"plot": {"x": None, "y": ["gone"], "log": [False, False]}})
    assert not plot.isVisible()


def test_the_plot_stays_on_for_another_table_and_for_the_same_one_after_a_change(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    choose(plot, 2, 1)
    qtbot.waitUntil(lambda: plot.graph.across.labelText == "heat (mm)")
    pane.forget_elements()
    pane.show_node(pane.session.source, pane.session.node)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: is_drawn(plot) and plot.graph.across.labelText == "heat (mm)")
    pane.contents.show_array(FakeArray(np.arange(5.0)))
    assert not plot.isVisible()
    assert not pane.controls.plot.isVisible(), "an array with one axis has a tab for its plot"
    pane.contents.show_array(FakeArray(np.zeros(5, [("p", "f4"), ("q", "f4")])))
    qtbot.waitUntil(lambda: is_drawn(plot) and plot.graph.up.labelText == "p")
    assert plot.isVisible()


def test_a_plot_is_a_figure(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = open_table(open_window, qtbot)
    assert pane.figure() is None
    plot = plot_of(pane, qtbot)
    choose(plot, 0, 1, 2)
    qtbot.waitUntil(lambda: plot.graph.shown is not None and len(plot.graph.shown.curves) == 2)
    source = pane.figure()
    assert source is not None
    ((_, _, drawn),) = source.read((800, 500)).panels
    assert [line.name for line in drawn.lines] == ["depth (mm)", "heat (mm)"]  # type: ignore[union-attr]
    assert drawn.x.dates == np.dtype("M8[D]")  # type: ignore[union-attr]
    assert [name for name, _ in source.as_shown().legend] == ["depth (mm)", "heat (mm)"]
    assert all(line.has_line for line in drawn.lines)  # type: ignore[union-attr]
    plot.points.click()
    source = pane.figure()
    assert source is not None
    ((_, _, drawn),) = source.read((800, 500)).panels
    assert not any(line.has_line for line in drawn.lines)  # type: ignore[union-attr]
    assert sum(line.x.size for line in drawn.lines) > ROWS  # type: ignore[union-attr]
    pane.controls.plot.click()
    assert pane.figure() is None
