"""The canvas: the part in view, and the keys and the pointer that change it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import VOLUME, show


def test_a_plane_that_fits_the_view_also_fits_a_resized_window(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    window = pane.window()
    window.resize(900, 600)
    qtbot.wait(20)
    before = pane.canvas.view.viewPixelSize()[0]
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: pane.canvas.view.viewPixelSize()[0] < before * 0.8)
    assert pane.canvas.view.viewRect().contains(QRectF(0, 0, 39, 29))


@pytest.mark.parametrize(("shape", "square"), [((60, 30), True), ((60, 3), False), ((3, 600), False)])
def test_a_narrow_plane_fits_into_view(
    shape: tuple[int, int], square: bool, open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane, _array = show(open_window, qtbot, np.zeros(shape))
    assert pane.body.controls.square.isChecked() == square
    everything = QRectF(0, 0, shape[1] - 1, shape[0] - 1)
    assert pane.canvas.view.viewRect().contains(everything)
    pane.body.controls.square.toggle()
    assert pane.canvas.view.viewRect().contains(everything)


def test_keys_pan_and_zoom(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.canvas.show_range((5, 15), (5, 15))
    before = pane.canvas.visible()
    QTest.keyClick(pane.canvas, Qt.Key.Key_Right)
    moved = pane.canvas.visible()
    width = before.columns[1] - before.columns[0]
    assert moved.columns[0] - before.columns[0] == pytest.approx(width / 8)
    QTest.keyClick(pane.canvas, Qt.Key.Key_Up)
    assert pane.canvas.visible().rows[0] < moved.rows[0]
    QTest.keyClick(pane.canvas, Qt.Key.Key_Plus)
    nearer = pane.canvas.visible()
    assert nearer.columns[1] - nearer.columns[0] == pytest.approx(width * 0.8)
    pane.body.controls.flip_rows.click()
    before = pane.canvas.visible()
    QTest.keyClick(pane.canvas, Qt.Key.Key_Up)
    assert pane.canvas.visible().rows[0] > before.rows[0]  # up is up
