"""The plot of a profile."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from zarrbrowser.image.measurements import Profile
from zarrbrowser.panes.image.canvas.profile_plot import ProfilePlot


@pytest.mark.parametrize("size", [1e-200, 1e304])
def test_a_profile_shows_extreme_numbers(size: float, qtbot: QtBot) -> None:
    plot = ProfilePlot()
    qtbot.addWidget(plot)
    numbers = np.array([1.0, np.nan, 3.0, 2.0]) * size
    plot.show_profile(Profile(np.arange(4.0), numbers, "", 0))
    drawn_numbers = plot.curve.yData
    assert np.abs(drawn_numbers[[0, 2, 3]]).max() < 1e30
    assert drawn_numbers * plot.plot.getAxis("left").scale == pytest.approx(numbers, nan_ok=True)


def test_a_profile_says_its_unit_level_and_channel(qtbot: QtBot) -> None:
    plot = ProfilePlot()
    qtbot.addWidget(plot)
    plot.show_profile(Profile(np.arange(3.0), np.arange(3.0), "micrometer", 2, "GFP <488 nm>"))
    assert plot.plot.getAxis("bottom").labelText == "distance (µm), level 2"
    assert plot.plot.getAxis("left").label.toPlainText().strip() == "GFP <488 nm>"
    plot.show_profile(Profile(np.arange(3.0), np.arange(3.0), "", 0))
    assert plot.plot.getAxis("bottom").labelText == "distance (elements)"


def test_a_profile_without_values_is_empty(qtbot: QtBot) -> None:
    plot = ProfilePlot()
    qtbot.addWidget(plot)
    plot.show_profile(Profile(np.arange(3.0), np.arange(3.0), "", 0))
    plot.show_profile(Profile(np.arange(3.0), np.full(3, np.nan), "", 0))
    assert plot.curve.xData is None or plot.curve.xData.size == 0
    assert plot.grab().toImage().width() > 0
