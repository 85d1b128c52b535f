"""The widgets around the picture."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import drawn, show
from zarrbrowser.theme import LIGHT


def test_nan_is_counted_and_has_its_own_colour(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.ones((20, 20), np.float32)
    values[:5] = np.nan
    values[5:10] = 2
    pane, _array = show(open_window, qtbot, values)
    assert pane.body.missing.text == "100 of 400 elements without a value (NaN)"
    assert pane.body.missing.isVisible()
    assert QColor(*drawn(pane)[2, 3]).name() == LIGHT.missing
    assert len(set(drawn(pane)[7, 3, :3])) == 1  # gray
