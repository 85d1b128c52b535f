"""Numbers of any magnitude are visible in the picture, in its histogram, in a plot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes import plots
from tests.browser.panes.image.pictures import drawn, pane_of, show_next
from tests.browser.values.labels import number_of
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.plot_pane import PlotPane

RAMP = np.arange(600).reshape(20, 30)


KINDS = {
    "tiny": RAMP * 1e-200,
    "small": RAMP * 1e-45,
    "large": (RAMP + 1.0) * 1e303,
    "long": 2**61 + RAMP,
    "unsigned": (2**64 - 1000 + RAMP.astype(np.uint64)),
}


def test_a_picture_shows_extreme_numbers(open_window: OpenWindow, qtbot: QtBot) -> None:
    arrays = {kind: FakeArray(values) for kind, values in KINDS.items()}
    window = open_window(FakeGroup({"first": FakeArray(RAMP), **arrays}), "/first")
    pane = pane_of(window, qtbot)
    for kind, array in arrays.items():
        show_next(window, qtbot, f"/{kind}", array)
        assert_picture_shows(pane, KINDS[kind])


def assert_picture_shows(pane: ImagePane, values: Any) -> None:
    shades = drawn(pane)[..., 0].astype(int).reshape(-1)
    assert (np.diff(shades) >= 0).all()
    assert len(set(shades.tolist())) > 200, "from black to white"
    low, high = pane.view.picture_style().levels
    assert values.min() <= low < high <= values.max()
    region = pane.body.contrast.histogram.item.region
    first, last = region.getRegion()
    assert 0 < last - first < 1e31
    region.setRegion((first, (first + last) / 2))
    found, upper = pane.view.picture_style().levels
    assert found - low == pytest.approx(0, abs=float(high - low) / 100)
    assert upper - low == pytest.approx((high - low) / 2, rel=0.02)


def test_a_plot_shows_extreme_numbers(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = plots.show(open_window, qtbot, FakeArray(np.zeros(9)))
    qtbot.waitUntil(lambda: pane.curve.yData is not None and pane.curve.yData.size == 9)
    for values in KINDS.values():
        before = pane.curve.yData
        pane.show_array(FakeArray(values.reshape(-1)))
        qtbot.waitUntil(lambda before=before: pane.curve.yData is not None and pane.curve.yData is not before)
        assert_plot_shows(pane, values.reshape(-1))


def assert_plot_shows(pane: PlotPane, values: Any) -> None:
    y = pane.curve.yData
    assert (np.diff(y) > 0).all()
    assert y == pytest.approx(np.linspace(y[0], y[-1], y.size))
    bottom, top = pane.plot.getViewBox().viewRange()[1]
    assert (y[-1] - y[0]) / (top - bottom) > 0.8, "it fills the plot"
    axis = pane.plot.getAxis("left")
    places = [place for _, some in axis.tickValues(bottom, top, 400) for place in some]
    texts = axis.tickStrings(places[:3], axis.scale, 1.0)
    told = [number_of(text) for text in texts]
    margin = float(values[-1] - values[0]) * 0.2 + float(
        abs(int(values[0])) >> 50 if values.dtype.kind in "iu" else 0
    )
    assert all(float(values[0]) - margin <= one <= float(values[-1]) + margin for one in told)
