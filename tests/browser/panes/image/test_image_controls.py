"""The bar of controls above the picture."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import VOLUME, drawn, picture, show
from zarrbrowser.image.colours.render import Style, rgba


def test_axes_are_chosen_and_swapped(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.controls.axes.swap.click()
    assert np.array_equal(picture(pane), VOLUME[4].T)
    box = pane.body.controls.axes.rows
    with qtbot.waitSignal(pane.plane_shown):
        box.setCurrentIndex(box.findText("z"))
        box.activated.emit(box.currentIndex())
    assert np.array_equal(picture(pane), VOLUME[:, :, 20])
    assert list(pane.body.sliders.sliders) == [2]


def test_structures_offer_their_fields(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.zeros((3, 4), [("height", "f4"), ("name", "S2"), ("count", "i2")])
    values["count"] = 5
    pane, _array = show(open_window, qtbot, values)
    box = pane.body.controls.field
    assert [box.itemText(row) for row in range(box.count())] == ["height", "count"]
    box.textActivated.emit("count")
    assert np.array_equal(drawn(pane), rgba(values["count"], Style(levels=(4.5, 5.5))))


def test_the_bar_hides_controls_in_a_narrow_window(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    window = pane.window()
    window.resize(1400, 700)
    qtbot.waitUntil(lambda: pane.body.controls.axes.labels[0].isVisible())
    window.resize(800, 600)
    qtbot.waitUntil(lambda: not pane.body.controls.axes.labels[0].isVisible())
    assert pane.body.controls.fit.isVisible()
    assert pane.body.controls.fit.geometry().right() <= pane.body.controls.width()


def test_the_bar_of_a_new_window_shows_all_controls_that_have_room(
    open_new_window: OpenWindow, qtbot: QtBot
) -> None:
    pane, _array = show(open_new_window, qtbot, VOLUME)
    controls = pane.body.controls
    at_first = [control.isVisible() for control in controls.gives_way]
    controls.make_room()
    assert at_first == [control.isVisible() for control in controls.gives_way]
    assert controls.gives_way[-1].isVisible()
