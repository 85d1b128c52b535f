"""Lines over the picture."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import Flaky
from tests.browser.panes.image.pictures import VOLUME, show


def test_a_line_draws_its_profile(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.body.controls.tools["profile"].click()
    profile = pane.body.tools.measurements.profile
    assert profile is not None
    qtbot.waitUntil(lambda: bool(profile.curves) and profile.curves[0].xData is not None)
    assert profile.isVisible()
    start, end = (handle["item"] for handle in pane.body.tools.measurements.line.handles)
    start.movePoint(pane.canvas.view.mapViewToScene(start.pos().__class__(2, 6)))
    end.movePoint(pane.canvas.view.mapViewToScene(end.pos().__class__(31, 6)))
    qtbot.waitUntil(
        lambda: (
            profile.curves[0].yData is not None
            and profile.curves[0].yData.size == 30
            and np.array_equal(profile.curves[0].yData, VOLUME[4][6, 2:32].astype(np.float64))
        )
    )
    assert profile.curves[0].xData[-1] == pytest.approx(29, abs=0.01)
    pane.body.controls.tools["profile"].click()
    assert pane.body.tools.measurements.isHidden()


def test_a_line_that_cannot_be_read_says_why(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, array = show(open_window, qtbot, VOLUME)
    array.before_read = Flaky()
    pane.body.controls.tools["profile"].click()
    qtbot.waitUntil(lambda: "does not answer" in pane.body.tools.measurements.words.text())
    array.before_read.mended = True
    pane.body.tools.measurements.refresh()
    qtbot.waitUntil(lambda: pane.body.tools.measurements.words.isHidden())
