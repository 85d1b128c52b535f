"""The typed bounds of the contrast."""

from __future__ import annotations

import numpy as np
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import show


def test_bounds_of_dates_are_dates(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.datetime64("2020-01-01", "h") + np.arange(24 * 400).reshape(100, 96)
    pane, _array = show(open_window, qtbot, values)
    contrast = pane.contrast
    assert contrast.low.text().startswith("2020-01-0")
    contrast.low.clear()
    QTest.keyClicks(contrast.low, "2020-03-01\r")
    expected = np.datetime64("2020-03-01", "h").astype(np.int64)
    assert pane.view.picture_style().levels[0] == expected
    contrast.low.clear()
    QTest.keyClicks(contrast.low, "nonsense\r")
    assert pane.view.picture_style().levels[0] == expected
    assert contrast.low.text() == "2020-03-01T00"
