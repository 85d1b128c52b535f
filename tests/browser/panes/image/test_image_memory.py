"""The settings of images that were shown before."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import VOLUME, pane_of, picture


def test_a_sibling_with_the_same_axes_is_shown_at_the_same_time(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    names = ("time", "y", "x")
    children = {
        "one": FakeArray(VOLUME, names),
        "two": FakeArray(VOLUME * 2, names),
        "short": FakeArray(VOLUME[:5], names),
    }
    window = open_window(FakeGroup(children), "/one")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.sliders[0].setValue(6)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/two")
    assert np.array_equal(picture(pane), VOLUME[6] * 2)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.sliders[0].setValue(2)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/one")
    assert np.array_equal(picture(pane), VOLUME[2]), "although it was shown at another time before"
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/short")
    assert np.array_equal(picture(pane), VOLUME[0]), "an axis of another length is another axis"


def test_returning_shows_the_same_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = FakeGroup({"one": FakeArray(VOLUME), "two": FakeArray(VOLUME * 2)})
    window = open_window(root, "/one")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.sliders[0].setValue(1)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/two")
    assert np.array_equal(picture(pane), VOLUME[4] * 2)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/one")
    assert np.array_equal(picture(pane), VOLUME[1])
