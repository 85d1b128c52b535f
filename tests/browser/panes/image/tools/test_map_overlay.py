"""Coastlines and the graticule over pictures of the Earth, in the real window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.maps.places import projected, written
from tests.browser.panes.image.pictures import pane_of
from tests.browser.panes.image.tools.mapped import shown, world
from zarrbrowser.maps.sketch import NOTHING
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def pane(open_window: OpenWindow, qtbot: QtBot) -> ImagePane:
    found = pane_of(open_window(world(), "/array"), qtbot)
    qtbot.waitUntil(lambda: found.view.is_complete and shown(found.view.map))
    return found


def test_coastlines_are_on_and_the_graticule_is_off(pane: ImagePane, qtbot: QtBot) -> None:
    sketch = pane.view.map.lines.sketch
    assert sketch.coastlines.rows.size > 1000
    assert not sketch.graticule.labels
    image = pane.canvas.grab().toImage()
    pane.body.tools.map.coastlines.trigger()
    qtbot.waitUntil(lambda: pane.view.map.lines.sketch is NOTHING)
    assert pane.canvas.grab().toImage() != image
    pane.body.tools.map.graticule.trigger()
    qtbot.waitUntil(lambda: bool(pane.view.map.lines.sketch.graticule.labels))
    assert not shown(pane.view.map)
    pane.canvas.grab()
    assert {"60°N", "0°", "180°"} <= set(pane.view.map.lines.labels)


def test_the_lines_follow_the_view_and_the_axes(pane: ImagePane, qtbot: QtBot) -> None:
    assert pane.view.map.lines.sketch.coastlines.rows.max() > 25
    pane.canvas.show_range((5, 10), (0, 5))
    qtbot.waitUntil(lambda: pane.view.map.lines.sketch.coastlines.rows.max() < 25)
    assert pane.model.state is not None
    axes = pane.model.state.settings.axes
    pane.model.set(axes=axes.with_rows(2))  # longitudes down, latitudes to the right
    qtbot.waitUntil(lambda: pane.view.map.lines.sketch.coastlines.rows.max(initial=0) > 30)
    assert pane.view.map.lines.sketch.coastlines.columns.max() < 30
    pane.model.set(axes=axes.with_rows(0))
    qtbot.waitUntil(lambda: pane.view.map.lines.sketch is NOTHING)
    assert not pane.body.controls.map.isEnabled()


def test_both_views_of_a_pair_are_maps(pane: ImagePane, qtbot: QtBot) -> None:
    pane.body.controls.layouts["pair"].click()
    qtbot.waitUntil(lambda: shown(pane.body.grid.others[0].map))
    pane.body.controls.layouts["single"].click()
    assert pane.body.grid.others == []


def test_another_array_has_no_map(pane: ImagePane, qtbot: QtBot) -> None:
    window = pane.window()
    assert isinstance(window, MainWindow)
    window.open_text("fake.zarr#/other")
    qtbot.waitUntil(lambda: pane.model.state is not None and pane.model.state.image.path == "/other")
    assert pane.view.map.lines.sketch is NOTHING
    assert not pane.body.controls.map.isEnabled()


def test_a_projected_array_has_coastlines(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    x, y = np.linspace(-3e6, 3e6, 60), np.linspace(3e6, -3e6, 50)
    window.open_text(written(tmp_path, projected("EPSG:3413", x, y)))
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: shown(pane.view.map))
    pane.body.tools.map.graticule.trigger()
    qtbot.waitUntil(lambda: "80°N" in [label.text for label in pane.view.map.lines.sketch.graticule.labels])


def test_elements_have_the_proportions_of_their_degrees(pane: ImagePane, qtbot: QtBot) -> None:
    ratio = 9 / (180 / 29)
    assert pane.canvas.proportion == pytest.approx(ratio)
    assert pane.canvas.is_fitted
    assert pane.model.state is not None
    axes = pane.model.state.settings.axes
    pane.model.set(axes=axes.with_rows(2))
    assert pane.canvas.proportion == pytest.approx(1 / ratio)
    pane.model.set(axes=axes.with_rows(0))  # time down
    assert pane.canvas.proportion == 1
