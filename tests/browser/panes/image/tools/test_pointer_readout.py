"""The text about the element under the pointer."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import show


def test_the_value_under_the_pointer_is_exact_even_if_samples_are_drawn(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    values = np.arange(4000 * 4000, dtype=np.int32).reshape(4000, 4000)
    pane, array = show(open_window, qtbot, values)
    assert pane.view.frame.raster.steps != (1, 1)
    heard: list[str] = []
    pane.pointed.connect(heard.append)
    pane.canvas.pointed.emit((1001.2, 2003.4))
    qtbot.waitUntil(lambda: any(text.endswith(f":  {values[1001, 2003]:,} mm") for text in heard))
    assert heard[0].endswith("…")
    before = len(array.selections)
    for column in range(100):
        pane.canvas.pointed.emit((5.0, float(column)))
    qtbot.waitUntil(lambda: any(text.endswith(f":  {values[5, 99]:,} mm") for text in heard))
    assert len(array.selections) <= before + 3  # only where the pointer rests


def test_the_value_under_the_pointer_has_coordinates(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, np.arange(12, dtype=np.int32).reshape(3, 4) * 1000, ("y", "x"))
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((2, 1))
    assert heard.args == ["y = 2, x = 1:  9,000 mm"]
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit(None)
    assert heard.args == [""]


def test_the_value_follows_the_plane_under_a_pointer_that_rests(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    values = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    pane, _array = show(open_window, qtbot, values, ("z", "y", "x"))
    heard: list[str] = []
    pane.pointed.connect(heard.append)
    pane.canvas.pointed.emit((2, 1))
    there = pane.model.state.settings.axes.index[0]
    assert heard[-1].endswith(f":  {values[there, 2, 1]} mm")
    pane.body.sliders.spins[0].setValue(1 - there)
    qtbot.waitUntil(lambda: heard[-1].endswith(f":  {values[1 - there, 2, 1]} mm"))
    pane.body.controls.axes.swap.click()  # the element under the pointer is another one now
    qtbot.waitUntil(lambda: heard[-1] == "")
