"""The button of the map: there for pictures of the Earth, and it says why if there is no map."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.maps.places import angles, written
from tests.browser.panes.image.pictures import VOLUME, pane_of, show
from tests.browser.panes.image.tools.mapped import EAST, NORTH, shown, world
from zarrbrowser.maps.sketch import NOTHING
from zarrbrowser.window.main_window import MainWindow


def test_pictures_without_a_place_have_no_button(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    assert not pane.body.controls.map.isEnabled()
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
    qtbot.waitUntil(lambda: pane.body.controls.map.toolTip() == why)
    assert not pane.body.controls.map.isEnabled()
    assert pane.view.map.lines.sketch is NOTHING


def test_coordinates_of_another_length_are_no_map(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(world(NORTH, EAST[1:]), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.coordinate_labels.is_known)
    assert not pane.body.controls.map.isEnabled()


def test_the_choice_is_kept_for_the_next_visit(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    address = written(tmp_path, angles(NORTH, EAST))
    window.open_text(address)
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: shown(pane.view.map))
    pane.body.tools.map.coastlines.trigger()
    pane.body.tools.map.graticule.trigger()
    assert pane.view_state()["map"] == [False, True]
    document = pane.view_state()
    pane.restore({**document, "map": [True, False]})
    qtbot.waitUntil(lambda: shown(pane.view.map))
    assert pane.body.tools.map.coastlines.isChecked()
    assert not pane.body.tools.map.graticule.isChecked()
