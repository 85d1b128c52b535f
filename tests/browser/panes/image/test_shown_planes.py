"""The planes on the screen as figures: the same colours, coordinates and parts; finer where the figure is."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import VOLUME, drawn, pane_of, pyramid, show
from zarrbrowser.export.figures.figure import Picture
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.panes.image.image_pane import ImagePane


def panel(pane: ImagePane, number: int = 0) -> Picture:
    source = pane.figure()
    assert source is not None
    found = source.as_shown().panels[number][2]
    assert isinstance(found, Picture)
    return found


def test_a_figure_has_the_colours_of_the_screen(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, array = show(open_window, qtbot, VOLUME, ("time", "y", "x"))
    read = len(array.selections)
    found = panel(pane)
    assert np.array_equal(found.layers[0].pixels, drawn(pane))
    assert len(array.selections) == read, "nothing is read for it"
    assert (found.rows.label, found.rows.low, found.rows.high) == ("y", -0.5, 29.5)
    assert found.proportion == 1.0
    source = pane.figure()
    assert source is not None
    figure = source.as_shown()
    assert figure.title == "array, time = 0"
    assert figure.colour_bar is not None
    assert figure.colour_bar.levels == pane.view.picture_style().levels
    assert figure.colour_bar.label == "array (mm)"


def test_only_the_part_in_view_is_in_the_figure(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME[0])
    pane.body.controls.square.setChecked(False)
    with qtbot.waitSignal(pane.canvas.moved):
        pane.canvas.show_range((4.5, 14.5), (9.5, 19.5))
    found = panel(pane)
    assert found.layers[0].pixels.shape == (10, 10, 4)
    assert found.layers[0].rect == (4.5, 9.5, 14.5, 19.5)
    assert found.proportion is None
    assert found.columns.low == pytest.approx(9.5)


def test_flipped_rows_run_up_in_the_figure(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME[0])
    pane.body.controls.flip_rows.click()
    assert panel(pane).rows.low > panel(pane).rows.high


def test_a_figure_reads_the_level_that_it_needs(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, arrays = pyramid()
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    source = pane.figure()
    assert source is not None
    coarse = source.as_shown().panels[0][2].layers[0].pixels.shape[0]
    assert not arrays[0].selections
    fine = source.read((4000, 4000)).panels[0][2].layers[0].pixels
    assert fine.shape[0] == 2048 > coarse
    assert arrays[0].selections


def test_reading_can_be_cancelled(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME[0])
    source = pane.figure()
    assert source is not None
    with pytest.raises(Cancelled):
        source.read((100, 100), lambda: True)


def test_a_figure_that_costs_too_much_has_the_screens_samples(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane, _array = show(open_window, qtbot, VOLUME[0])
    source = pane.figure()
    assert source is not None
    monkeypatch.setattr("zarrbrowser.image.tiles.frames.ASK_ABOVE_BYTES", 10)
    figure = source.read((5000, 5000))
    assert "resolution of the screen" in figure.note
    assert np.array_equal(figure.panels[0][2].layers[0].pixels, panel(pane).layers[0].pixels)


def test_orthogonal_planes_are_three_panels(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    pane.body.controls.layouts["orthogonal"].click()
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.body.grid.views))
    source = pane.figure()
    assert source is not None
    figure = source.as_shown()
    assert [(row, column) for row, column, _ in figure.panels] == [(0, 0), (0, 1), (1, 0)]
    assert [(one.rows.label, one.columns.label) for _, _, one in figure.panels] == [
        ("y", "x"),
        ("y", "z"),
        ("z", "x"),
    ]


def test_pictures_without_an_order_of_colours_have_no_colour_bar(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane, _array = show(open_window, qtbot, np.zeros((20, 30, 3), np.uint8))
    source = pane.figure()
    assert source is not None
    assert source.as_shown().colour_bar is None


def test_nothing_is_a_figure_before_it_is_drawn(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"array": FakeArray(np.zeros((0, 10)))}), "/array")
    assert pane_of(window, qtbot).figure() is None


def test_the_norm_of_the_screen_is_that_of_the_colour_bar(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME[0] ** 2)
    pane.model.set(norm=Norm.LOG)
    source = pane.figure()
    assert source is not None
    bar = source.as_shown().colour_bar
    assert bar is not None
    assert bar.norm is Norm.LOG
