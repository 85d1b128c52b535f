"""The plot of a profile."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from zarrbrowser.image.measurements import Profile, ProfileCurve
from zarrbrowser.panes.image.canvas.profile_plot import ProfilePlot
from zarrbrowser.theme import DARK, LIGHT


@pytest.mark.parametrize("size", [1e-200, 1e304])
def test_a_profile_shows_extreme_numbers(size: float, qtbot: QtBot) -> None:
    plot = ProfilePlot()
    qtbot.addWidget(plot)
    numbers = np.array([1.0, np.nan, 3.0, 2.0]) * size
    plot.show_profile(Profile(np.arange(4.0), (ProfileCurve(numbers),), "", 0))
    drawn_numbers = plot.curves[0].yData
    assert np.abs(drawn_numbers[[0, 2, 3]]).max() < 1e30
    assert drawn_numbers * plot.plot.getAxis("left").scale == pytest.approx(numbers, nan_ok=True)


def test_a_profile_says_its_unit_level_and_channel(qtbot: QtBot) -> None:
    plot = ProfilePlot()
    qtbot.addWidget(plot)
    names = ("DAPI", "GFP <488 nm>")
    curves = tuple(ProfileCurve(np.arange(3.0), name, (0, 200, 0)) for name in names)
    plot.show_profile(Profile(np.arange(3.0), curves, "micrometer", 2))
    assert plot.plot.getAxis("bottom").labelText == "distance (µm), level 2"
    assert len(plot.curves) == 2
    assert plot.curves[1].opts["pen"].color().getRgb()[:3] == (0, 200, 0)
    legend = plot.plot.legend
    assert legend.isVisible()
    for colours in (DARK, LIGHT):
        plot.set_colours(colours)
        assert [text.item.toPlainText() for _, text in legend.items] == list(names)
        assert {text.opts["color"] for _, text in legend.items} == {colours.text}
    plot.show_profile(Profile(np.arange(3.0), (ProfileCurve(np.arange(3.0)),), "", 0))
    assert plot.plot.getAxis("bottom").labelText == "distance (elements)"
    assert len(plot.curves) == 1
    assert not legend.isVisible()


def test_a_profile_without_values_is_empty(qtbot: QtBot) -> None:
    plot = ProfilePlot()
    qtbot.addWidget(plot)
    plot.show_profile(Profile(np.arange(3.0), (ProfileCurve(np.arange(3.0)),), "", 0))
    plot.show_profile(Profile(np.arange(3.0), (ProfileCurve(np.full(3, np.nan)),), "", 0))
    assert plot.curves[0].xData is None or plot.curves[0].xData.size == 0
    assert plot.grab().toImage().width() > 0
