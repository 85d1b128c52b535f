"""The keys of pictures and plots."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray
from tests.browser.panes.dragging import drag_to
from tests.browser.panes.image.pictures import VOLUME
from tests.browser.panes.image.pictures import show as show_picture
from tests.browser.panes.plots import show as show_plot
from zarrbrowser.image.state import PlaneLayout

KEY, HELD = Qt.Key, Qt.KeyboardModifier


def press(widget: QWidget, *keys: Qt.Key, held: Qt.KeyboardModifier = HELD.ShiftModifier) -> None:
    for key in keys:
        QTest.keyClick(widget, key, held)


@pytest.mark.parametrize("flips", [(False, False), (True, True), (True, False)])
def test_keys_point_at_an_element_which_a_screen_reader_can_say(
    flips: tuple[bool, bool], open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane, _ = show_picture(open_window, qtbot, VOLUME, ("z", "y", "x"))
    canvas, told = pane.canvas, []
    assert canvas.accessibleDescription() == "/array, 30 y × 40 x, z = 4"
    pane.model.set(flip_rows=flips[0], flip_columns=flips[1])
    pane.pointed.connect(told.append)
    press(canvas, KEY.Key_Left)
    middle = round(canvas.keys.point.y()), round(canvas.keys.point.x())
    press(canvas, KEY.Key_Right, KEY.Key_Down)
    way = [-1 if flip else 1 for flip in flips]
    place = middle[0] + way[0], middle[1] + way[1]
    assert f"{VOLUME[4][place]:.3g}"[:4] in told[-1]
    assert f"y = {place[0]}" in told[-1]
    assert canvas.accessibleDescription().endswith(told[-1])
    press(canvas, KEY.Key_Right, held=HELD.ShiftModifier | HELD.ControlModifier)
    assert abs(canvas.keys.point.x() - place[1]) == 10
    before = canvas.grab().toImage()
    drag_to(canvas.viewport(), QPoint(50, 50), pressed=Qt.MouseButton.NoButton)
    qtbot.waitUntil(lambda: canvas.keys.point is None)
    assert canvas.grab().toImage() != before, "the point was visible"


def test_enter_moves_the_orthogonal_planes_as_a_click_does(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show_picture(open_window, qtbot, VOLUME)
    pane.model.arrange(PlaneLayout.ORTHOGONAL)
    press(pane.canvas, KEY.Key_Enter, held=HELD.NoModifier)
    assert pane.model.state is not None
    before = pane.model.state.settings.axes.index
    press(pane.canvas, KEY.Key_Right, KEY.Key_Right, KEY.Key_Down)
    point = pane.canvas.keys.point
    assert pane.model.state.settings.axes.index == before
    press(pane.canvas, KEY.Key_Return, held=HELD.NoModifier)
    assert pane.model.state.settings.axes.index[1:] == (round(point.y()), round(point.x())) != before[1:]


def test_keys_move_and_zoom_a_plot_and_point_at_its_elements(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, told = show_plot(open_window, qtbot, FakeArray(np.arange(21.0) * 2)), []
    qtbot.waitUntil(lambda: pane.series is not None and "21 elements" in pane.controls.note.text())
    assert pane.graph.accessibleDescription() == "/array, 21 elements"
    pane.pointed.connect(told.append)
    press(pane.graph, KEY.Key_Left, KEY.Key_Right)
    assert told[-1].endswith("= 11:  22.0 mm")
    assert pane.graph.accessibleDescription().endswith(told[-1])
    left, right = pane.graph.view.viewRange()[0]
    press(pane.graph, KEY.Key_Plus, held=HELD.NoModifier)
    assert pane.graph.view.viewRect().width() < right - left
    (low, high), across = pane.graph.view.viewRange()[1], pane.graph.view.viewRange()[0]
    press(pane.graph, KEY.Key_Up, held=HELD.NoModifier)
    assert pane.graph.view.viewRange()[1][0] > low
    assert pane.graph.view.viewRange()[0] == pytest.approx(across)
    assert pane.graph.view.viewRange()[1][1] > high
