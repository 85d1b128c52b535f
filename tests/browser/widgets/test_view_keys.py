"""The keys of pictures and plots."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray
from tests.browser.panes.dragging import drag_to
from tests.browser.panes.image.pictures import VOLUME
from tests.browser.panes.image.pictures import show as show_picture
from tests.browser.panes.plots import show as show_plot
from zarrbrowser.image.regions.shapes import Region, Shape
from zarrbrowser.image.state import PlaneLayout
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow

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
    press(pane.canvas, KEY.Key_Right, KEY.Key_Down)
    press(pane.canvas, KEY.Key_Right, held=HELD.ShiftModifier | HELD.ControlModifier)  # away from the middle
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


BOX = ((9.5, 4.5), (14.5, 14.5))
SHAPES = [
    Region("", Shape.RECTANGLE, BOX),
    Region("", Shape.ELLIPSE, BOX),
    Region("", Shape.POLYGON, ((9.5, 4.5), (14.5, 9.0), (11.0, 14.5))),
]


@pytest.fixture
def pane(open_window: OpenWindow, qtbot: QtBot) -> ImagePane:
    shown, _ = show_picture(open_window, qtbot, VOLUME, ("z", "y", "x"))
    window = shown.window()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    shown.canvas.setFocus()
    return shown


def box(pane: ImagePane, number: int = 1) -> tuple[float, ...]:
    return pane.body.tools.regions.regions[number].box


@pytest.mark.parametrize("region", SHAPES, ids=lambda one: one.shape.value)
def test_tab_leads_to_a_region_which_arrow_keys_move_and_resize(
    region: Region, pane: ImagePane, qtbot: QtBot
) -> None:
    canvas, told = pane.canvas, []
    pane.body.controls.tools["region"].click()
    panel = pane.body.tools.regions
    panel.add(region)
    panel.table_model.setData(panel.table_model.index(1, 0), "cell")
    pane.pointed.connect(told.append)
    canvas.setFocus()
    view = canvas.view.viewRect()
    press(canvas, KEY.Key_Tab, held=HELD.NoModifier)
    assert told[-1].startswith("region 1: rows ")
    assert panel.chosen == 0
    press(canvas, KEY.Key_Tab, held=HELD.NoModifier)
    assert canvas.hasFocus()
    assert panel.chosen == 1
    assert told[-1].startswith(
        "cell: rows 10 to 14, columns 5 to 14; arrow keys move it, with Ctrl resize it"
    )
    assert canvas.accessibleDescription().endswith(told[-1])
    press(canvas, KEY.Key_Right, KEY.Key_Down, KEY.Key_Down, held=HELD.NoModifier)
    assert box(pane) == pytest.approx((11.5, 5.5, 16.5, 15.5))
    assert told[-1] == "cell: rows 12 to 16, columns 6 to 15"
    press(canvas, KEY.Key_Right)
    press(canvas, KEY.Key_Up, held=HELD.NoModifier)
    assert box(pane) == pytest.approx((10.5, 15.5, 15.5, 25.5))
    before = pane.model.state.settings.axes.index if pane.model.state is not None else ()
    press(canvas, KEY.Key_Right, KEY.Key_Right, KEY.Key_Up, held=HELD.ControlModifier)
    assert box(pane) == pytest.approx((10.5, 15.5, 14.5, 27.5))
    press(canvas, KEY.Key_Up, held=HELD.ControlModifier | HELD.ShiftModifier)
    assert box(pane) == pytest.approx((10.5, 15.5, 11.5, 27.5)), "an element is left"
    assert panel.regions[1].shape is region.shape
    assert pane.model.state is not None
    assert pane.model.state.settings.axes.index == before, "Ctrl+Right does not step to the next plane here"
    assert canvas.view.viewRect() == view, "nothing was panned"
    qtbot.waitUntil(lambda: panel.entries[1].found is not None)
    marked = canvas.grab().toImage()
    press(canvas, KEY.Key_Escape, held=HELD.NoModifier)
    assert told[-1] == ""
    assert canvas.hasFocus()
    assert canvas.grab().toImage() != marked
    press(canvas, KEY.Key_Right, held=HELD.NoModifier)
    assert canvas.view.viewRect() != view, "arrow keys pan again"
    assert box(pane) == pytest.approx((10.5, 15.5, 11.5, 27.5))


def test_flipped_axes_move_and_resize_as_they_look(pane: ImagePane) -> None:
    pane.body.controls.tools["region"].click()
    panel = pane.body.tools.regions
    panel.clear()
    panel.add(SHAPES[0])
    pane.model.set(flip_rows=True, flip_columns=True)
    pane.canvas.setFocus()
    press(pane.canvas, KEY.Key_Tab, KEY.Key_Right, KEY.Key_Down, held=HELD.NoModifier)
    assert box(pane, 0) == pytest.approx((8.5, 3.5, 13.5, 13.5))
    press(pane.canvas, KEY.Key_Right, KEY.Key_Down, held=HELD.ControlModifier)
    assert box(pane, 0) == pytest.approx((7.5, 2.5, 13.5, 13.5))


@pytest.mark.parametrize("shape", [Shape.RECTANGLE, Shape.ELLIPSE])
def test_a_region_without_a_size_is_drawn_and_gets_one(shape: Shape, pane: ImagePane) -> None:
    pane.body.controls.tools["region"].click()
    pane.body.tools.regions.clear()
    told: list[str] = []
    pane.pointed.connect(told.append)
    pane.body.tools.regions.add(Region("", shape, ((9.5, 4.5), (9.5, 4.5))))
    pane.canvas.grab()
    pane.canvas.setFocus()
    press(pane.canvas, KEY.Key_Tab, held=HELD.NoModifier)
    assert told[-1].startswith("region 1: no rows, no columns; ")
    press(pane.canvas, KEY.Key_Right, KEY.Key_Right, KEY.Key_Down, held=HELD.ControlModifier)
    assert box(pane, 0) == pytest.approx((9.5, 4.5, 10.5, 6.5))
    assert told[-1] == "region 1: rows 10 to 10, columns 5 to 6"


def test_keys_of_navigation_do_not_move_a_region(pane: ImagePane, qtbot: QtBot) -> None:
    pane.body.controls.tools["region"].click()
    pane.canvas.setFocus()
    press(pane.canvas, KEY.Key_Tab, held=HELD.NoModifier)
    window, entry = pane.window(), pane.body.tools.regions.entries[0]
    assert isinstance(window, MainWindow)
    before, view = entry.region, pane.canvas.view.viewRect()
    press(pane.canvas, KEY.Key_Right, held=HELD.AltModifier)  # there is nothing to go forward to
    press(pane.canvas, KEY.Key_Up, held=HELD.AltModifier)
    assert (entry.region, pane.canvas.view.viewRect()) == (before, view)
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/")


def test_nothing_is_marked_once_all_regions_are_removed(pane: ImagePane) -> None:
    pane.body.controls.tools["region"].click()
    pane.canvas.setFocus()
    told: list[str] = []
    press(pane.canvas, KEY.Key_Tab, held=HELD.NoModifier)
    pane.pointed.connect(told.append)
    pane.body.tools.regions.clear()
    assert told == [""]


def test_tab_leads_to_the_ends_of_a_profile_line(pane: ImagePane, qtbot: QtBot) -> None:
    canvas, told = pane.canvas, []
    pane.body.controls.tools["profile"].click()
    panel = pane.body.tools.measurements
    pane.pointed.connect(told.append)
    start, end = (handle["item"] for handle in panel.line.handles)
    places = [panel.line.mapToParent(one.pos()) for one in (start, end)]
    canvas.setFocus()
    press(canvas, KEY.Key_Tab, KEY.Key_Up, KEY.Key_Left, held=HELD.NoModifier)
    assert told[-1].startswith("start of the line: row ")
    assert panel.line.mapToParent(start.pos()) == places[0] - QPointF(1, 1)
    press(canvas, KEY.Key_Tab, held=HELD.NoModifier)
    assert "Ctrl" not in told[-1]
    press(canvas, KEY.Key_Left)
    press(canvas, KEY.Key_Left, held=HELD.ControlModifier)
    assert panel.line.mapToParent(end.pos()) == places[1] - QPointF(10, 0), "an end has no size"
    profile = panel.profile
    assert profile is not None
    length = np.hypot(*(places[1] - places[0] + QPointF(-9, 1)).toTuple())
    qtbot.waitUntil(
        lambda: bool(profile.curves) and profile.curves[0].xData[-1] == pytest.approx(length, abs=0.01)
    )
    press(canvas, KEY.Key_Backtab)
    assert told[-1].startswith("start of the line")
    press(canvas, KEY.Key_Backtab)
    assert told[-1] == ""
    assert canvas.hasFocus()
    press(canvas, KEY.Key_Tab, KEY.Key_Tab, KEY.Key_Tab, held=HELD.NoModifier)
    assert not canvas.hasFocus(), "Tab leads on after the last one"
    assert told[-1] == ""
    canvas.setFocus()
    press(canvas, KEY.Key_Tab, held=HELD.NoModifier)
    pane.body.controls.tools["profile"].click()
    assert told[-1] == "", "nothing is left to be moved"
    view = canvas.view.viewRect()
    press(canvas, KEY.Key_Right, held=HELD.NoModifier)
    assert canvas.view.viewRect() != view


def test_the_mouse_takes_the_keys_from_what_they_hold(pane: ImagePane, qtbot: QtBot) -> None:
    pane.body.controls.tools["region"].click()
    pane.canvas.setFocus()
    press(pane.canvas, KEY.Key_Tab, held=HELD.NoModifier)
    before = box(pane, 0)
    drag_to(pane.canvas.viewport(), QPoint(50, 50), pressed=Qt.MouseButton.NoButton)
    press(pane.canvas, KEY.Key_Right, held=HELD.NoModifier)
    assert box(pane, 0) == before
