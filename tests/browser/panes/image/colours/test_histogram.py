"""The histogram: its bounds are those of the numbers, whatever their size."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.values.labels import number_of
from zarrbrowser.image.colours.colour_maps import lookup_table
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode, statistics
from zarrbrowser.image.colours.norm import Norm, spread
from zarrbrowser.panes.image.colours.histogram import Histogram
from zarrbrowser.theme import DARK, LIGHT
from zarrbrowser.values.numbers import numbers_of

FULL = Contrast(ContrastMode.FULL_RANGE)


@pytest.fixture
def histogram(application: QApplication, qtbot: QtBot) -> Histogram:
    made = Histogram()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_dragged_bounds_are_numbers_of_any_magnitude(size: float, histogram: Histogram, qtbot: QtBot) -> None:
    found = statistics(np.linspace(-1, 3, 100) * size)
    with qtbot.assertNotEmitted(histogram.dragged):
        histogram.show_statistics(found, found.levels(FULL))
    low, high = histogram.item.region.getRegion()
    with qtbot.waitSignal(histogram.dragged) as heard:
        histogram.item.region.setRegion(((low + high) / 2, high))
    assert heard.args == pytest.approx([1 * size, 3 * size])


def test_dragged_bounds_of_large_integers_keep_each_digit(histogram: Histogram, qtbot: QtBot) -> None:
    found = statistics(numbers_of(2**61 + np.arange(101)))
    histogram.show_statistics(found, found.levels(FULL))
    assert list(histogram.item.region.getRegion()) == [0, 100]
    with qtbot.waitSignal(histogram.dragged) as heard:
        histogram.item.region.setRegion((7.2, 90.6))
    assert heard.args == [2**61 + 7, 2**61 + 91]


def test_rare_values_are_visible_beside_a_frequent_one(histogram: Histogram) -> None:
    values = np.zeros(10_000)
    values[:10] = 5.0
    found = statistics(values)
    histogram.show_statistics(found, found.levels(FULL))
    heights = histogram.item.plot.yData
    assert heights.size == found.histogram.size
    assert heights.max() / heights[heights > 0].min() < 10


def test_the_colour_map_is_drawn_beside_the_values(histogram: Histogram) -> None:
    for name in ("viridis", "viridis", "gray_r"):
        histogram.show_colour_map(name)
        stops = histogram.item.ramp.gradient.stops()
        colours = np.array([colour.getRgb()[:3] for _, colour in stops])
        places = np.linspace(0, 1, 256)
        for channel, exact in zip(colours.T, lookup_table(name).T, strict=True):
            drawn = np.interp(places, [place for place, _ in stops], channel)
            assert np.abs(drawn - exact).max() <= 8


def test_the_histogram_follows_the_theme(histogram: Histogram) -> None:
    found = statistics(np.arange(100.0))
    histogram.show_statistics(found, found.levels(FULL))
    histogram.resize(120, 200)
    for colours in (LIGHT, DARK):
        histogram.set_colours(colours)
        assert histogram.grab().toImage().pixelColor(1, 1).name() == colours.window


@pytest.mark.parametrize(
    ("low", "high"),
    [(1_000_000.0, 1_000_003.0), (0.0, 1.0), (-2e-9, 5e-9), (65_000, 65_535), (1e12, 1e12 + 0.5)],
)
def test_tick_labels_differ(low: float, high: float, histogram: Histogram, qtbot: QtBot) -> None:
    histogram.resize(160, 400)
    histogram.show()
    found = statistics(np.linspace(low, high, 1000))
    histogram.show_statistics(found, found.levels(FULL))
    axis = histogram.item.axis
    scaled = [value / axis.scale for value in (low, high)]
    for spacing, values in axis.tickValues(*scaled, 300):
        texts = axis.tickStrings(values, axis.scale, spacing)
        assert len(set(texts)) == len(texts) == len(values)
        assert [number_of(text) for text in texts] == pytest.approx(
            [value * axis.scale for value in values], rel=1e-15, abs=spacing * axis.scale / 100
        )
    qtbot.waitUntil(lambda: axis.width() >= 52)


def test_ticks_of_large_integers_are_exact(histogram: Histogram) -> None:
    found = statistics(numbers_of(2**61 + np.arange(101)))
    histogram.show_statistics(found, found.levels(FULL))
    axis = histogram.item.axis
    assert axis.tickStrings([0.0, 50.0], axis.scale, 50.0) == [f"{2**61:,}", f"{2**61 + 50:,}"]


def test_ticks_of_large_integers_leave_room_for_the_counts(histogram: Histogram) -> None:
    histogram.resize(168, 300)
    found = statistics(numbers_of(2**61 + np.arange(101)))
    histogram.show_statistics(found, found.levels(FULL))
    axis = histogram.item.axis
    assert axis.tickStrings([0.0, 50.0], axis.scale, 50.0) == ["+0", "+50"]
    assert f"{2**61:,}" in histogram.toolTip()


def test_a_histogram_is_arranged_once_for_the_size_in_which_it_is_painted(
    histogram: Histogram, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    arranged: list[float] = []
    histogram.sigDeviceRangeChanged.connect(lambda _view, area: arranged.append(area.height()))
    histogram.resize(200, 150)
    with qtbot.waitExposed(histogram):
        histogram.show()
    histogram.grab()
    arranged.clear()
    for height in (300, 310, 320):
        histogram.resize(200, height)
    histogram.grab()
    assert set(arranged) == {320}
    assert histogram.ci.geometry().height() == 320
    arranged.clear()
    histogram.grab()
    assert not arranged, "the size is the same"


@pytest.mark.parametrize("norm", list(Norm))
def test_each_colour_is_beside_the_values_that_have_it_in_the_picture(
    norm: Norm, histogram: Histogram, qtbot: QtBot
) -> None:
    histogram.resize(180, 400)
    histogram.show()
    found = statistics(np.geomspace(1e-7, 50, 5000))
    levels = found.levels(Contrast(), norm)
    histogram.show_statistics(found, levels, norm)
    histogram.show_colour_map("gray")
    histogram.grab()
    qtbot.waitUntil(lambda: not histogram._widening.isActive())
    item = histogram.item
    stops = item.ramp.gradient.stops()
    table = lookup_table("gray")[:, 0].astype(int)
    ends = [item.vb.mapFromItemToView(item.ramp, QPointF(0, at)).y() for at in (item.ramp.height(), 0)]
    for place, colour in stops:
        along = ends[0] + place * (ends[1] - ends[0])
        value = 10.0**along if norm is Norm.LOG else along
        share = spread(np.array([value]), norm, levels).clip(0, 1)[0]
        assert abs(colour.red() - table[round(share * 255)]) <= 2


def test_a_logarithmic_axis_is_labelled_with_the_values(histogram: Histogram, qtbot: QtBot) -> None:
    found = statistics(np.array([0.0, 1e-3, 1.0, 1e3]))
    levels = found.levels(FULL, Norm.LOG)
    assert levels == (1e-3, 1e3)
    histogram.show_statistics(found, levels, Norm.LOG)
    assert list(histogram.item.region.getRegion()) == pytest.approx([-3, 3])
    axis = histogram.item.axis
    ((spacing, values),) = axis.tickValues(-3.2, 3.2, 300)
    texts = axis.tickStrings(values, 1.0, spacing)
    assert [number_of(text) for text in texts] == pytest.approx([10.0**value for value in values])
    with qtbot.waitSignal(histogram.dragged) as heard:
        histogram.item.region.setRegion((-2, 2))
    assert heard.args == pytest.approx([1e-2, 1e2])
