"""The plot below a table."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from tests.browser.panes.table.column_plots import (
    ROWS,
    choose,
    is_drawn,
    open_table,
    plot_of,
    weather,
)
from tests.waiting import PATIENCE_S
from zarrbrowser.nodes import read_cost
from zarrbrowser.panes import data_stack
from zarrbrowser.panes.table import columns_plot
from zarrbrowser.plot.curves import LINE_COLOURS


def test_the_first_column_is_plotted_over_the_coordinate_of_the_rows(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    assert plot.isVisible()
    assert plot.graph.across.labelText == "time"
    assert plot.graph.up.labelText == "depth (mm)"
    assert not plot.points.isChecked()
    x, y = plot.graph.curves[0].getOriginalDataset()
    assert x.tolist() == list(np.datetime64("2020-01-01", "D").astype(int) + np.arange(ROWS))
    assert sorted(y.tolist()) == list(range(ROWS))
    offered = [plot.choice.up_list.item(row).text() for row in range(plot.choice.up_list.count())]
    assert offered == ["time", "depth", "heat"], "texts cannot be drawn"
    ticks = plot.graph.across.tickValues(x[0], x[-1], 800)
    assert "2020-04-01" in plot.graph.across.tickStrings(ticks[0][1], 1, 1)


def test_one_column_against_another_is_drawn_as_points(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    choose(plot, 1, 2)
    qtbot.waitUntil(lambda: plot.points.isChecked() and is_drawn(plot))
    assert plot.graph.across.labelText == "depth (mm)"
    assert (plot.graph.dots.image[..., 3] > 0).sum() > ROWS
    plot.points.click()
    qtbot.waitUntil(lambda: plot.graph.curves[0].getOriginalDataset()[0] is not None)
    assert plot.graph.curves[0].getOriginalDataset()[0].size == ROWS
    choose(plot, 0, 1, 2)
    qtbot.waitUntil(lambda: plot.graph.shown is not None and len(plot.graph.shown.curves) == 2)
    assert plot.graph.up.labelText == "mm"


def test_selected_columns_are_plotted(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = open_table(open_window, qtbot)
    pane.table._choose_column(1)
    pane.table._choose_column(2, extend=True)
    plot = plot_of(pane, qtbot)
    assert list(plot.choice.up) == [1, 2]
    menu = QMenu()
    pane.arranger.menu_opened.emit(menu, 2)
    next(action for action in menu.actions() if action.text() == "Plot this column").trigger()
    assert list(plot.choice.up) == [2]
    menu.clear()
    pane.arranger.menu_opened.emit(menu, 3)
    assert not menu.actions(), "a column of texts"


def test_the_plot_follows_filter_and_order(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    pane.arranger.filter("depth > 199")
    qtbot.waitUntil(lambda: plot.graph.shown is not None and plot.graph.shown.curves[0].x.size == 100)
    pane.arranger.filter("")
    choose(plot, None, 1)
    pane.arranger.sort(1, is_descending=False)
    qtbot.waitUntil(lambda: plot.graph.across.labelText == "place, sorted by depth")
    assert plot.graph.shown is not None
    assert plot.graph.shown.curves[0].y.tolist() == list(range(ROWS))


def test_a_plot_is_reached_and_used_with_keys(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    pane.window().activateWindow()
    pane.table.setFocus()
    for _ in range(20):
        widget = QApplication.focusWidget()
        if widget is plot.choice.up_list or widget is None:
            break
        QTest.keyClick(widget, Qt.Key.Key_Tab)
    rows = plot.choice.up_list
    assert rows.hasFocus()
    before = rows.grab().toImage()
    QTest.keyClick(rows, Qt.Key.Key_Down)
    assert rows.grab().toImage() != before, "the current line is seen"
    QTest.keyClick(rows, Qt.Key.Key_Down)
    QTest.keyClick(rows, Qt.Key.Key_Space)
    assert list(plot.choice.up) == [1, 2]
    qtbot.waitUntil(lambda: plot.graph.shown is not None and len(plot.graph.shown.curves) == 2)
    whole = plot.graph.view.viewRange()
    plot.graph.view.scaleBy((0.5, 0.5))
    assert plot.graph.view.viewRange() != whole
    QTest.keyClick(rows, Qt.Key.Key_F)
    assert np.allclose(plot.graph.view.viewRange(), whole)


def test_columns_of_different_kinds_are_refused_in_a_sentence(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    choose(plot, None, 0, 1)
    qtbot.waitUntil(lambda: "cannot share an axis" in plot.stack.sentence.text)
    assert plot.controls.note.text() == ""
    choose(plot, None)
    assert plot.stack.sentence.text == "Choose a column to plot."
    assert pane.figure() is None
    choose(plot, None, 1)
    qtbot.waitUntil(lambda: plot.stack.shows_data)


def test_a_plot_has_no_more_columns_than_colours(open_window: OpenWindow, qtbot: QtBot) -> None:
    columns = {f"c{number}": FakeArray(np.arange(5.0)) for number in range(len(LINE_COLOURS) + 1)}
    pane = open_table(open_window, qtbot, FakeGroup({"table": FakeGroup(columns)}))
    plot = plot_of(pane, qtbot)
    with qtbot.waitSignal(plot.reported) as said:
        choose(plot, None, *range(len(columns)))
    assert said.args == [f"A plot has at most {len(LINE_COLOURS)} columns: take one away first"]
    assert len(plot.choice.up) == len(LINE_COLOURS)
    assert len(set(plot.choice.up.values())) == len(LINE_COLOURS)
    assert plot.choice.up_list.item(len(LINE_COLOURS)).checkState() is Qt.CheckState.Unchecked


def test_of_too_many_selected_columns_the_first_ones_are_plotted(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    columns = {f"c{number:02}": FakeArray(np.arange(5.0)) for number in range(20)}
    pane = open_table(open_window, qtbot, FakeGroup({"table": FakeGroup(columns)}))
    plot = plot_of(pane, qtbot)
    with qtbot.waitSignal(plot.reported) as said:
        pane.plot.turn(range(20))
    assert said.args == [f"A plot has at most {len(LINE_COLOURS)} columns: these are the first ones"]
    assert list(plot.choice.up) == list(range(len(LINE_COLOURS)))


def test_another_column_is_announced_while_it_is_read(open_window: OpenWindow, qtbot: QtBot) -> None:
    """The old lines would look like the new column: they have its colour."""
    root, gate = weather(), Gate()
    pane = open_table(open_window, qtbot, root)
    plot = plot_of(pane, qtbot)
    qtbot.waitUntil(lambda: pane.model.value(0, 0)[0])
    root.find("/table/heat").before_read = gate.wait
    choose(plot, None, 2)
    qtbot.waitUntil(lambda: plot.stack.sentence.text == "Reading /table…" and not plot.stack.shows_data)
    gate.open()
    qtbot.waitUntil(lambda: plot.stack.shows_data and plot.graph.up.labelText == "heat (mm)")


def test_a_plot_that_was_not_agreed_to_does_not_show_an_earlier_choice(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, gate = weather(), Gate()
    pane = open_table(open_window, qtbot, root)
    plot = plot_of(pane, qtbot)
    qtbot.waitUntil(lambda: pane.model.value(0, 0)[0])
    root.find("/table/heat").before_read = gate.wait
    choose(plot, None, 2)
    assert gate.waiting.acquire(timeout=PATIENCE_S)
    monkeypatch.setattr(data_stack, "ASK_ABOVE_BYTES", 1000)
    choose(plot, None, 2, 0)
    choose(plot, None, 2)
    gate.open()
    qtbot.waitUntil(lambda: not plot._reading.busy)
    qtbot.waitUntil(lambda: not pane.workers.active)
    assert plot.stack.notice.text.startswith("This plot crosses")
    assert not plot.stack.shows_data
    assert plot.graph.shown is None


def test_a_hidden_plot_reads_nothing_until_it_is_shown_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    root, gate = weather(), Gate()
    pane = open_table(open_window, qtbot, root)
    plot = plot_of(pane, qtbot)
    qtbot.waitUntil(lambda: pane.model.value(0, 0)[0])
    heat = root.find("/table/heat")
    heat.before_read = gate.wait
    heat.selections.clear()
    choose(plot, None, 2)
    assert gate.waiting.acquire(timeout=PATIENCE_S)
    pane.hide()
    assert not plot._reading.busy
    plot.request()
    assert not plot._reading.busy
    gate.open()
    pane.show()
    qtbot.waitUntil(lambda: plot.graph.shown is not None and plot.graph.up.labelText == "heat (mm)")


def test_changed_elements_are_read_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(np.zeros(5, [("p", "f4"), ("q", "f4")]))
    pane = open_table(open_window, qtbot, FakeGroup({"table": array}))
    plot = plot_of(pane, qtbot)
    array.values["p"] = 3
    pane.forget_elements()
    qtbot.waitUntil(lambda: plot.graph.shown is not None and plot.graph.shown.curves[0].y.tolist() == [3] * 5)


def test_columns_that_are_not_shown_are_kept_while_there_is_room(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = open_table(open_window, qtbot)
    plot = plot_of(pane, qtbot)
    choose(plot, 0, 2)
    qtbot.waitUntil(lambda: plot.graph.up.labelText == "heat (mm)")
    assert sorted(plot._known) == [0, 1, 2]
    monkeypatch.setattr(columns_plot, "_KEPT_BYTES", 1000)
    plot.controls.log_y.click()
    qtbot.waitUntil(lambda: plot.graph.shown is not None and plot.graph.shown.y.is_log)
    assert sorted(plot._known) == [0, 2]


def test_an_error_is_shown_and_retry_works(open_window: OpenWindow, qtbot: QtBot) -> None:
    root, flaky = weather(), Flaky()
    pane = open_table(open_window, qtbot, root)
    qtbot.waitUntil(lambda: pane.model.value(0, 0)[0])
    root.find("/table/depth").before_read = flaky
    pane.controls.plot.click()
    plot = pane.plot.made
    assert plot is not None
    qtbot.waitUntil(lambda: "does not answer" in plot.stack.sentence.text)
    flaky.mended = True
    plot.stack.sentence.button.click()
    qtbot.waitUntil(lambda: is_drawn(plot))


def test_a_long_read_asks_first(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = open_table(open_window, qtbot)
    qtbot.waitUntil(lambda: pane.model.value(0, 0)[0])
    for module in (read_cost, data_stack):
        monkeypatch.setattr(module, "ASK_ABOVE_BYTES", 1000)
    pane.controls.plot.click()
    plot = pane.plot.made
    assert plot is not None
    assert plot.stack.notice.text.startswith("This plot crosses 2 chunks")
    assert plot.graph.shown is None
    plot.stack.notice.button.click()
    qtbot.waitUntil(lambda: is_drawn(plot))
