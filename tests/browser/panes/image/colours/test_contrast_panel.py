"""The panel of contrast and colours."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import VOLUME, show
from zarrbrowser.image.colours.contrast import ContrastMode


def test_contrast_by_mode_or_typed_bounds_is_kept(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    contrast = pane.body.contrast
    contrast.mode.setCurrentIndex(contrast.mode.findText("Full range"))
    contrast.mode.activated.emit(contrast.mode.currentIndex())
    assert pane.view.picture_style().levels == pytest.approx((VOLUME[4].min(), VOLUME[4].max()))
    contrast.low.clear()
    QTest.keyClicks(contrast.low, "-0.5\r")
    assert pane.view.picture_style().levels[0] == -0.5
    assert contrast.mode.currentData() is ContrastMode.FIXED
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    assert pane.view.picture_style().levels[0] == -0.5
    contrast.histogram.dragged.emit(0.0, 1.0)
    assert list(pane.view.picture_style().levels) == [0.0, 1.0]


def test_the_largest_number_of_64_bits_fits(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, np.arange(12, dtype=np.uint64).reshape(3, 4), ("y", "x"))
    masked = pane.body.contrast.masked
    assert masked.sizeHint().width() <= masked.width()
    assert "18,446,744,073,709,551,615" in masked.toolTip()
