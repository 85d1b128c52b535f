"""The tools go on and off with the picture: without one, and while a map is projected."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import VOLUME, pane_of, show
from tests.browser.panes.image.tools.mapped import world
from zarrbrowser.maps.projection import Projection


def test_tools_in_rows_and_columns_are_off_meanwhile(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(world(), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.body.controls.map.isEnabled())
    pane.body.controls.tools["region"].click()
    pane.model.set(projection=Projection.MOLLWEIDE)
    assert not pane.body.controls.tools["region"].isChecked()
    assert not pane.body.controls.chunks.isEnabled()
    qtbot.waitUntil(lambda: pane.view.projection.canvas is not None)
    canvas = pane.view.projection.canvas
    assert canvas is not None
    pane.model.set(projection=Projection.NONE)
    assert not canvas.isVisible()
    assert pane.body.controls.chunks.isEnabled()
    assert pane.canvas.is_fitted


def test_tools_are_off_without_a_picture(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    pane.body.controls.tools["profile"].click()
    pane.body.controls.series.click()
    pane.clear()
    assert not pane.body.controls.tools["profile"].isChecked()
    assert not pane.body.controls.series.isChecked()
