"""Mouse and keys turn, zoom and move the volume."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.volume.renderer import Drawn, View
from zarrbrowser.panes.volume.volume_view import VolumeView
from zarrbrowser.volume.box import AxisText
from zarrbrowser.volume.camera import Camera, Side

TEXTS = (AxisText("x", "0", "9"), AxisText("y", "0", "8"), AxisText("z", "0", "7"))
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def view(application: QApplication, qtbot: QtBot) -> VolumeView:
    made = VolumeView()
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show_box((4.0, 3.0, 2.0), "micrometer", (False, False, False), TEXTS)
    made.see_from(Side.FRONT)
    made.show()
    return made


def turn(view: VolumeView) -> list[list[float]]:
    return np.round(view.look.camera.turn, 6).tolist()


FRONT, TOP, LEFT = (np.round(Camera.of(side).turn, 6).tolist() for side in Side)


@pytest.mark.parametrize(
    ("key", "expected"), [(Qt.Key.Key_Z, FRONT), (Qt.Key.Key_Y, TOP), (Qt.Key.Key_X, LEFT)]
)
def test_keys_show_the_sides(
    view: VolumeView, qtbot: QtBot, key: Qt.Key, expected: list[list[float]]
) -> None:
    view.reset()
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    qtbot.keyClick(view, key)
    assert turn(view) == expected
    assert view.look.camera.zoom == 1
    qtbot.keyClick(view, Qt.Key.Key_R)
    assert turn(view) == np.round(Camera.initial().turn, 6).tolist()


def test_arrow_keys_turn_and_with_shift_move(view: VolumeView, qtbot: QtBot) -> None:
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.look.camera.turn[0, 2] < 0, "the near side goes to the right"
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert turn(view) == FRONT
    qtbot.keyClick(view, Qt.Key.Key_Down, SHIFT)
    assert turn(view) == FRONT
    assert view.look.camera.pan[1] > 0


def test_plus_and_minus_zoom(view: VolumeView, qtbot: QtBot) -> None:
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.look.camera.zoom == 1.25
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    assert view.look.camera.zoom == pytest.approx(1)


def test_dragging_turns_and_with_shift_moves(view: VolumeView, qtbot: QtBot) -> None:
    told: list[None] = []
    view.look_changed.connect(lambda: told.append(None))
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(view, left, NONE, QPoint(100, 100))
    qtbot.mouseMove(view, QPoint(140, 100))
    qtbot.mouseRelease(view, left, NONE, QPoint(140, 100))
    assert view.look.camera.turn[0, 2] < 0
    assert told
    before = turn(view)
    qtbot.mouseMove(view, QPoint(200, 200))
    assert turn(view) == before, "the volume is let go"
    qtbot.mousePress(view, Qt.MouseButton.MiddleButton, NONE, QPoint(100, 100))
    qtbot.mouseMove(view, QPoint(120, 130))
    qtbot.mouseRelease(view, Qt.MouseButton.MiddleButton, NONE, QPoint(120, 130))
    assert turn(view) == before
    assert min(view.look.camera.pan) > 0
    qtbot.mouseDClick(view, left)
    assert view.look.camera.pan == (0, 0)
    assert turn(view) == before, "only the zoom is new"


def test_the_wheel_zooms_at_the_pointer(view: VolumeView) -> None:
    projection = view.projection()
    assert projection is not None
    origin, _ = projection.ray(300, 100)
    wheel = QWheelEvent(
        QPointF(300, 100),
        QPointF(300, 100),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        NONE,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    view.wheelEvent(wheel)
    projection = view.projection()
    assert projection is not None
    assert projection.camera.zoom == pytest.approx(1.25**2)
    assert projection.place(origin)[:2] == pytest.approx([300, 100])


def test_a_view_is_wanted_for_each_size(view: VolumeView) -> None:
    wanted: list[View] = []
    view.wanted.connect(wanted.append)
    view.resize(500, 350)
    assert (wanted[-1].projection.width, wanted[-1].projection.height) == (500, 350)


def test_the_picture_is_over_the_hidden_edges_and_under_the_others(view: VolumeView) -> None:
    projection = view.projection()
    assert projection is not None
    image = QImage(400, 300, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(255, 0, 0))
    view.show_picture(Drawn(image, View(projection, (False,) * 3, view.look), True, 0.1))
    shown = view.picture()
    assert shown.pixelColor(3, 150) == QColor(255, 0, 0)
    edge = round(projection.place(np.array([-2.0, 0, 0]))[0])
    colours = {shown.pixelColor(x, 150).name() for x in range(edge - 2, edge + 3)}
    assert len(colours) > 1, "the edge of the box"
    view.forget()
    assert view.projection() is None
    assert view.picture().pixelColor(3, 150) != QColor(255, 0, 0)
    view.show_picture(Drawn(image, View(projection, (False,) * 3, view.look), True, 0.1))
    assert view.drawn is None, "a late picture of the volume before"


def test_other_keys_are_left_to_the_window(view: VolumeView, qtbot: QtBot) -> None:
    before = turn(view)
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(view, Qt.Key.Key_Q)
    assert turn(view) == before
