"""Lines and rectangles over the picture."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import VOLUME, show


def test_a_rectangle_shows_its_statistics_and_follows_the_plane(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.controls.tools["region"].click()
    qtbot.waitUntil(lambda: "mean" in pane.tools.measurements.words.text())
    shape = pane.tools.measurements.shapes["region"]
    shape.setPos((4.5, 9.5), update=False)
    shape.setSize((10, 5))
    expected = VOLUME[4][10:15, 5:15]
    qtbot.waitUntil(lambda: pane.tools.measurements.words.text().startswith("5 × 10 = 50 elements"))
    qtbot.waitUntil(lambda: f"mean {expected.mean():.6g}"[:10] in pane.tools.measurements.words.text())
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    qtbot.waitUntil(
        lambda: f"max {VOLUME[5][10:15, 5:15].max():.6g}"[:8] in pane.tools.measurements.words.text()
    )
    pane.controls.tools["region"].click()
    assert pane.tools.measurements.isHidden()


def test_a_line_draws_its_profile(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.controls.tools["profile"].click()
    profile = pane.tools.measurements.profile
    assert profile is not None
    qtbot.waitUntil(lambda: profile.curve.xData is not None and profile.curve.xData.size > 0)
    assert profile.isVisible()
    start, end = (handle["item"] for handle in pane.tools.measurements.shapes["profile"].handles)
    start.movePoint(pane.canvas.view.mapViewToScene(start.pos().__class__(2, 6)))
    end.movePoint(pane.canvas.view.mapViewToScene(end.pos().__class__(31, 6)))
    qtbot.waitUntil(
        lambda: (
            profile.curve.yData is not None
            and profile.curve.yData.size == 30
            and np.array_equal(profile.curve.yData, VOLUME[4][6, 2:32].astype(np.float64))
        )
    )
    assert profile.curve.xData[-1] == pytest.approx(29, abs=0.01)
