"""Coastlines and the graticule over pictures of the Earth, in the real window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.maps.places import angles, projected, written
from tests.browser.panes.image.pictures import VOLUME, pane_of, show
from zarrbrowser.maps.sketch import NOTHING
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.image.tools.map_overlay import MapOverlay
from zarrbrowser.window.main_window import MainWindow

NORTH, EAST = np.linspace(90, -90, 30), np.arange(0, 360, 9)


def world(north: object = NORTH, east: object = EAST) -> FakeGroup:
    array, lat, lon = FakeArray(VOLUME, ("time", "lat", "lon")), FakeArray(north), FakeArray(east)
    lat.attributes, lon.attributes = {"units": "degrees_north"}, {"units": "degrees_east"}
    return FakeGroup({"array": array, "lat": lat, "lon": lon, "other": FakeArray(VOLUME[0])})


def shown(overlay: MapOverlay) -> bool:
    return overlay.lines.sketch.coastlines.rows.size > 0


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
    pane.tools.map.coastlines.trigger()
    qtbot.waitUntil(lambda: pane.view.map.lines.sketch is NOTHING)
    assert pane.canvas.grab().toImage() != image
    pane.tools.map.graticule.trigger()
    qtbot.waitUntil(lambda: bool(pane.view.map.lines.sketch.graticule.labels))
    assert not shown(pane.view.map)
    pane.canvas.grab()
    assert {"60°N", "0°", "180°"} <= set(pane.view.map.lines.labels)


def test_the_lines_follow_the_view_and_the_axes(pane: ImagePane, qtbot: QtBot) -> None:
    before = pane.view.map.lines.sketch
    pane.canvas.show_range((5, 10), (0, 5))
    qtbot.waitUntil(lambda: pane.view.map.lines.sketch is not before)
    assert pane.view.map.lines.sketch.coastlines.rows.max() < 25
    assert pane.model.state is not None
    axes = pane.model.state.settings.axes
    pane.model.set(axes=axes.with_rows(2))  # longitudes down, latitudes to the right
    qtbot.waitUntil(lambda: pane.view.map.lines.sketch.coastlines.rows.max(initial=0) > 30)
    assert pane.view.map.lines.sketch.coastlines.columns.max() < 30
    pane.model.set(axes=axes.with_rows(0))
    qtbot.waitUntil(lambda: pane.view.map.lines.sketch is NOTHING)
    assert not pane.controls.map.isVisible()


def test_both_views_of_a_pair_are_maps(pane: ImagePane, qtbot: QtBot) -> None:
    pane.controls.layouts["pair"].click()
    qtbot.waitUntil(lambda: shown(pane.grid.others[0].map))
    pane.controls.layouts["single"].click()
    assert pane.grid.others == []


def test_another_array_has_no_map(pane: ImagePane, qtbot: QtBot) -> None:
    window = pane.window()
    assert isinstance(window, MainWindow)
    window.open_text("fake.zarr#/other")
    qtbot.waitUntil(lambda: pane.model.state is not None and pane.model.state.image.path == "/other")
    assert pane.view.map.lines.sketch is NOTHING
    assert not pane.controls.map.isVisible()


def test_pictures_without_a_place_have_no_button(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    assert not pane.controls.map.isVisible()
    assert pane.view.map.lines.sketch is NOTHING


@pytest.mark.parametrize(
    ("north", "east", "why"),
    [
        (np.r_[NORTH[:-1], 50], EAST, "No map: the latitudes of this image neither only rise nor only fall."),
        (NORTH, np.r_[EAST[:-1], np.nan], "No map: some of the coordinates in /lon are missing."),
    ],
)
def test_the_button_says_why_there_is_no_map(
    north: object, east: object, why: str, open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane = pane_of(open_window(world(north, east), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.controls.map.isVisible())
    assert pane.controls.map.toolTip() == why
    assert not pane.controls.map.isEnabled()
    assert pane.view.map.lines.sketch is NOTHING


def test_coordinates_of_another_length_are_no_map(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(world(NORTH, EAST[1:]), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.coordinate_labels.is_known)
    assert not pane.controls.map.isVisible()


def test_a_projected_array_has_coastlines(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    x, y = np.linspace(-3e6, 3e6, 60), np.linspace(3e6, -3e6, 50)
    window.open_text(written(tmp_path, projected("EPSG:3413", x, y)))
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: shown(pane.view.map))
    pane.tools.map.graticule.trigger()
    qtbot.waitUntil(lambda: "80°N" in [label.text for label in pane.view.map.lines.sketch.graticule.labels])


def test_the_choice_is_kept_for_the_next_visit(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    address = written(tmp_path, angles(NORTH, EAST))
    window.open_text(address)
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: shown(pane.view.map))
    pane.tools.map.coastlines.trigger()
    pane.tools.map.graticule.trigger()
    assert pane.view_state()["map"] == [False, True]
    document = pane.view_state()
    pane.restore({**document, "map": [True, False]})
    qtbot.waitUntil(lambda: shown(pane.view.map))
    assert pane.tools.map.coastlines.isChecked()
    assert not pane.tools.map.graticule.isChecked()
