"""A slider that jumps to the place where it is clicked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from zarrbrowser.widgets.jump_slider import JumpSlider

pytestmark = pytest.mark.usefixtures("application")


@pytest.fixture
def slider(qtbot: QtBot) -> JumpSlider:
    made = JumpSlider()
    qtbot.addWidget(made)
    made.setRange(0, 1000)
    made.setPageStep(10)
    made.resize(400, 24)
    made.show()
    return made


@pytest.mark.parametrize(("share", "low", "high"), [(0.5, 480, 520), (0.75, 730, 780), (0.02, 0, 20)])
def test_a_click_brings_the_handle_there(slider: JumpSlider, share: float, low: int, high: int) -> None:
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(round(400 * share), 12))
    assert low <= slider.value() <= high


def test_the_handle_can_be_dragged_on_after_the_click(slider: JumpSlider) -> None:
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(200, 12))
    at = slider.value()
    QTest.mouseMove(slider, QPoint(300, 12))
    assert slider.value() > at + 150
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(300, 12))


def test_a_press_on_the_handle_moves_nothing_and_other_buttons_do_not_jump(slider: JumpSlider) -> None:
    slider.setValue(500)
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(202, 12))
    assert slider.value() == 500
    QTest.mouseClick(slider, Qt.MouseButton.RightButton, pos=QPoint(20, 12))
    assert slider.value() == 500
